/** The bound of a read of due retries, however many events the filter leaves out. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { opened } from "../../../../support/damaged-spool.ts";
import { tempDir } from "../../../../support/temp-dir.ts";
import { at } from "../../../port/conformance/suite.ts";
import { blockedBy, createEndpoint, deferred, messageEvents, settle } from "../../../port/conformance/webhook-suite.ts";

it("leaves due retries for the next read once it has looked at many events", async (t) => {
  const spool = await opened(t, tempDir(t));
  const endpoint = await createEndpoint(spool, { types: ["recipient.failed"] });
  const orderKeys: number[] = [];
  for (const dueMs of [1, 2, 3]) {
    const events = await messageEvents(
      spool,
      Array.from({ length: 300 }, () => "delivered"),
    );
    const [first, last] = [at(events), at(events, events.length - 1)];
    orderKeys.push(first.orderKey);
    await settle(spool, endpoint, { results: [deferred(first, dueMs)], blocked: [blockedBy(last)] });
  }
  const early = await spool.dueRetries("end_a", 10, 10);
  assert.deepEqual(early, { retries: [], gone: orderKeys.slice(0, 2), nextDueMs: 3, count: 3 });
  await settle(spool, endpoint, { gone: early.gone });
  const late = await spool.dueRetries("end_a", 10, 10);
  assert.deepEqual(late, { retries: [], gone: orderKeys.slice(2), nextDueMs: null, count: 1 });
});

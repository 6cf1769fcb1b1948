/** Retries whose events cannot be read: they are gone, and do not stop the others. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { damagePage, opened, openSpool, pagesOf } from "../../../support/damaged-spool.ts";
import { newMessage } from "../../../support/messages.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { at } from "../../port/conformance/suite.ts";
import { createEndpoint, deferred, messageEvents, sent, settle } from "../../port/conformance/webhook-suite.ts";

it("a damaged page of messages does not stop the retries of others", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  const endpoint = await createEndpoint(first);
  const early = at(await messageEvents(first, [], { subject: "early" }));
  for (let i = 0; i < 60; i += 1) await first.accept(newMessage({ subject: "x".repeat(200) }));
  const late = at(await messageEvents(first, [], { subject: "late" }));
  await settle(first, endpoint, { results: [deferred(early, 1), deferred(late, 2)] });
  await first.close();
  const leaves = pagesOf(dataDir).filter(({ name, type }) => name === "messages" && type === "leaf");
  assert.ok(leaves.length > 2);
  damagePage(dataDir, at(leaves));

  const spool = await opened(t, dataDir);
  const due = await spool.dueRetries("end_a", 10, 10);
  assert.deepEqual([due.retries.map(({ event }) => event), due.gone], [[late], [early.orderKey]]);
  await settle(spool, endpoint, { gone: due.gone, results: [sent(late)] });
  assert.deepEqual((await spool.waitingAt("end_a")).retries, 0);
});

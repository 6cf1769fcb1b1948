/** An endpoint with a damaged filter: nothing may be sent that its account had left out. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { edit, opened, openSpool } from "../../../support/damaged-spool.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import {
  change,
  createEndpoint,
  deferred,
  endpointOf,
  messageEvents,
  settle,
} from "../../port/conformance/webhook-suite.ts";

for (const text of ["{", "{}", "[1]", "null"]) {
  it(`reads as paused, and selects nothing, with the filter ${text}, until the filter is set again`, async (t) => {
    const dataDir = tempDir(t);
    const first = await openSpool(dataDir);
    const endpoint = await createEndpoint(first, { types: ["recipient.failed"], createdAtMs: 5 });
    const [event] = await messageEvents(first, ["failed"]);
    assert.ok(event);
    await settle(first, endpoint, { results: [deferred(event, 1)] });
    await first.close();
    edit(dataDir, (db) => db.prepare("UPDATE endpoints SET keys = ?").run(text));
    const spool = await opened(t, dataDir);
    const found: string[] = [];
    spool.onDamage(({ place }) => found.push(place));

    const unreadable = await endpointOf(spool);
    assert.equal(unreadable.pausedAtMs, 5);
    assert.deepEqual((await spool.freshEvents(unreadable, 0, 10)).events, []);
    assert.deepEqual(await spool.dueRetries("end_a", 10, 10), { retries: [], gone: [], nextDueMs: null, count: 1 });
    assert.deepEqual(found, ["the filter of the webhook endpoint end_a"]);

    await change(spool, { type: "edit", url: endpoint.url, types: null, keys: null, domains: null });
    assert.equal((await endpointOf(spool)).pausedAtMs, null);
    assert.equal((await spool.dueRetries("end_a", 10, 10)).retries.length, 1);
  });
}

/** Endpoints that two nodes add at the same time, and a filter that cannot be decoded. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventReads } from "../../../../src/spool/engine/postgres/webhooks/event-reads.ts";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { webhooksOf } from "../../../support/postgres/store-ports.ts";
import { StoredMail } from "../../../support/postgres/stored-mail.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { NOW_MS } from "../../port/conformance/store-suite.ts";
import { at } from "../../port/conformance/suite.ts";
import { ACCOUNT, ALL, allEvents, deferred, newEndpoint } from "../../port/conformance/webhook-suite.ts";

describe("webhook endpoints on PostgreSQL", { skip: missingPostgresOrTime() }, () => {
  it("with a filter that cannot be decoded read as paused, and send nothing until it is set again", async (t) => {
    const { nodes, client } = await twoNodes(t);
    const webhooks = webhooksOf(nodes[0]);
    const endpoint = await webhooks.createEndpoint(newEndpoint({ keys: ["key_other"] }));
    assert.ok(endpoint !== "too_many");
    await new StoredMail(nodes[0]).add({ createdAtMs: NOW_MS, recipients: [{ state: "pending" }] });
    const event = at(await allEvents(eventReads(nodes[0])));
    const nothing = { blocked: [], gone: [], isRecovered: false, disable: null };
    const settled = { endpointId: endpoint.id, version: 1, atMs: NOW_MS, position: 0, ...nothing };
    await webhooks.settleWebhooks({ ...settled, results: [deferred(event, NOW_MS)] });
    await client.query("UPDATE endpoints SET keys = '{'");

    const unreadable = at(await webhooks.endpoints(null));
    assert.equal(unreadable.pausedAtMs, endpoint.createdAtMs);
    assert.deepEqual((await webhooks.freshEvents(unreadable, 0, 10)).events, []);
    const none = { retries: [], gone: [], nextDueMs: null, count: 1 };
    assert.deepEqual(await webhooks.dueRetries(endpoint.id, NOW_MS, 10), none);

    const edit = { type: "edit" as const, url: endpoint.url, ...ALL };
    await webhooks.changeEndpoint({ accountId: ACCOUNT, endpointId: endpoint.id, change: edit });
    assert.equal(at(await webhooks.endpoints(null)).pausedAtMs, null);
    assert.equal((await webhooks.dueRetries(endpoint.id, NOW_MS, 10)).retries.length, 1);
  });
});

/** Responses with characters that PostgreSQL cannot store. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { missingPostgresOrTime } from "../../../support/postgres/installation.ts";
import { webhooksOf } from "../../../support/postgres/store-ports.ts";
import { twoNodes } from "../../../support/postgres/two-nodes.ts";
import { attemptFilter, newEndpoint } from "../../port/conformance/webhook-suite.ts";

it("a response and an error with U+0000 are stored without it", { skip: missingPostgresOrTime() }, async (t) => {
  const webhooks = webhooksOf((await twoNodes(t)).nodes[0]);
  await webhooks.createEndpoint(newEndpoint());
  const event = { number: 1, id: "evt_a", type: "domain.lost" as const, messageId: null, orderKey: 0 };
  const attempt = { atMs: 1, durationMs: 2, attempt: 1, status: 200, error: "a\0b", response: "{\0}" };
  const nothing = { blocked: [], gone: [], isRecovered: false, disable: null };
  const settled = { endpointId: "end_a", version: 1, atMs: 1, position: 1, ...nothing };
  await webhooks.settleWebhooks({ ...settled, results: [{ event, attempt, outcome: { type: "given_up" } }] });
  const [shown] = await webhooks.attempts(attemptFilter());
  assert.deepEqual([shown?.error, shown?.response], ["a\uFFFDb", "{\uFFFD}"]);
});

/** `suppressions list`: the cause of each address, and until when. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandContext } from "../../src/cli/command.ts";
import { listSuppressionsCommand } from "../../src/cli/suppressions.ts";
import type { SuppressedAddress } from "../../src/spool/port/suppressions.ts";

async function listOf(addresses: SuppressedAddress[]) {
  const context = {
    config: { suppressAfter: 3 },
    account: { id: "acc_1" },
    nowMs: 1,
    store: { suppressions: async () => ({ addresses, next: null }) },
  } as unknown as CommandContext;
  const result = await listSuppressionsCommand.run(context, { positionals: [], options: {} });
  assert.ok(result);
  return result;
}

const SINCE_MS = Date.parse("2026-11-02T10:00:00Z");
const refusal = {
  at_ms: SINCE_MS,
  code: 550,
  enhanced_code: "5.1.1",
  message: "unknown",
  mx: "mx.a.example",
  ip: null,
};

test("each address has its cause, as text and as JSON", async () => {
  const { text, json } = await listOf([
    { email: "ann@a.example", cause: "refusals", sinceMs: SINCE_MS, untilMs: SINCE_MS + 1000, refusals: [refusal] },
    { email: "bob@a.example", cause: "complaint", sinceMs: SINCE_MS, untilMs: null, refusals: [] },
    { email: "cy@a.example", cause: "unsubscribed", sinceMs: SINCE_MS, untilMs: null, refusals: [] },
  ]);
  assert.equal(
    text,
    `ann@a.example  rejected as unknown, suppressed since 2026-11-02T10:00:00.000Z, until 2026-11-02T10:00:01.000Z
  2026-11-02T10:00:00.000Z  mx.a.example: 550 5.1.1 unknown

bob@a.example  complaint, suppressed since 2026-11-02T10:00:00.000Z, until it is removed

cy@a.example  unsubscribed, suppressed since 2026-11-02T10:00:00.000Z, until it is removed`,
  );
  const since = "2026-11-02T10:00:00.000Z";
  const { at_ms: _, ...reply } = refusal;
  assert.deepEqual(json, [
    {
      email: "ann@a.example",
      cause: "refusals",
      since,
      until: "2026-11-02T10:00:01.000Z",
      refusals: [{ at: since, ...reply }],
    },
    { email: "bob@a.example", cause: "complaint", since, until: null, refusals: [] },
    { email: "cy@a.example", cause: "unsubscribed", since, until: null, refusals: [] },
  ]);
});

/** Refusals of MAIL that may be a session's own: one that has carried messages is replaced once, and a new one's refusal counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import { setAttemptStage } from "./attempt-stage.ts";

const reasonOf = (outcome: Outcome | undefined): string | undefined =>
  outcome === undefined || outcome.type === "delivered" ? outcome?.type : outcome.reason;

const REFUSALS = [
  "500 5.5.1 what?",
  "501 5.5.4 syntax",
  "502 5.5.1 not implemented",
  "503 5.5.1 nested MAIL",
  "504 5.5.4 no",
  "555 5.5.4 unknown parameter",
  "554 too many messages for this session",
  "421 Max message per connection reached",
];

for (const refusal of REFUSALS) {
  test(`"${refusal}" to the second MAIL of a session: the message goes over a new one`, async (t) => {
    const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock });
    let ofConnection = 0;
    const peer = await exchanger({
      script: {
        ehlo: () => {
          ofConnection = 0;
          return undefined;
        },
        mail: () => {
          ofConnection += 1;
          return ofConnection > 1 ? refusal : undefined;
        },
      },
    });
    assert.equal(reasonOf((await attempt(1))[0]), "delivered");
    const [outcome] = await attempt(1);
    assert.equal(reasonOf(outcome), "delivered");
    assert.equal(outcome?.tries.length, 1, "the refusal is no try");
    assert.equal(peer.connections, 2);
  });
}

test("beyond the recipients of one transaction too", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock });
  let mails = 0;
  const mail = (): string | undefined => {
    mails += 1;
    return mails === 2 ? "503 5.5.1 nested MAIL" : undefined;
  };
  const peer = await exchanger({ script: { mail } });
  const outcomes = await attempt(150);
  assert.ok(outcomes.every(({ type }) => type === "delivered"));
  assert.equal(peer.connections, 2);
});

test("on a new session such a refusal counts", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock });
  const peer = await exchanger({ script: { mail: () => "501 5.5.4 syntax" } });
  assert.equal(reasonOf((await attempt(1))[0]), "sender_refused");
  assert.equal(peer.connections, 1);
});

test("another refusal of MAIL counts on a session that has carried messages", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock });
  let mails = 0;
  const mail = (): string | undefined => {
    mails += 1;
    return mails > 1 ? "550 5.7.1 no" : undefined;
  };
  await exchanger({ script: { mail } });
  assert.equal(reasonOf((await attempt(1))[0]), "delivered");
  assert.equal(reasonOf((await attempt(1))[0]), "sender_refused");
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { cancelRecipients, recipientsWith, resolveRecipients } from "../../../src/app/decide/decide-recipients.ts";
import type { RecipientsRef } from "../../../src/spool/port/mail.ts";
import { DECIDED_MAX } from "../../../src/spool/port/operations.ts";
import type { RecipientReport } from "../../../src/spool/port/results.ts";

const DECISION = { accountId: "acc_default", by: "ann@shop.example", nowMs: 5 };

const refs = (messageId: string, count: number): RecipientsRef => ({
  messageId,
  positions: Array.from({ length: count }, (_, i) => i),
});

const countOf = (recipients: readonly RecipientsRef[]): number =>
  recipients.reduce((sum, { positions }) => sum + positions.length, 0);

it("decides in steps of a bounded size, about each recipient once, and adds up what has changed", async () => {
  const steps: (readonly RecipientsRef[])[] = [];
  const spool = {
    resolve: async ({ recipients }: { recipients: readonly RecipientsRef[] }) => {
      steps.push(recipients);
      return { resolved: countOf(recipients), unreadable: 1 };
    },
  };
  const recipients = [refs("msg_a", 100), refs("msg_b", 2 * DECIDED_MAX), refs("msg_c", 1)];
  const resolved = await resolveRecipients(spool, { ...DECISION, as: "failed", recipients });
  assert.deepEqual(resolved, { resolved: 101 + 2 * DECIDED_MAX, unreadable: 4 });
  assert.deepEqual(steps.map(countOf), [100, DECIDED_MAX, DECIDED_MAX, 1]);
  const named = steps.flat().flatMap(({ messageId, positions }) => positions.map((p) => `${messageId} ${p}`));
  assert.equal(new Set(named).size, named.length);
});

it("cancels nothing without recipients, and counts what is left alone", async () => {
  const cancelled = { cancelled: 1, unknown: 2, atDot: 3, unreadable: 4 };
  const spool = { cancel: async () => cancelled };
  assert.deepEqual(await cancelRecipients(spool, { ...DECISION, recipients: [refs("msg_a", 10)] }), cancelled);
  const none = { cancelled: 0, unknown: 0, atDot: 0, unreadable: 0 };
  assert.deepEqual(await cancelRecipients(spool, { ...DECISION, recipients: [] }), none);
});

it("selects the recipients of a message by their result, and by email address", () => {
  const recipient = (position: number, result: string, email = `user${position}@a.example`) =>
    ({ position, result, email }) as RecipientReport;
  const report = {
    id: "msg_a",
    recipients: [recipient(0, "unknown"), recipient(1, "failed"), recipient(2, "unknown")],
  };
  assert.deepEqual(recipientsWith(report, "unknown"), [{ messageId: "msg_a", positions: [0, 2] }]);
  assert.deepEqual(recipientsWith(report, "unknown", "user2@a.example"), [{ messageId: "msg_a", positions: [2] }]);
  assert.deepEqual(recipientsWith(report, "unknown", "user1@a.example"), []);
  assert.deepEqual(recipientsWith(report, "pending"), []);
});

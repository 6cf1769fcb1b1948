/** Every reason code of delivery, the retry decision and the spool has a sentence and is in the table of docs/STATES.md. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type RetryPolicy, settlementOf, settlementOfHeld } from "../../../src/delivery/dispatch/retry-decision.ts";
import type { RecipientResult, ReplyStage } from "../../../src/delivery/smtp/recipient-results.ts";
import type { Fallback } from "../../../src/delivery/smtp/session.ts";
import {
  addressRefused,
  internalError,
  interruptedAfterDot,
  interruptedBeforeDot,
  type Need,
  noSendingAddress,
  type SessionConditions,
  type Verdict,
  verdictOnNeed,
  verdictOnPolicy,
  verdictOnResult,
  verdictOnRoute,
  verdictOnSession,
  warmingUp,
} from "../../../src/delivery/verdict.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import { REASONS, sentenceFor } from "../../../src/message/result/reasons.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { PAUSE_ENTRY } from "../../../src/spool/port/delivery-pause.ts";
import { discardedRecipient } from "../../../src/spool/records/decision.ts";
import { markMessage, settleMessage } from "../../support/attempts.ts";
import { newWork } from "../../support/fake-spool.ts";
import { newMessage, settlement } from "../../support/messages.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** All members of a union. A missing member is a type error. */
const all = <T extends string>(members: Record<T, true>): T[] => Object.keys(members) as T[];

const STAGES = all<ReplyStage>({ mail: true, rcpt: true, data: true, content: true, final_dot: true });
const FACTS = all<RecipientResult["type"]>({
  reply: true,
  lost: true,
  timeout: true,
  protocol_error: true,
  over_limit: true,
  not_sent: true,
  interrupted: true,
  held_back: true,
});
const FALLBACKS = all<Fallback>({ none: true, plaintext: true, helo: true });
const CONDITIONS: SessionConditions[] = [true, false].flatMap((dotSent) =>
  [true, false].flatMap((isEncrypted) => FALLBACKS.map((fallback) => ({ dotSent, isEncrypted, fallback }))),
);

function factVerdicts(): Verdict[] {
  const codes = Array.from({ length: 400 }, (_, i) => 200 + i);
  const enhanced = [
    null,
    ...["0.0", "1.1", "1.10", "2.1", "2.2", "4.6", "5.3", "7.1", "7.25", "7.26"].map((s) => `5.${s}`),
  ];
  const facts = FACTS.flatMap((type) =>
    STAGES.flatMap((stage) => {
      const replies = codes.flatMap((code) => enhanced.map((enhanced_code) => ({ code, enhanced_code, message: "" })));
      const heard = type === "reply" ? replies : replies.slice(0, 1);
      return heard.map((reply) => ({ type, stage, reply, error: "" }) as RecipientResult);
    }),
  );
  return facts.flatMap((fact) => CONDITIONS.map((conditions) => verdictOnResult(fact, conditions)));
}

function verdicts(): Verdict[] {
  type NoHosts = Parameters<typeof verdictOnRoute>[0];
  const routes = all<NoHosts["type"]>({
    no_such_domain: true,
    null_mx: true,
    no_mail_host: true,
    dns_trouble: true,
    no_test_sink: true,
  }).map((type) => ({ type, code: "ESERVFAIL", error: "EADDRINUSE" }) as NoHosts);
  const failures = all<Parameters<typeof verdictOnSession>[0]>({
    refused: true,
    unreachable: true,
    tls_failed: true,
    no_address: true,
  });
  const causes = all<Parameters<typeof verdictOnPolicy>[0]>({ mta_sts_mx_mismatch: true, dns_trouble: true });
  const needs = all<Need>({
    too_large: true,
    needs_8bitmime: true,
    needs_smtputf8: true,
  });
  return [
    addressRefused,
    interruptedAfterDot,
    interruptedBeforeDot,
    internalError,
    noSendingAddress,
    warmingUp,
    ...routes.map((route) => verdictOnRoute(route).verdict),
    ...failures.map((failure) => verdictOnSession(failure)),
    ...causes.map((cause) => verdictOnPolicy(cause)),
    ...needs.flatMap((need) => FALLBACKS.map((fallback) => verdictOnNeed(need, fallback).verdict)),
    ...factVerdicts(),
  ];
}

function heldReason(): string | null {
  const work = newWork("msg_a", "a.example");
  const [recipient] = work.recipients;
  assert.ok(recipient);
  return settlementOfHeld(recipient, work, 1).reason;
}

function expiryReason(): string | null {
  const work = newWork("msg_a", "a.example", { expiresAtMs: 1 });
  const [recipient] = work.recipients;
  assert.ok(recipient);
  const policy: RetryPolicy = { retrySchedule: [1], unknownPolicy: "hold" };
  const deferred: Outcome = { type: "deferred", reason: "timeout", category: "network", smtp: null, tries: [] };
  return settlementOf(deferred, { job: work, recipient, atMs: 2, jitter: 0, policy }).reason;
}

/** The reasons that the spool assigns: to a mark found at start, a suppressed recipient, one of a restored backup, and by a person. */
async function spoolReasons(dataDir: string): Promise<(string | null | undefined)[]> {
  const onFatal = (error: Error): void => assert.fail(error);
  const spool = await openSqliteSpool({ dataDir, role: "client", onFatal });
  const marked = newMessage();
  await spool.accept(marked);
  await markMessage(spool, marked.id, [0]);
  await spool.expireLeases();
  await spool.recover(2, "unknown");
  const refused = newMessage();
  await spool.accept(refused);
  const reply = { code: 550, enhanced_code: "5.1.1", message: "" };
  const said = { mx: "mx", ip: null, tls: null, stage: "rcpt", reply, error: null, note: null, policy: null } as const;
  await settleMessage(spool, refused.id, 1_000_000, [{ ...settlement(0, "failed"), tries: [said] }]);
  const suppressed = newMessage({ suppressAfter: 1 });
  await spool.accept(suppressed);
  const waiting = newMessage();
  await spool.accept(waiting);
  await spool.writeValue(PAUSE_ENTRY, JSON.stringify({ backupAtMs: 1, newestSeq: 4 }));
  await spool.resumeDelivery({ nowMs: waiting.createdAtMs, waiting: "hold" });
  const reports = await Promise.all([marked.id, suppressed.id, waiting.id].map((id) => spool.report(id)));
  const decision = { accountId: waiting.accountId, by: "", nowMs: waiting.createdAtMs };
  await spool.resolve({ ...decision, as: "failed", recipients: [{ messageId: waiting.id, positions: [0] }] });
  const scheduled = newMessage({ sendAtMs: 2_000_000 });
  await spool.accept(scheduled);
  const cancelled = newMessage();
  await spool.accept(cancelled);
  await spool.cancel({ ...decision, recipients: [{ messageId: cancelled.id, positions: [0] }] });
  for (const id of [waiting.id, cancelled.id, scheduled.id]) reports.push(await spool.report(id));
  await spool.close();
  return reports.map((report) => report?.recipients[0]?.reason);
}

/** Assigned by earlier versions and still in spools. */
const FORMER = ["mail_loop"];

test("the reasons with a sentence are exactly those that can be assigned", async (t) => {
  const assigned = new Set(verdicts().map((verdict) => verdict.reason));
  const stored = await spoolReasons(tempDir(t));
  assert.deepEqual(stored, [
    "interrupted_after_final_dot",
    "suppressed",
    "restored_from_backup",
    "resolved",
    "cancelled",
    "scheduled",
  ]);
  const damage = { foundAtMs: 0, part: "content", error: "" } as const;
  const pending = { attempts: 0, reason: null, category: null };
  const discarded = discardedRecipient(pending, damage, { by: "", nowMs: 0 });
  for (const reason of [...stored, ...FORMER, expiryReason(), heldReason(), discarded.reason])
    assigned.add(reason ?? null);
  assigned.delete(null);
  assert.deepEqual([...REASONS].sort(), [...assigned].sort());
  for (const reason of REASONS) assert.match(sentenceFor(reason), /^[A-Z][^\n]+\.$/, reason);
});

test("the table in docs/STATES.md lists exactly these reasons", () => {
  const page = readFileSync(new URL("../../../docs/STATES.md", import.meta.url), "utf8");
  const section = page.split("\n## Results and reasons\n")[1]?.split("\n## ")[0] ?? "";
  const cells = section.split("\n").map((line) => line.split("|")[2] ?? "");
  const listed = cells.flatMap((cell) => [...cell.matchAll(/`([a-z0-9_]+)`/g)].map(([, reason]) => reason));
  assert.deepEqual(listed.sort(), [...REASONS].sort());
});

test("an unknown code is returned unchanged", () => {
  assert.equal(sentenceFor("of_another_version"), "of_another_version");
});

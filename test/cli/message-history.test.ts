/** The text of `messages show` for fixed facts, word for word. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { durationText, messageHistory } from "../../src/cli/message-history.ts";
import { adviceFor, explain } from "../../src/message/result/explanation.ts";
import type { HostAttempt, SmtpRecord } from "../../src/message/result/outcome.ts";
import type { AttemptEvent, MessageReport, RecipientReport, SpoolEvent } from "../../src/spool/port/results.ts";

const MINUTE_MS = 60_000;
const ACCEPTED_MS = Date.parse("2026-03-01T10:00:00.000Z");
const NOW_MS = ACCEPTED_MS + 10 * MINUTE_MS;

const accepted: SpoolEvent = { at_ms: ACCEPTED_MS, type: "accepted" };

const attempt = (parts: Partial<AttemptEvent>): AttemptEvent => ({
  at_ms: ACCEPTED_MS + 1000,
  type: "delivered",
  attempt: 1,
  reason: null,
  tries: [],
  next_attempt_at_ms: null,
  ...parts,
});

const tried = (parts: Partial<HostAttempt>): HostAttempt => ({
  mx: "mx1.a.example",
  ip: "192.0.2.1",
  tls: { protocol: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", verified: true },
  stage: "final_dot",
  reply: null,
  error: null,
  note: null,
  policy: "none",
  ...parts,
});

const recipient = (parts: Partial<RecipientReport>): RecipientReport => ({
  position: 0,
  email: "ann@a.example",
  domain: "a.example",
  field: "to",
  result: "delivered",
  reason: null,
  category: null,
  attempts: 1,
  nextAttemptAtMs: null,
  updatedAtMs: ACCEPTED_MS,
  smtp: null,
  events: [accepted],
  ...parts,
});

const report = (recipients: RecipientReport[], parts: Partial<MessageReport> = {}): MessageReport => ({
  id: "msg_1",
  accountId: "acc_default",
  keyId: "key_a",
  createdAtMs: ACCEPTED_MS,
  updatedAtMs: ACCEPTED_MS,
  expiresAtMs: ACCEPTED_MS + 48 * 60 * MINUTE_MS,
  sendAtMs: null,
  from: "hello@shop.example",
  senderDomain: "shop.example",
  subject: "Grüße",
  messageId: "<m@shop.example>",
  tags: [],
  requestId: null,
  idempotencyKey: null,
  metadata: {},
  test: false,
  recipients,
  ...parts,
});

/** The history of one recipient, without the message's head. */
function historyOf(parts: Partial<RecipientReport>, nowMs = NOW_MS): string {
  return messageHistory(report([recipient(parts)]), nowMs)
    .split("\n")
    .slice(6)
    .join("\n");
}

const smtpOf = ({ mx, ip, tls, reply }: HostAttempt): SmtpRecord => {
  assert.ok(reply);
  return { ...reply, mx, ip, tls: tls?.protocol ?? null };
};

test("a delivery: the message, its host, TLS and reply", () => {
  const attemptWithReply = tried({
    reply: { code: 250, enhanced_code: "2.0.0", message: "Ok: queued as 4F2" },
    policy: "dane",
  });
  const delivered = recipient({
    smtp: smtpOf(attemptWithReply),
    events: [accepted, attempt({ tries: [attemptWithReply] })],
  });
  assert.equal(
    messageHistory(report([delivered]), NOW_MS),
    `msg_1
  From:       hello@shop.example
  Subject:    Grüße
  Message-ID: <m@shop.example>
  Accepted:   2026-03-01T10:00:00.000Z, 10 min ago

ann@a.example: delivered
  Last reply, from mx1.a.example [192.0.2.1]: 250 2.0.0 Ok: queued as 4F2

  2026-03-01T10:00:00.000Z  accepted
  2026-03-01T10:00:01.000Z  attempt 1: delivered
      mx1.a.example [192.0.2.1], TLSv1.3 (TLS_AES_256_GCM_SHA384), certificate verified, TLS policy dane
        after the final dot: 250 2.0.0 Ok: queued as 4F2`,
  );
});

test("a deferral: every host tried, the reason, the next attempt and the deadline", () => {
  const unreached = tried({ tls: null, stage: "connect", error: "connect ECONNREFUSED 192.0.2.1:25" });
  const attemptWithReply = tried({
    mx: "mx2.a.example",
    ip: "2001:db8::2",
    tls: { protocol: "TLSv1.2", cipher: "ECDHE-RSA-AES128-GCM-SHA256", verified: false },
    stage: "rcpt",
    reply: {
      code: 451,
      enhanced_code: "4.7.1",
      message: "Greylisted\nCome back in five minutes\nhttps://a.example/grey",
    },
    policy: "mta-sts testing",
    note: "MTA-STS would forbid this server if it were enforced: its certificate does not verify (CERT_HAS_EXPIRED)",
  });
  const nextMs = NOW_MS + 4 * MINUTE_MS + 20_000;
  const deferred = attempt({
    type: "deferred",
    reason: "temporarily_refused",
    tries: [unreached, attemptWithReply],
    next_attempt_at_ms: nextMs,
  });
  const parts: Partial<RecipientReport> = {
    result: "pending",
    reason: "temporarily_refused",
    nextAttemptAtMs: nextMs,
    smtp: smtpOf(attemptWithReply),
    events: [accepted, deferred],
  };
  assert.equal(
    historyOf(parts),
    `ann@a.example: pending (temporarily_refused)
  The recipient's server temporarily rejected the delivery.
  Last reply, from mx2.a.example [2001:db8::2]: 451 4.7.1 Greylisted …
  Waiting until 2026-03-01T10:14:20.000Z, in 4 min 20 s, for attempt 2.
  Failed permanently unless delivered by 2026-03-03T10:00:00.000Z, in 1 d 23 h.

  2026-03-01T10:00:00.000Z  accepted
  2026-03-01T10:00:01.000Z  attempt 1: deferred
      The recipient's server temporarily rejected the delivery.
      mx1.a.example [192.0.2.1]
        while connecting: connect ECONNREFUSED 192.0.2.1:25
      mx2.a.example [2001:db8::2], TLSv1.2 (ECDHE-RSA-AES128-GCM-SHA256), certificate not verified, TLS policy mta-sts testing
        at RCPT TO: 451 4.7.1 Greylisted
                              Come back in five minutes
                              https://a.example/grey
        note: MTA-STS would forbid this server if it were enforced: its certificate does not verify (CERT_HAS_EXPIRED)
      Next attempt 2026-03-01T10:14:20.000Z, 14 min later.`,
  );
  assert.match(
    historyOf(parts, nextMs + 5000),
    /^ {2}Due since 2026-03-01T10:14:20\.000Z, 5 s ago: attempt 2 is running or queued\.$/m,
  );
  assert.match(
    historyOf(parts, ACCEPTED_MS + 49 * 60 * MINUTE_MS),
    /^ {2}It expired at 2026-03-03T10:00:00\.000Z: the next attempt is the last\.$/m,
  );
  assert.match(
    historyOf({ ...parts, nextAttemptAtMs: null }),
    /^ {2}Waiting for the server's final reply\. If Postrider was stopped, the result is known after the next start\.$/m,
  );
  assert.match(
    historyOf({ ...parts, nextAttemptAtMs: null, failsAtMs: nextMs }),
    /^ {2}No further attempt fits before 2026-03-01T10:14:20\.000Z, the end of its expires_in: it fails then\.$/m,
  );
  const again = { ...parts, reason: "no_reply_to_final_dot" };
  assert.match(historyOf({ ...again, nextAttemptAtMs: null, failsAtMs: nextMs }), /: it becomes unknown then\.$/m);
  assert.match(historyOf(again), /^ {2}Unknown unless delivered by 2026-03-03T10:00:00\.000Z/m);
});

test("a quarantined message: no attempt is announced, whenever one was due", () => {
  const quarantined = { foundAtMs: NOW_MS, part: "content", error: "the content is missing" } as const;
  const parts: Partial<RecipientReport> = { result: "pending", attempts: 1, events: [accepted] };
  for (const due of [{ nextAttemptAtMs: NOW_MS - 1 }, { nextAttemptAtMs: NOW_MS + 1 }, { failsAtMs: NOW_MS + 1 }]) {
    const history = messageHistory(report([recipient({ ...parts, ...due })], { quarantined }), NOW_MS);
    assert.match(history, /^ {2}Quarantined: .* the content is missing\./m);
    assert.match(history, /^ {2}In quarantine: no attempt is made until the message is released\.$/m);
    assert.doesNotMatch(history, /Due since|Waiting until|attempt 2|No further attempt/);
  }
});

test("failures: in DNS, in plain text, and by time", () => {
  const nowhere = tried({
    mx: "a.example",
    ip: null,
    tls: null,
    stage: "dns",
    error: "the domain does not exist (NXDOMAIN, 5.1.2)",
    policy: null,
  });
  const refused = tried({ tls: null, stage: "rcpt", reply: { code: 550, enhanced_code: null, message: "" } });
  const events: SpoolEvent[] = [
    accepted,
    attempt({ type: "failed", reason: "domain_not_found", tries: [nowhere] }),
    attempt({ type: "failed", reason: "recipient_refused", tries: [refused] }),
    attempt({ type: "expired", reason: "expired", attempt: 9 }),
  ];
  assert.equal(
    historyOf({ result: "failed", reason: "expired", events }),
    `ann@a.example: failed (expired)
  The message expired before it could be delivered.
  "queue retry msg_1 ann@a.example --failed" sends it again.

  2026-03-01T10:00:00.000Z  accepted
  2026-03-01T10:00:01.000Z  attempt 1: failed
      The recipient's domain does not exist.
      a.example
        before connecting: the domain does not exist (NXDOMAIN, 5.1.2)
  2026-03-01T10:00:01.000Z  attempt 1: failed
      The recipient's server permanently rejected the recipient.
      mx1.a.example [192.0.2.1], no TLS
        at RCPT TO: 550
  2026-03-01T10:00:01.000Z  attempt 9: expired
      The message expired before it could be delivered.`,
  );
});

test("a recovered attempt: the stored facts, no guess about TLS, and the possible actions", () => {
  const error = "Postrider stopped before the reply to the final dot arrived";
  const recovered = attempt({
    type: "recovered",
    reason: "interrupted_after_final_dot",
    tries: [tried({ tls: null, policy: null, error })],
  });
  const retried = attempt({ type: "retried", at_ms: ACCEPTED_MS + 2000, next_attempt_at_ms: ACCEPTED_MS + 2000 });
  assert.equal(
    historyOf({ result: "unknown", reason: "interrupted_after_final_dot", events: [accepted, recovered, retried] }),
    `ann@a.example: unknown (interrupted_after_final_dot)
  Postrider stopped while the message was handed over. It may have been delivered.
  Unknown: "queue resolve msg_1 ann@a.example --as delivered|failed" marks it as delivered or not delivered;
  "queue retry msg_1 ann@a.example" sends it again, at the risk of a duplicate.

  2026-03-01T10:00:00.000Z  accepted
  2026-03-01T10:00:01.000Z  attempt 1: recovered at start, result unknown
      Postrider stopped while the message was handed over. It may have been delivered.
      mx1.a.example [192.0.2.1]
        after the final dot: Postrider stopped before the reply to the final dot arrived
  2026-03-01T10:00:02.000Z  sent again`,
  );
});

test("an obstacle with its category, meaning and advice", () => {
  const reply = { code: 550, enhanced_code: "5.7.1", message: "blocked" };
  const why = { reason: "recipient_refused", category: "reputation" } as const;
  const failed: SpoolEvent = {
    at_ms: ACCEPTED_MS,
    type: "failed",
    attempt: 1,
    tries: [tried({ stage: "rcpt", reply })],
    next_attempt_at_ms: null,
    ...why,
  };
  const smtp = { ...reply, mx: "mx1.a.example", ip: null, tls: null };
  const shown = historyOf({ result: "failed", ...why, smtp, events: [accepted, failed] });
  const [head, what, advice, last, next] = shown.split("\n");
  assert.equal(head, "ann@a.example: failed (recipient_refused, reputation)");
  assert.equal(what, `  ${explain(why.reason, why.category)}`);
  assert.equal(advice, `  ${adviceFor("failed", "reputation")}`);
  assert.match(last ?? "", /Last reply, from mx1\.a\.example: 550 5\.7\.1 blocked/);
  assert.equal(next, '  "queue retry msg_1 ann@a.example --failed" sends it again.');
  assert.equal(shown.split(explain(why.reason, why.category)).length, 3, "at the attempt too");
});

test("a suppressed recipient: the period, and the refusals", () => {
  const refusal = { code: 550, enhanced_code: "5.1.1", message: "No such user\nBye", mx: "mx1.a.example", ip: null };
  const event: SpoolEvent = {
    at_ms: ACCEPTED_MS,
    type: "suppressed",
    since_ms: ACCEPTED_MS - MINUTE_MS,
    until_ms: ACCEPTED_MS + 30 * 86_400_000,
    refusals: [{ at_ms: ACCEPTED_MS - MINUTE_MS, ...refusal }],
  };
  assert.equal(
    historyOf({ result: "failed", reason: "suppressed", attempts: 0, events: [accepted, event] }),
    `ann@a.example: failed (suppressed)
  ${explain("suppressed", null)}

  2026-03-01T10:00:00.000Z  accepted
  2026-03-01T10:00:00.000Z  suppressed: no attempt
      The address is suppressed since 2026-03-01T09:59:00.000Z, until 2026-03-31T10:00:00.000Z (rejected as unknown), after these refusals:
      2026-03-01T09:59:00.000Z  mx1.a.example: 550 5.1.1 No such user
                                                         Bye
      "suppressions remove EMAIL" allows the address again; then send again.`,
  );
});

test("a recipient suppressed by a complaint: until it is removed, without refusals", () => {
  const since_ms = ACCEPTED_MS - MINUTE_MS;
  const event: SpoolEvent = {
    at_ms: ACCEPTED_MS,
    type: "suppressed",
    cause: "complaint",
    since_ms,
    until_ms: null,
    refusals: [],
  };
  const shown = historyOf({ result: "failed", reason: "suppressed", attempts: 0, events: [accepted, event] });
  assert.match(
    shown,
    /suppressed since 2026-03-01T09:59:00\.000Z, until it is removed \(complaint\)\.\n +"suppressions/,
  );
});

test("what came back after the delivery", () => {
  const bounce = {
    status: "5.1.1",
    category: "bad_address",
    permanent: true,
    diagnostic: "550 no such\nuser",
  } as const;
  const events: SpoolEvent[] = [
    accepted,
    { at_ms: ACCEPTED_MS + 1000, type: "bounced", ...bounce, rule: "code 5.1.1" },
    { at_ms: ACCEPTED_MS + 1000, type: "bounced", ...bounce, status: null, permanent: false, category: "other" },
    { at_ms: ACCEPTED_MS + 2000, type: "complained", kind: "abuse" },
    { at_ms: ACCEPTED_MS + 3000, type: "unsubscribed" },
    { at_ms: ACCEPTED_MS + 4000, type: "confirmed" },
  ];
  const came = {
    bounce: { atMs: ACCEPTED_MS + 1000, ...bounce },
    complaint: { atMs: ACCEPTED_MS + 2000, kind: "abuse" },
    unsubscribedAtMs: ACCEPTED_MS + 3000,
  };
  assert.equal(
    historyOf({ ...came, events }),
    `ann@a.example: delivered
  Bounced 2026-03-01T10:00:01.000Z: 5.1.1 550 no such user (permanent, bad_address)
  Marked as spam 2026-03-01T10:00:02.000Z (abuse)
  Unsubscribed 2026-03-01T10:00:03.000Z

  2026-03-01T10:00:00.000Z  accepted
  2026-03-01T10:00:01.000Z  bounced: 5.1.1 550 no such user (permanent, bad_address)
      The recipient's server reported that the address does not exist or accepts no mail.
      Rule: code 5.1.1
  2026-03-01T10:00:01.000Z  bounced: 550 no such user (temporary, other)
  2026-03-01T10:00:02.000Z  marked as spam (abuse)
  2026-03-01T10:00:03.000Z  unsubscribed
  2026-03-01T10:00:04.000Z  reported as delivered`,
  );
});

/** A report in which every text is `text`, except two lines of a reply. */
function reportOf(text: string): MessageReport {
  const reply = { code: 550, enhanced_code: null, message: "one\u001b[2J\ntwo" };
  const attemptWithReply = tried({ mx: text, ip: text, reply, note: text, policy: text });
  const bounce = { status: text, category: "other", permanent: true, diagnostic: text } as const;
  const failed = tried({ tls: { protocol: text, cipher: text, verified: false }, error: text });
  const events: SpoolEvent[] = [
    attempt({ reason: text, tries: [attemptWithReply, failed] }),
    { at_ms: 0, type: "suppressed", since_ms: 0, until_ms: 0, refusals: [{ at_ms: 0, ...reply, mx: text, ip: text }] },
    { at_ms: 0, type: "bounced", ...bounce, rule: text },
    { at_ms: 0, type: "complained", kind: text },
  ];
  const came = { bounce: { atMs: 0, ...bounce }, complaint: { atMs: 0, kind: text } };
  const known = { result: "unknown", reason: text, smtp: smtpOf(attemptWithReply) } as const;
  const reported = recipient({ email: text, ...known, ...came, events });
  return report([reported], { id: text, from: text, subject: text, messageId: text });
}

test("text from outside cannot control the terminal or add lines", () => {
  const history = messageHistory(reportOf("x\u001b[2J\u009b1m\u202e\r\n\u0007\u007f\u2028y"), NOW_MS).split("\n");
  for (const line of history) assert.doesNotMatch(line, /[\p{Cc}\u2028\u202e]/u);
  assert.equal(history.length, messageHistory(reportOf("x"), NOW_MS).split("\n").length);
});

test("durations have their two largest units", () => {
  const spans: [number, string][] = [
    [-5, "0 s"],
    [999, "0 s"],
    [59_999, "59 s"],
    [4 * MINUTE_MS, "4 min"],
    [4 * MINUTE_MS + 20_000, "4 min 20 s"],
    [14 * MINUTE_MS + 20_000, "14 min"],
    [200 * MINUTE_MS, "3 h 20 min"],
    [180 * MINUTE_MS + 59_000, "3 h"],
    [51 * 60 * MINUTE_MS, "2 d 3 h"],
  ];
  for (const [ms, text] of spans) assert.equal(durationText(ms), text);
});

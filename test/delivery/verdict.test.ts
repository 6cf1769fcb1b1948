/** The failure policy as a table: what each result means for a recipient. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecipientResult } from "../../src/delivery/smtp/recipient-results.ts";
import {
  addressRefused,
  internalError,
  interruptedAfterDot,
  interruptedBeforeDot,
  notOffered,
  type Verdict,
  verdictOnNeed,
  verdictOnPolicy,
  verdictOnResult,
  verdictOnRoute,
  verdictOnSession,
} from "../../src/delivery/verdict.ts";

const STAGES = ["mail", "rcpt", "data", "content", "final_dot"] as const;
const LOSSES = ["lost", "timeout", "protocol_error"] as const;

const verdictOn = (stage: (typeof STAGES)[number], code: number) => {
  const reply = { code, enhanced_code: null, message: "" };
  return verdictOnResult(
    { type: "reply", stage, reply },
    { dotSent: stage === "final_dot", isEncrypted: true, fallback: "none" },
  );
};

test("a 5xx fails the recipient at any stage, with a reason for each stage", () => {
  const reasons = STAGES.map((stage) => [
    verdictOn(stage, 550).type,
    verdictOn(stage, 550).reason,
    verdictOn(stage, 550).final,
  ]);
  assert.deepEqual(reasons, [
    ["failed", "sender_refused", true],
    ["failed", "recipient_refused", true],
    ["failed", "message_refused", true],
    ["failed", "message_refused", true],
    ["failed", "message_refused", true],
  ]);
});

test("a 4xx defers: to the next host before the dot, to the next attempt after it", () => {
  for (const code of [421, 450, 451, 452, 499]) {
    for (const stage of STAGES) {
      const { type, reason, final } = verdictOn(stage, code);
      const expected = ["deferred", "temporarily_refused", stage === "final_dot"];
      assert.deepEqual([type, reason, final], expected, `${code} at ${stage}`);
    }
  }
});

test("only a 2xx to the final dot is a delivery", () => {
  assert.deepEqual(verdictOn("final_dot", 250), { type: "delivered", reason: null, final: true });
  for (const stage of ["mail", "rcpt", "data", "content"] as const)
    assert.equal(verdictOn(stage, 250).type, "deferred");
  assert.equal(verdictOn("final_dot", 354).type, "unknown");
});

test("silence, loss and protocol errors: unknown once the dot has left, a deferral before", () => {
  for (const type of LOSSES) {
    const after = verdictOnResult(
      { type, stage: "final_dot", error: "" },
      { dotSent: true, isEncrypted: true, fallback: "none" },
    );
    assert.deepEqual([after.type, after.final], ["unknown", true], type);
    for (const stage of STAGES) {
      const before = verdictOnResult(
        { type, stage, error: "" },
        { dotSent: false, isEncrypted: true, fallback: "none" },
      );
      assert.deepEqual([before.type, before.final], ["deferred", false], `${type} at ${stage}`);
    }
  }
});

test("a recipient that was not offered is deferred", () => {
  const reply = { code: 452, enhanced_code: null, message: "" };
  const results: RecipientResult[] = [
    { type: "over_limit", reply },
    { type: "not_sent", reply },
    { type: "interrupted", cause: "421 bye" },
    { type: "held_back", error: "the disk is full" },
  ];
  for (const recipientResult of results)
    assert.equal(
      verdictOnResult(recipientResult, { dotSent: false, isEncrypted: true, fallback: "none" }).type,
      "deferred",
      recipientResult.type,
    );
});

test("an internal error ends the attempt only when the spool held back the dot", () => {
  assert.deepEqual(
    verdictOnResult({ type: "held_back", error: "" }, { dotSent: false, isEncrypted: true, fallback: "none" }),
    {
      ...internalError,
      final: true,
    },
  );
});

test("a session that did not open, and a forbidden address, say nothing about the recipient", () => {
  for (const failure of ["refused", "unreachable", "tls_failed", "no_address"] as const) {
    const { type, final } = verdictOnSession(failure);
    assert.deepEqual([type, final], ["deferred", false], failure);
  }
  assert.deepEqual(addressRefused, {
    type: "deferred",
    reason: "address_refused",
    category: "network",
    final: false,
  });
});

test("DNS: only definite answers fail a recipient", () => {
  const type = (route: Parameters<typeof verdictOnRoute>[0]) => verdictOnRoute(route).verdict.type;
  assert.equal(type({ type: "no_such_domain" }), "failed");
  assert.equal(type({ type: "null_mx" }), "failed");
  assert.equal(type({ type: "no_mail_host" }), "deferred");
  assert.equal(type({ type: "dns_trouble", code: "ESERVFAIL" }), "deferred");
});

test("a message that the peer cannot accept fails, each need with its own reason", () => {
  for (const need of ["needs_8bitmime", "needs_smtputf8"] as const) {
    const expected = { type: "failed", reason: need, category: "other", final: true };
    assert.deepEqual(verdictOnNeed(need, "none").verdict, expected);
  }
  const expected = { type: "failed", reason: "message_too_large", category: "too_large", final: true };
  assert.deepEqual(verdictOnNeed("too_large", "none").verdict, expected);
});

test("a host that requires TLS is retried when plain text was our fallback", () => {
  const reply = { code: 530, enhanced_code: "5.7.0", message: "Must issue a STARTTLS command first" };
  const recipientResult = { type: "reply", stage: "mail", reply } as const;
  const plain = verdictOnResult(recipientResult, { dotSent: false, isEncrypted: false, fallback: "none" });
  assert.deepEqual(plain, { type: "deferred", reason: "tls_required", category: "network", final: false });
  assert.equal(
    verdictOnResult(recipientResult, { dotSent: false, isEncrypted: true, fallback: "none" }).type,
    "failed",
  );
});

test("a refusal on a fallback session defers, whatever the code and the stage", () => {
  for (const fallback of ["plaintext", "helo"] as const) {
    for (const stage of STAGES) {
      for (const [code, enhanced_code] of [
        [550, "5.1.1"],
        [554, "5.7.10"],
        [501, null],
        [521, null],
      ] as const) {
        const recipientResult = { type: "reply", stage, reply: { code, enhanced_code, message: "" } } as const;
        const verdict = verdictOnResult(recipientResult, {
          dotSent: stage === "final_dot",
          isEncrypted: false,
          fallback,
        });
        const { type, reason, final } = verdict;
        const expected = ["deferred", "refused_on_fallback", stage === "final_dot"];
        assert.deepEqual([type, reason, final], expected, `${fallback} ${stage} ${code}`);
      }
    }
    for (const need of ["too_large", "needs_8bitmime", "needs_smtputf8"] as const) {
      const { verdict } = verdictOnNeed(need, fallback);
      assert.deepEqual([verdict.type, verdict.final], ["deferred", false], need);
      assert.equal(verdict.reason, verdictOnNeed(need, "none").verdict.reason);
    }
  }
});

test("a fallback changes nothing but refusals", () => {
  const conditions = { dotSent: true, isEncrypted: false, fallback: "plaintext" } as const;
  const reply = (code: number) => ({ code, enhanced_code: null, message: "" });
  const type = (code: number) =>
    verdictOnResult({ type: "reply", stage: "final_dot", reply: reply(code) }, conditions).type;
  assert.deepEqual([type(250), type(354), type(451)], ["delivered", "unknown", "deferred"]);
  assert.equal(verdictOnResult({ type: "lost", stage: "final_dot", error: "" }, conditions).type, "unknown");
});

test("a reply's category is the cause that it names, whether it fails or defers the recipient", () => {
  const replied = (stage: (typeof STAGES)[number], code: number, enhanced_code: string | null, message: string) => {
    const reply = { code, enhanced_code, message };
    const verdict = verdictOnResult(
      { type: "reply", stage, reply },
      { dotSent: true, isEncrypted: true, fallback: "none" },
    );
    return verdict.type === "delivered" ? null : [verdict.type, verdict.category];
  };
  assert.deepEqual(replied("rcpt", 550, "5.1.1", "User unknown"), ["failed", "bad_address"]);
  assert.deepEqual(replied("rcpt", 550, "5.7.1", "blocked using zen.spamhaus.org"), ["deferred", "reputation"]);
  assert.deepEqual(replied("mail", 451, "4.7.500", "Server busy"), ["deferred", "rate_limited"]);
  assert.deepEqual(replied("final_dot", 452, "4.2.2", "Mailbox full"), ["deferred", "mailbox_full"]);
  assert.equal(replied("final_dot", 250, "2.0.0", "OK"), null);
  const reply = { code: 550, enhanced_code: "5.7.1", message: "blocked using zen.spamhaus.org" };
  const onFallback = { dotSent: false, isEncrypted: false, fallback: "plaintext" } as const;
  const verdict = verdictOnResult({ type: "reply", stage: "rcpt", reply }, onFallback);
  assert.equal(verdict.type === "deferred" ? verdict.category : null, "reputation");
});

test("the category of a refused session comes from its reply", () => {
  const verdictOn = (code: number, message: string) => {
    const reply = { code, enhanced_code: null, message };
    const { category, ...rest } = { category: null, ...verdictOnSession("refused", { reply, stage: "greeting" }) };
    assert.deepEqual([rest.type, rest.final], ["deferred", false]);
    return [rest.reason, category];
  };
  assert.deepEqual(verdictOn(554, "IP address is block listed"), ["sending_address_blocked", "reputation"]);
  assert.deepEqual(verdictOn(554, "Bad DNS PTR resource record"), ["sending_address_blocked", "authentication"]);
  assert.deepEqual(verdictOn(421, "Too many connections"), ["host_refused", "rate_limited"]);
  assert.deepEqual(verdictOn(421, "Service not available"), ["host_refused", "network"]);
});

test("a reason without a reply has its own category", () => {
  const conditions = { dotSent: true, isEncrypted: true, fallback: "none" } as const;
  const categoryOf = (verdict: Verdict) => (verdict.type === "delivered" ? null : verdict.category);
  const reply = { code: 452, enhanced_code: null, message: "" };
  const categories = {
    bad_address: [verdictOnRoute({ type: "no_such_domain" }).verdict, verdictOnRoute({ type: "null_mx" }).verdict],
    network: [
      verdictOnRoute({ type: "dns_trouble", code: "ESERVFAIL" }).verdict,
      verdictOnRoute({ type: "no_mail_host" }).verdict,
      verdictOnPolicy("mta_sts_mx_mismatch"),
      ...(["unreachable", "tls_failed", "no_address"] as const).map((failure) => verdictOnSession(failure)),
      ...LOSSES.map((type) => verdictOnResult({ type, stage: "rcpt", error: "" }, conditions)),
      ...LOSSES.map((type) => verdictOnResult({ type, stage: "final_dot", error: "" }, conditions)),
    ],
    // A limit of one transaction (RFC 5321 §4.5.3.1.8), not of a rate.
    other: [
      notOffered,
      verdictOnResult({ type: "over_limit", reply }, conditions),
      internalError,
      interruptedBeforeDot,
      interruptedAfterDot,
      verdictOnResult({ type: "held_back", error: "" }, conditions),
    ],
  };
  for (const [category, verdicts] of Object.entries(categories)) {
    for (const verdict of verdicts) assert.equal(categoryOf(verdict), category, String(verdict.reason));
  }
});

/** "CODE ENHANCED TEXT" of refusals that are about this server or the sending domain, with their reason and category. */
const ABOUT_US: [string, string | null, string, string][] = [
  ["550 5.7.25 no PTR record", "5.7.25", "sending_address_blocked", "authentication"],
  ["450 4.7.25 no PTR record", "4.7.25", "sending_address_blocked", "authentication"],
  ["554 cannot find your reverse hostname", null, "sending_address_blocked", "authentication"],
  ["550 <mta.s.example>: Helo command rejected: Host not found", null, "sending_address_blocked", "authentication"],
  ["550 client host [192.0.2.1] blocked using zen.spamhaus.org", null, "sending_address_blocked", "reputation"],
  ["550 RP:ORQ too many requests", null, "sending_address_blocked", "rate_limited"],
  ["550 5.7.26 unauthenticated", "5.7.26", "sending_domain_refused", "authentication"],
  ["421 4.7.26 unauthenticated", "4.7.26", "sending_domain_refused", "authentication"],
  ["550 rejected by the DMARC policy of s.example", null, "sending_domain_refused", "authentication"],
];

test("a refusal about our address, our name or a sending domain defers at every stage, whatever its class", () => {
  for (const [text, enhanced_code, reason, category] of ABOUT_US) {
    const reply = { code: Number(text.slice(0, 3)), enhanced_code, message: text.slice(4) };
    for (const fallback of ["none", "plaintext", "helo"] as const) {
      for (const stage of STAGES) {
        const conditions = { dotSent: stage === "final_dot", isEncrypted: true, fallback };
        const verdict = verdictOnResult({ type: "reply", stage, reply }, conditions);
        const final = reply.code >= 500 || stage === "final_dot";
        assert.deepEqual(verdict, { type: "deferred", reason, category, final }, `${stage}, ${fallback}: ${text}`);
      }
    }
  }
});

test("a rate is ours, whatever it is measured by; one of a mailbox is the recipient's", () => {
  const typeOf = (code: number, enhanced_code: string | null, message: string) =>
    verdictOnResult(
      { type: "reply", stage: "rcpt", reply: { code, enhanced_code, message } },
      { dotSent: false, isEncrypted: true, fallback: "none" },
    ).type;
  assert.equal(typeOf(550, null, "too many messages"), "deferred");
  assert.equal(typeOf(550, "5.7.28", "unusual rate of mail containing one of your URL domains"), "deferred");
  assert.equal(typeOf(550, "5.2.1", "the user is receiving mail too quickly"), "failed");
  assert.equal(typeOf(550, null, "too many recipients"), "failed");
});

test("a refusal of the recipient, of the content or by a rule about them fails", () => {
  for (const [stage, message] of [
    ["rcpt", "Relaying denied"],
    ["rcpt", "You are not allowed to send to this list"],
    ["rcpt", "Delivery restriction check failed because the sender was not authenticated"],
    ["final_dot", "Message identified as spam"],
    ["final_dot", "the domain of a link is listed at SURBL"],
  ] as const) {
    const reply = { code: 550, enhanced_code: "5.7.1", message };
    const conditions = { dotSent: stage === "final_dot", isEncrypted: true, fallback: "none" } as const;
    assert.equal(verdictOnResult({ type: "reply", stage, reply }, conditions).type, "failed", message);
  }
});

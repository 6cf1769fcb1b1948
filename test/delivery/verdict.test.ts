/** The failure policy as a table: what each fact means for a recipient. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecipientFact } from "../../src/delivery/smtp/ledger.ts";
import {
  addressRefused,
  ownFault,
  verdictOnFact,
  verdictOnNeed,
  verdictOnRoute,
  verdictOnSession,
} from "../../src/delivery/verdict.ts";

const STAGES = ["mail", "rcpt", "data", "content", "final_dot"] as const;
const LOSSES = ["lost", "timeout", "protocol_error"] as const;

const said = (stage: (typeof STAGES)[number], code: number) => {
  const reply = { code, enhanced_code: null, message: "" };
  return verdictOnFact(
    { type: "reply", stage, reply },
    { dotSent: stage === "final_dot", isEncrypted: true, fallback: "none" },
  );
};

test("a 5xx fails the recipient at whatever stage, with a reason that says which", () => {
  const reasons = STAGES.map((stage) => [said(stage, 550).type, said(stage, 550).reason, said(stage, 550).final]);
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
      const expected = { type: "deferred", reason: "temporarily_refused", final: stage === "final_dot" };
      assert.deepEqual(said(stage, code), expected, `${code} at ${stage}`);
    }
  }
});

test("only a 2xx to the final dot is a delivery", () => {
  assert.deepEqual(said("final_dot", 250), { type: "delivered", reason: null, final: true });
  for (const stage of ["mail", "rcpt", "data", "content"] as const) assert.equal(said(stage, 250).type, "deferred");
  assert.equal(said("final_dot", 354).type, "unknown");
});

test("silence, loss and nonsense: unknown once the dot has left, a deferral before", () => {
  for (const type of LOSSES) {
    const after = verdictOnFact(
      { type, stage: "final_dot", error: "" },
      { dotSent: true, isEncrypted: true, fallback: "none" },
    );
    assert.deepEqual([after.type, after.final], ["unknown", true], type);
    for (const stage of STAGES) {
      const before = verdictOnFact({ type, stage, error: "" }, { dotSent: false, isEncrypted: true, fallback: "none" });
      assert.deepEqual([before.type, before.final], ["deferred", false], `${type} at ${stage}`);
    }
  }
});

test("what was not asked or not sent is a deferral", () => {
  const reply = { code: 452, enhanced_code: null, message: "" };
  const facts: RecipientFact[] = [
    { type: "over_limit", reply },
    { type: "not_sent", reply },
    { type: "interrupted", cause: "421 bye" },
    { type: "held_back", error: "the disk is full" },
  ];
  for (const fact of facts)
    assert.equal(
      verdictOnFact(fact, { dotSent: false, isEncrypted: true, fallback: "none" }).type,
      "deferred",
      fact.type,
    );
});

test("our own fault ends the attempt's way from host to host only where the spool held back the dot", () => {
  assert.deepEqual(
    verdictOnFact({ type: "held_back", error: "" }, { dotSent: false, isEncrypted: true, fallback: "none" }),
    {
      ...ownFault,
      final: true,
    },
  );
});

test("a session that did not open, and a refused address, say nothing of the recipient", () => {
  for (const failure of ["refused", "unreachable", "tls_failed", "no_address"] as const) {
    const { type, final } = verdictOnSession(failure);
    assert.deepEqual([type, final], ["deferred", false], failure);
  }
  assert.deepEqual(addressRefused, { type: "deferred", reason: "address_refused", final: false });
});

test("DNS: only definite words fail", () => {
  const type = (route: Parameters<typeof verdictOnRoute>[0]) => verdictOnRoute(route).verdict.type;
  assert.equal(type({ type: "no_such_domain" }), "failed");
  assert.equal(type({ type: "null_mx" }), "failed");
  assert.equal(type({ type: "no_mail_host" }), "deferred");
  assert.equal(type({ type: "dns_trouble", code: "ESERVFAIL" }), "deferred");
});

test("what the peer cannot take fails, each with its own reason", () => {
  for (const need of ["needs_8bitmime", "needs_smtputf8"] as const) {
    assert.deepEqual(verdictOnNeed(need, "none").verdict, { type: "failed", reason: need, final: true });
  }
  assert.deepEqual(verdictOnNeed("too_large", "none").verdict, {
    type: "failed",
    reason: "message_too_large",
    final: true,
  });
});

test("a host that insists on TLS is tried again, when plain text was our fallback", () => {
  const reply = { code: 530, enhanced_code: "5.7.0", message: "Must issue a STARTTLS command first" };
  const fact = { type: "reply", stage: "mail", reply } as const;
  const plain = verdictOnFact(fact, { dotSent: false, isEncrypted: false, fallback: "none" });
  assert.deepEqual(plain, { type: "deferred", reason: "tls_required", final: false });
  assert.equal(verdictOnFact(fact, { dotSent: false, isEncrypted: true, fallback: "none" }).type, "failed");
});

test("what is refused on a fallback of ours defers, whatever the code and the stage", () => {
  for (const fallback of ["plaintext", "helo"] as const) {
    for (const stage of STAGES) {
      for (const [code, enhanced_code] of [
        [550, "5.1.1"],
        [554, "5.7.10"],
        [501, null],
        [521, null],
      ] as const) {
        const fact = { type: "reply", stage, reply: { code, enhanced_code, message: "" } } as const;
        const verdict = verdictOnFact(fact, { dotSent: stage === "final_dot", isEncrypted: false, fallback });
        const expected = { type: "deferred", reason: "refused_on_fallback", final: stage === "final_dot" };
        assert.deepEqual(verdict, expected, `${fallback} ${stage} ${code}`);
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
    verdictOnFact({ type: "reply", stage: "final_dot", reply: reply(code) }, conditions).type;
  assert.deepEqual([type(250), type(354), type(451)], ["delivered", "unknown", "deferred"]);
  assert.equal(verdictOnFact({ type: "lost", stage: "final_dot", error: "" }, conditions).type, "unknown");
});

/** What a session counts as in TLS reports, by its policy and how it ended. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OpenResult, Session } from "../../../src/delivery/smtp/session.ts";
import type { Peer } from "../../../src/delivery/smtp/tls.ts";
import { tlsOutcome, unusableOutcome } from "../../../src/delivery/tls/tls-outcome.ts";
import type { HostPolicy, PolicyName } from "../../../src/delivery/tls/tls-policy.ts";

const PEER = { protocol: "TLSv1.3" } as Peer;

const open = (peer: Peer | null, startTls = true): OpenResult => ({
  type: "open",
  session: { peer, capabilities: { startTls } } as Session,
});
const failed = (error: string): OpenResult => ({ type: "tls_failed", stage: "starttls", error, tls: null, notes: [] });
const opportunistic = (name: PolicyName = "none", note: string | null = null) =>
  ({ type: "opportunistic", name, testingNote: () => note }) satisfies HostPolicy;
const required = (name: PolicyName) =>
  ({ type: "required", name, authenticate: "webpki", serverName: "mx.a.example", check: null }) satisfies HostPolicy;

describe("a session without a policy", () => {
  const resultOf = (opened: OpenResult) => tlsOutcome(opened, opportunistic());

  it("succeeds with any TLS, and fails in plain text", () => {
    assert.deepEqual(resultOf(open(PEER)), { policyType: "no-policy-found", resultType: "" });
    assert.equal(resultOf(open(null, false))?.resultType, "starttls-not-supported");
    assert.equal(resultOf(open(null))?.resultType, "validation-failure");
  });

  it("does not count if it ended before TLS", () => {
    const context = { tls: null, notes: [] };
    assert.equal(resultOf({ type: "unreachable", stage: "connect", error: "refused", ...context }), null);
    const reply = { code: 421, enhanced_code: null, message: "busy" };
    assert.equal(resultOf({ type: "refused", stage: "ehlo", reply, ...context }), null);
    const tls = { protocol: "TLSv1.3", cipher: "AES", verified: false };
    assert.equal(resultOf({ type: "refused", stage: "ehlo", reply, ...context, tls })?.resultType, "");
  });
});

describe("a session under MTA-STS or DANE", () => {
  it("succeeds if it is open, and fails by the reason", () => {
    assert.deepEqual(tlsOutcome(open(PEER), required("mta-sts enforce")), { policyType: "sts", resultType: "" });
    const results = [
      "STARTTLS is not offered",
      "its certificate does not verify (CERT_HAS_EXPIRED)",
      "its certificate does not verify (ERR_TLS_CERT_ALTNAME_INVALID)",
      "its certificate does not verify (DEPTH_ZERO_SELF_SIGNED_CERT)",
      "no TLS handshake within 1000 ms",
    ].map((error) => tlsOutcome(failed(error), required("mta-sts enforce"))?.resultType);
    assert.deepEqual(results, [
      "starttls-not-supported",
      "certificate-expired",
      "certificate-host-mismatch",
      "certificate-not-trusted",
      "validation-failure",
    ]);
    const mismatch = tlsOutcome(failed("no TLSA record matches its certificate"), required("dane"));
    assert.deepEqual(mismatch, { policyType: "tlsa", resultType: "validation-failure" });
  });

  it("in testing mode fails where enforcement would", () => {
    const note =
      "MTA-STS would forbid this server if it were enforced: its certificate does not verify (CERT_HAS_EXPIRED)";
    const testing = opportunistic("mta-sts testing", note);
    assert.deepEqual(tlsOutcome(open(PEER), testing), { policyType: "sts", resultType: "certificate-expired" });
    assert.equal(tlsOutcome(open(null, false), testing)?.resultType, "starttls-not-supported");
    assert.equal(tlsOutcome(open(PEER), opportunistic("mta-sts testing"))?.resultType, "");
  });

  it("fails where the host must not be used", () => {
    const of = (name: PolicyName, cause: "mta_sts_mx_mismatch" | "dns_trouble") =>
      unusableOutcome({ type: "unusable", name, cause, error: "" });
    assert.deepEqual(of("mta-sts enforce", "mta_sts_mx_mismatch"), {
      policyType: "sts",
      resultType: "validation-failure",
    });
    assert.deepEqual(of("dane", "dns_trouble"), { policyType: "tlsa", resultType: "dnssec-invalid" });
  });
});

/** TLS reports as senders write them, and as attackers do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FAILURES_MAX, JSON_LENGTH_MAX, readTlsReport } from "../../../src/message/reports/tls-report.ts";
import type { UnreadReason } from "../../../src/message/reports/unreadable-report.ts";
import { tlsJson } from "./samples.ts";

const read = readTlsReport;
const rejects = (json: string, reason: UnreadReason): void =>
  assert.throws(() => readTlsReport(json), { name: "UnreadableReport", reason });

const policy = (changes: object) => ({ policy: { "policy-type": "sts", "policy-domain": "shop.example" }, ...changes });

describe("a TLS report", () => {
  it("has its identity, its sums, and the failures by cause", () => {
    assert.deepEqual(read(tlsJson()), {
      org: "Mail Example",
      reportId: "2026-03-02T00:00:00Z_shop.example",
      domain: "shop.example",
      beginMs: Date.UTC(2026, 2, 2),
      endMs: Date.UTC(2026, 2, 2, 23, 59, 59),
      succeeded: 5326,
      failed: 303,
      failures: [
        { policyType: "sts", resultType: "starttls-not-supported", mx: "mx2.shop.example", sessions: 200 },
        { policyType: "sts", resultType: "certificate-expired", mx: "mx1.shop.example", sessions: 103 },
      ],
    });
  });

  it("adds up the policies of a domain", () => {
    const summary = { "total-successful-session-count": 1, "total-failure-session-count": 2 };
    const report = read(tlsJson({ policies: [policy({ summary }), policy({ summary })] }));
    assert.deepEqual([report.succeeded, report.failed, report.failures], [2, 4, []]);
  });

  it("is ignored without identity, about several domains, or if it is no report", () => {
    for (const name of ["report-id", "date-range", "policies"]) rejects(tlsJson({ [name]: undefined }), "incomplete");
    rejects(tlsJson({ "organization-name": undefined, "contact-info": "none" }), "incomplete");
    const others = [policy({}), { policy: { "policy-domain": "other.example" } }];
    rejects(tlsJson({ policies: others }), "several_domains");
    for (const other of ["null", "[]", '"text"']) rejects(other, "incomplete");
    for (const other of ["", "{"]) rejects(other, "not_well_formed");
    rejects(tlsJson({ padding: "x".repeat(JSON_LENGTH_MAX) }), "too_large");
  });

  it("has the domain of its contact where it names no organisation", () => {
    assert.equal(read(tlsJson({ "organization-name": "" })).org, "mail.example");
  });

  it("is ignored before it is parsed, if it has more levels or values than a report", () => {
    rejects("[".repeat(1_000_000), "too_complex");
    rejects('{"a":'.repeat(500_000), "too_complex");
    rejects(`{"a":[${"[],".repeat(1_000_000)}0]}`, "too_complex");
    rejects(`{${Array.from({ length: 200_000 }, (_, i) => `"${i}":0`).join()}}`, "too_complex");
    assert.equal(read(tlsJson({ note: `\\"${"[{,:".repeat(100_000)}` })).succeeded, 5326);
  });

  it("takes no value of another type", () => {
    const details = [
      { "result-type": { toString: 1 }, "receiving-mx-hostname": ["mx"], "failed-session-count": 5 },
      { "result-type": "<script>", "receiving-mx-hostname": "mx1.shop.example\u0000", "failed-session-count": -5 },
      { "result-type": "validation-failure", "failed-session-count": "many" },
      null,
    ];
    const summary = { "total-successful-session-count": {}, "total-failure-session-count": 1.5 };
    assert.deepEqual(read(tlsJson({ policies: [policy({ summary, "failure-details": details })] })), {
      ...read(tlsJson()),
      succeeded: 0,
      failed: 0,
      failures: [{ policyType: "sts", resultType: "unknown", mx: "", sessions: 5 }],
    });
  });

  it("has a bounded number of failures", () => {
    const details = Array.from({ length: 900 }, (_, i) => ({
      "result-type": "validation-failure",
      "receiving-mx-hostname": `mx${i}.shop.example`,
      "failed-session-count": i + 1,
    }));
    const { failures } = read(tlsJson({ policies: [policy({ "failure-details": details })] }));
    assert.deepEqual([failures.length, failures[0]?.sessions], [FAILURES_MAX, 900]);
  });
});

/** TLS reports as senders write them, and as attackers do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FAILURES_MAX, JSON_BYTES_MAX, readTlsReport } from "../../../src/message/reports/tls-report.ts";
import { tlsJson } from "./samples.ts";

const read = (json: string) => readTlsReport(Buffer.from(json));

const policy = (changes: object) => ({ policy: { "policy-type": "sts", "policy-domain": "shop.example" }, ...changes });

describe("a TLS report", () => {
  it("has its identity, its sums, and the failures by cause", () => {
    assert.deepEqual(read(tlsJson()), {
      ...{ org: "Mail Example", reportId: "2026-03-02T00:00:00Z_shop.example", domain: "shop.example" },
      ...{ beginMs: Date.UTC(2026, 2, 2), endMs: Date.UTC(2026, 2, 2, 23, 59, 59), succeeded: 5326, failed: 303 },
      failures: [
        { policyType: "sts", resultType: "starttls-not-supported", mx: "mx2.shop.example", sessions: 200 },
        { policyType: "sts", resultType: "certificate-expired", mx: "mx1.shop.example", sessions: 103 },
      ],
    });
  });

  it("adds up the policies of a domain", () => {
    const summary = { "total-successful-session-count": 1, "total-failure-session-count": 2 };
    const report = read(tlsJson({ policies: [policy({ summary }), policy({ summary })] }));
    assert.deepEqual([report?.succeeded, report?.failed, report?.failures], [2, 4, []]);
  });

  it("is ignored without identity, about several domains, or if it is no report", () => {
    for (const name of ["organization-name", "report-id", "date-range", "policies"]) {
      assert.equal(read(tlsJson({ [name]: undefined })), null, name);
    }
    const others = [policy({}), { policy: { "policy-domain": "other.example" } }];
    assert.equal(read(tlsJson({ policies: others })), null);
    for (const other of ["", "null", "[]", "{", '"text"', "[".repeat(1_000_000)]) assert.equal(read(other), null);
    assert.equal(read(tlsJson({ padding: "x".repeat(JSON_BYTES_MAX) })), null);
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
      ...{ succeeded: 0, failed: 0, failures: [{ policyType: "sts", resultType: "unknown", mx: "", sessions: 5 }] },
    });
  });

  it("has a bounded number of failures", () => {
    const details = Array.from({ length: 900 }, (_, i) => ({
      ...{ "result-type": "validation-failure", "receiving-mx-hostname": `mx${i}.shop.example` },
      "failed-session-count": i + 1,
    }));
    const { failures = [] } = read(tlsJson({ policies: [policy({ "failure-details": details })] })) ?? {};
    assert.deepEqual([failures.length, failures[0]?.sessions], [FAILURES_MAX, 900]);
  });
});

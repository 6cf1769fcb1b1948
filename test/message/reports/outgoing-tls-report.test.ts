/** The TLS reports that Postrider sends: what is in them, and where they are sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type OutgoingTlsReport,
  type ReportedSessions,
  reportTargets,
  tlsReportFilename,
  tlsReportJson,
  tlsReportSubject,
} from "../../../src/message/reports/outgoing-tls-report.ts";
import { readTlsReport } from "../../../src/message/reports/tls-report.ts";

const succeeded: ReportedSessions = {
  policyType: "sts",
  resultType: "",
  mx: "",
  receivingIp: "",
  sendingIp: "",
  sessions: 40,
};
const failed: ReportedSessions = {
  policyType: "sts",
  resultType: "certificate-expired",
  mx: "mx.customers.example",
  receivingIp: "192.0.2.9",
  sendingIp: "192.0.2.1",
  sessions: 2,
};

const report = (parts: Partial<OutgoingTlsReport> = {}): OutgoingTlsReport => ({
  domain: "customers.example",
  submitter: "shop.example",
  contact: "tls@shop.example",
  reportId: "2026-03-02_customers.example@shop.example",
  beginMs: Date.UTC(2026, 2, 2),
  endMs: Date.UTC(2026, 2, 3),
  sessions: [succeeded, failed],
  sts: { mode: "enforce", mx: ["*.customers.example"], maxAgeS: 86_400 },
  ...parts,
});

describe("a TLS report to send", () => {
  it("has the form of RFC 8460", () => {
    assert.deepEqual(JSON.parse(tlsReportJson(report())), {
      "organization-name": "shop.example",
      "date-range": { "start-datetime": "2026-03-02T00:00:00Z", "end-datetime": "2026-03-02T23:59:59Z" },
      "contact-info": "tls@shop.example",
      "report-id": "2026-03-02_customers.example@shop.example",
      policies: [
        {
          policy: {
            "policy-type": "sts",
            "policy-string": ["version: STSv1", "mode: enforce", "mx: *.customers.example", "max_age: 86400"],
            "mx-host": ["*.customers.example"],
            "policy-domain": "customers.example",
          },
          summary: { "total-successful-session-count": 40, "total-failure-session-count": 2 },
          "failure-details": [
            {
              "result-type": "certificate-expired",
              "sending-mta-ip": "192.0.2.1",
              "receiving-mx-hostname": "mx.customers.example",
              "receiving-ip": "192.0.2.9",
              "failed-session-count": 2,
            },
          ],
        },
      ],
    });
  });

  it("is what Postrider itself reads, also with several policies", () => {
    const other = { ...failed, policyType: "tlsa", resultType: "validation-failure", mx: "", receivingIp: "" };
    const json = tlsReportJson(report({ sessions: [succeeded, failed, other], sts: null }));
    const read = readTlsReport(json);
    assert.deepEqual([read.succeeded, read.failed, read.domain], [40, 4, "customers.example"]);
    assert.deepEqual(
      read.failures.map(({ policyType, resultType }) => [policyType, resultType]),
      [
        ["sts", "certificate-expired"],
        ["tlsa", "validation-failure"],
      ],
    );
  });

  it("has the file name and the subject that receivers sort by", () => {
    assert.equal(tlsReportFilename(report()), "shop.example!customers.example!1772409600!1772495999.json.gz");
    assert.equal(
      tlsReportSubject(report()),
      "Report Domain: customers.example Submitter: shop.example Report-ID: <2026-03-02_customers.example@shop.example>",
    );
  });
});

describe("the record of a domain that wants reports", () => {
  it("names addresses and URLs", () => {
    assert.deepEqual(
      reportTargets(["other", "v=TLSRPTv1; rua=mailto:tls@customers.example , https://r.example/v1?a=b"]),
      [
        { type: "mailto", address: "tls@customers.example" },
        { type: "https", url: "https://r.example/v1?a=b" },
      ],
    );
    assert.deepEqual(reportTargets(["v=TLSRPTv1;rua=MAILTO:a%2Bb@c.example?subject=x"]), [
      { type: "mailto", address: "a+b@c.example" },
    ]);
  });

  it("is ignored if there are several, none, or one without a usable address", () => {
    const record = "v=TLSRPTv1; rua=mailto:tls@customers.example";
    assert.deepEqual(reportTargets([record, record]), []);
    for (const other of ["", "v=TLSRPTv2; rua=mailto:a@b.example", "v=TLSRPTv1", "v=TLSRPTv1; rua="]) {
      assert.deepEqual(reportTargets([other]), [], other);
    }
    assert.deepEqual(reportTargets(["v=TLSRPTv1; rua=http://r.example/,ftp://r.example/,mailto:%ff@b"]), []);
  });

  it("has a bounded number of them", () => {
    const list = Array.from({ length: 50 }, (_, i) => `mailto:a${i}@b.example`).join(",");
    assert.equal(reportTargets([`v=TLSRPTv1; rua=${list}`]).length, 3);
  });
});

/** Which reports are stored, and which of their sources are ours. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ReportContext, reportEffect } from "../../../src/app/incoming/sender-report.ts";
import { DAY_MS } from "../../../src/lib/units.ts";
import { readTlsReport } from "../../../src/message/reports/tls-report.ts";
import { type ReportEffect, ROWS_STORED_MAX } from "../../../src/spool/port/sender-reports.ts";
import {
  BEGIN_S,
  dmarcReport,
  dmarcXml,
  type ReportParts,
  recordXml,
  signatureXml,
  tlsJson,
} from "../../message/reports/samples.ts";

const NOW_MS = BEGIN_S * 1000 + 1.5 * DAY_MS;

const CONTEXT: ReportContext = {
  accountId: "acc_default",
  domain: "shop.example",
  sendingIps: ["192.0.2.1", "2001:DB8:0::0:1"],
  nowMs: NOW_MS,
};

const effectOf = (parts: ReportParts, context: Partial<ReportContext> = {}) =>
  reportEffect({ type: "dmarc", report: dmarcReport(dmarcXml(parts)) }, { ...CONTEXT, ...context });

function stored(parts: ReportParts): (ReportEffect & { type: "dmarc_report" })["report"] {
  const effect = effectOf(parts);
  return effect.type === "dmarc_report" ? effect.report : assert.fail(effect.type);
}

const OTHER_DOMAIN = { type: "none", because: "other_domain" };
const OTHER_TIME = { type: "none", because: "other_time" };

describe("a report that came in", () => {
  it("is ignored if it is about another domain than that of its address", () => {
    assert.deepEqual(effectOf({ domain: "bank.example" }), OTHER_DOMAIN);
    assert.deepEqual(effectOf({ domain: "example" }), OTHER_DOMAIN);
    assert.deepEqual(effectOf({ domain: "sub.shop.example" }), OTHER_DOMAIN);
    assert.deepEqual(effectOf({ domain: "eshop.example" }), OTHER_DOMAIN);
    const report = readTlsReport(tlsJson());
    assert.deepEqual(reportEffect({ type: "tls", report }, { ...CONTEXT, domain: "bank.example" }), OTHER_DOMAIN);
  });

  it("may be about a domain above, whose DMARC record may be the one that applies", () => {
    assert.equal(effectOf({}, { domain: "mail.shop.example" }).type, "dmarc_report");
    assert.equal(effectOf({ domain: "b.shop.example" }, { domain: "a.b.shop.example" }).type, "dmarc_report");
    assert.deepEqual(effectOf({ domain: "c.shop.example" }, { domain: "a.b.shop.example" }), OTHER_DOMAIN);
    const deep = "a.b.c.d.e.f.g.h.shop.example";
    assert.deepEqual(effectOf({ domain: "b.c.d.e.f.g.h.shop.example" }, { domain: deep }), OTHER_DOMAIN);
  });

  it("is ignored if it is old, or about the future", () => {
    assert.deepEqual(effectOf({}, { nowMs: NOW_MS + 40 * DAY_MS }), OTHER_TIME);
    assert.deepEqual(effectOf({}, { nowMs: NOW_MS - 10 * DAY_MS }), OTHER_TIME);
  });

  it("is stored for the domain that it was sent to", () => {
    const effect = effectOf({}, { domain: "mail.shop.example" });
    assert.deepEqual(effect.type === "dmarc_report" && [effect.accountId, effect.domain, effect.report.domain], [
      "acc_default",
      "mail.shop.example",
      "shop.example",
    ]);
    const report = readTlsReport(tlsJson());
    const { accountId, domain } = CONTEXT;
    assert.deepEqual(reportEffect({ type: "tls", report }, CONTEXT), { type: "tls_report", accountId, domain, report });
  });
});

describe("the sources of a DMARC report", () => {
  it("are ours by their address, in any notation", () => {
    const ips = ["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "192.0.2.2", "2001:0DB8::1"];
    const rows = stored({ records: ips.map((ip) => recordXml({ ip })) }).rows;
    assert.deepEqual(rows.map(({ ip, ours }) => `${ip} ${ours}`).sort(), [
      "192.0.2.1 address",
      "192.0.2.1 address",
      "192.0.2.2 no",
      "2001:db8::1 address",
      "2001:db8::1 address",
    ]);
  });

  it("are ours by a valid signature with a key of ours", () => {
    const oursOf = (auth: string) => stored({ records: [recordXml({ auth })] }).rows.map(({ ours }) => ours);
    assert.deepEqual(oursOf(signatureXml("pr0123abcd")), ["signature"]);
    assert.deepEqual(oursOf(signatureXml("s1") + signatureXml("pr0123abcd")), ["signature"]);
    assert.deepEqual(oursOf(signatureXml("pr0123abcd", "fail")), ["no"]);
    assert.deepEqual(oursOf(signatureXml("pr0123abcd", "pass", "bank.example")), ["no"]);
    assert.deepEqual(oursOf(signatureXml("google")), ["no"]);
  });

  it("are bounded, those with failures first, and the messages of the others are counted", () => {
    const passed = recordXml({ ip: "192.0.2.1", count: 1000, dkim: "pass" });
    const failed = Array.from({ length: 300 }, (_, i) => recordXml({ ip: `10.0.${i >> 8}.${i & 255}`, count: i + 1 }));
    const { rows, omitted } = stored({ records: [passed, ...failed, recordXml({ ip: "999.0.0.1" })] });
    assert.deepEqual([rows.length, rows[0]?.messages], [ROWS_STORED_MAX, 300]);
    assert.equal(
      rows.some(({ dkim }) => dkim),
      false,
    );
    const left = (50 * 51) / 2;
    assert.deepEqual(omitted, { messages: left + 1000, failed: left });
  });
});

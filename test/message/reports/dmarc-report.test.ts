/** DMARC aggregate reports as receivers write them, and as attackers do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type DmarcReport,
  DmarcReportReader,
  ELEMENTS_MAX,
  NAME_LENGTH_MAX,
  RECORDS_MAX,
} from "../../../src/message/reports/dmarc-report.ts";
import { DETAILED_ROWS_MAX, ROWS_MAX } from "../../../src/message/reports/dmarc-rows.ts";
import type { UnreadReason } from "../../../src/message/reports/unreadable-report.ts";
import { ATTRIBUTES_MAX, TAG_MAX, TEXT_MAX } from "../../../src/message/reports/xml-tokens.ts";
import { BEGIN_S, dmarcReport, dmarcXml, packedReport, recordXml, signatureXml } from "./samples.ts";

const read = dmarcReport;
const rejects = (xml: string, reason: UnreadReason): void =>
  assert.throws(() => dmarcReport(xml), { name: "UnreadableReport", reason });
const total = ({ rows, omitted }: DmarcReport): number =>
  rows.reduce((sum, { messages }) => sum + messages, omitted.messages);

describe("a DMARC report", () => {
  it("has its identity, policy and rows", () => {
    const spf = "<spf><domain>shop.example</domain><scope>mfrom</scope><result>pass</result></spf>";
    const signed = recordXml({
      ip: "2001:DB8::1",
      count: 412,
      disposition: "reject",
      dkim: "pass",
      spf: "fail",
      auth: signatureXml("pr1") + signatureXml("other", "fail") + signatureXml("x", "pass", "esp.example") + spf,
    });
    const report = read(dmarcXml({ policy: "reject", records: [recordXml({ spf: "pass" }), signed] }));
    assert.deepEqual(report, {
      org: "mail.example",
      reportId: "r-1",
      domain: "shop.example",
      policy: "reject",
      beginMs: BEGIN_S * 1000,
      endMs: (BEGIN_S + 86_399) * 1000,
      rows: [
        {
          ip: "2001:db8::1",
          messages: 412,
          disposition: "reject",
          dkim: true,
          spf: false,
          headerFrom: "shop.example",
          signatures: [
            { domain: "shop.example", selector: "pr1" },
            { domain: "esp.example", selector: "x" },
          ],
        },
        {
          ip: "203.0.113.7",
          messages: 1,
          disposition: "none",
          dkim: false,
          spf: true,
          headerFrom: "shop.example",
          signatures: [],
        },
      ],
      omitted: { messages: 0, failed: 0 },
    });
  });

  it("is read in the variants of receivers", async () => {
    const plain = read(dmarcXml());
    assert.deepEqual(read(dmarcXml({ root: 'feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0"' })), plain);
    const prefixed = dmarcXml()
      .replace(/<(\/?)(?=[a-z])/g, "<$1d:")
      .replace("<d:feedback", '<d:feedback xmlns:d="http://dmarc.org"');
    assert.deepEqual(read(prefixed), plain);
    assert.deepEqual(read(dmarcXml().replace(/identifiers/g, "identities")), plain);
    assert.deepEqual(await packedReport(`\uFEFF\r\n${dmarcXml()}`), { type: "dmarc", report: plain });
    assert.deepEqual(read(dmarcXml().replace(/\n\s*/g, "")), plain);
    assert.deepEqual(read(dmarcXml({ org: "<![CDATA[mail.example]]>", domain: "Shop.Example." })), plain);
    assert.equal(read(dmarcXml({ org: "Smith &amp; &#83;ons" })).org, "Smith & Sons");
    assert.equal(read(dmarcXml({ begin: `${BEGIN_S}.5` })).beginMs, BEGIN_S * 1000 + 500);
  });

  it("is ignored if it has more records or elements than a real one, so that a small archive takes seconds at most", () => {
    assert.deepEqual(read(dmarcXml({ records: ["<record/>".repeat(RECORDS_MAX)] })).rows, []);
    rejects(dmarcXml({ records: ["<record/>".repeat(RECORDS_MAX + 1)] }), "too_complex");
    rejects(dmarcXml({ records: ["<a/>".repeat(ELEMENTS_MAX)] }), "too_complex");
  });

  it("is ignored if one of its tokens is longer than those of a real one, before it is read as a whole", () => {
    const long = "x".repeat(TEXT_MAX + 4);
    const attributes = Array.from({ length: ATTRIBUTES_MAX + 1 }, (_, i) => `a${i}=''`).join(" ");
    const tokens = [
      `<a>${long}x</a>`,
      `<a><![CDATA[${long}]]></a>`,
      `<a b="${"x".repeat(TAG_MAX + 4)}"/>`,
      `<a b=">${"x".repeat(TAG_MAX + 4)}"/>`,
      `<${"x".repeat(TAG_MAX + 4)}/>`,
      `<a ${attributes}/>`,
      `<a>&${long};</a>`,
      `</${"x".repeat(TAG_MAX + 4)}>`,
    ];
    for (const token of tokens) {
      const xml = dmarcXml({ records: [token] });
      rejects(xml, "too_complex");
      // Whether or not the token ends.
      rejects(xml.slice(0, xml.indexOf(token) + token.length - 3), "too_complex");
    }
    assert.equal(read(dmarcXml({ records: [`<a>${"x".repeat(10_000)}</a>`] })).org, "mail.example");
  });

  it("is the same in whatever pieces it comes", () => {
    const xml = dmarcXml({
      records: ['<a b="1 > 0" c=\'"\'/>', "<![CDATA[ <x> ]]]>", recordXml({ dkim: "pass" })],
    });
    const whole = read(xml);
    for (const size of [1, 2, 7, 64]) {
      const reader = new DmarcReportReader();
      for (let at = 0; at < xml.length; at += size) reader.write(xml.slice(at, at + size));
      assert.deepEqual(reader.end(), whole, `${size}`);
    }
  });

  it("is ignored without identity, with an impossible period, or if it is not well-formed", () => {
    for (const missing of ["reportId", "domain", "begin", "end"]) rejects(dmarcXml({ [missing]: "" }), "incomplete");
    rejects(dmarcXml({ org: "", email: "nobody" }), "incomplete");
    rejects(dmarcXml({ domain: "shop example" }), "incomplete");
    rejects(dmarcXml({ end: BEGIN_S - 1 }), "incomplete");
    rejects(dmarcXml({ end: BEGIN_S + 100 * 86_400 }), "incomplete");
    rejects(dmarcXml().slice(0, -20), "not_well_formed");
    rejects(dmarcXml({ root: "html" }), "no_report");
    rejects(dmarcXml({ org: "&undefined;" }), "not_well_formed");
    rejects("", "not_well_formed");
    rejects("<\uFFFD\uFFFD>", "no_report");
  });

  it("has the domain of its sender's address where it names no organisation", () => {
    assert.equal(read(dmarcXml({ org: "" })).org, "mail.example");
    assert.equal(read(dmarcXml({ org: " ", email: "DMARC &lt;noreply@Reports.Example&gt;" })).org, "reports.example");
  });

  it("leaves out rows without a source or a count", () => {
    const faulty = [
      { ip: "<b>" },
      { ip: "mx.example" },
      { count: 0 },
      { count: -1 },
      { count: "many" },
      { count: 1e300 },
    ];
    const records = [
      ...faulty.map((parts) => recordXml({ ...parts, ip: parts.ip?.replace("<b>", "&lt;b&gt;") ?? "192.0.2.1" })),
      recordXml(),
    ];
    assert.deepEqual(
      read(dmarcXml({ records })).rows.map(({ ip }) => ip),
      ["203.0.113.7"],
    );
  });

  it("has no document type, whose entities would be expanded, no comment and no processing instruction", () => {
    const lol = '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    rejects(dmarcXml({ org: "&b;" }).replace("<feedback>", `${lol}<feedback>`), "not_allowed");
    for (const comment of ["<!-- made by a program -->", "<!---->"]) {
      rejects(dmarcXml().replace("<feedback>", `${comment}<feedback>`), "not_allowed");
      rejects(dmarcXml({ records: [comment] }), "not_allowed");
    }
    rejects(dmarcXml().replace("<feedback>", '<!DOCTYPE f SYSTEM "file:///etc/passwd"><feedback>'), "not_allowed");
    for (const instruction of ['<?xml-stylesheet href="a"?>', "<?php ?>", '<?xml version="1.0"?>']) {
      rejects(dmarcXml().replace("<feedback>", `${instruction}<feedback>`), "not_allowed");
    }
  });

  it("is ignored if it is nested deeply", () => {
    rejects(dmarcXml({ records: ["<a>".repeat(100_000) + "</a>".repeat(100_000)] }), "too_complex");
  });

  it("is ignored if its elements have long names, which would be joined to a path at the end of each element", () => {
    const nested = (name: string): string => `<${name}>`.repeat(10) + "<a>1</a>".repeat(10) + `</${name}>`.repeat(10);
    assert.equal(read(dmarcXml({ records: [nested("n".repeat(NAME_LENGTH_MAX))] })).org, "mail.example");
    rejects(dmarcXml({ records: [nested("n".repeat(NAME_LENGTH_MAX + 1))] }), "too_complex");
  });

  it("has values of bounded length", () => {
    const report = read(
      dmarcXml({
        org: "o".repeat(10_000),
        reportId: "i".repeat(300),
        records: [recordXml({ headerFrom: "h".repeat(1000) })],
      }),
    );
    assert.deepEqual([report.org.length, report.reportId.length, report.rows[0]?.headerFrom], [200, 200, ""]);
  });

  it("adds up equal rows", () => {
    const records = [
      recordXml({ count: 2 }),
      recordXml({ count: 3 }),
      recordXml({ count: 4, disposition: "quarantine" }),
    ];
    assert.deepEqual(
      read(dmarcXml({ records })).rows.map(({ messages, disposition }) => [messages, disposition]),
      [
        [5, "none"],
        [4, "quarantine"],
      ],
    );
  });

  it("has a bounded number of rows, and counts all messages", () => {
    const records = Array.from({ length: 3000 }, (_, i) => recordXml({ count: 2, ip: `10.0.${i >> 8}.${i & 255}` }));
    const report = read(dmarcXml({ records }));
    assert.equal(report.rows.length, ROWS_MAX);
    assert.deepEqual(report.omitted, { messages: 2 * (3000 - ROWS_MAX), failed: 2 * (3000 - ROWS_MAX) });
    const varied = Array.from({ length: 3000 }, (_, i) => recordXml({ headerFrom: `h${i}.shop.example` }));
    const added = read(dmarcXml({ records: varied }));
    assert.equal(added.rows.length, DETAILED_ROWS_MAX + 1);
    assert.equal(total(added), 3000);
    assert.deepEqual(added.rows[0], {
      ip: "203.0.113.7",
      messages: 3000 - DETAILED_ROWS_MAX,
      disposition: "none",
      dkim: false,
      spf: false,
      headerFrom: "",
      signatures: [],
    });
  });
});

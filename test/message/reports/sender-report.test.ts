/** Finding the report in a message, in every form in which it comes; and 2,000 that were changed at random. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { Prng } from "../../../simulate/prng.ts";
import { readSenderReport } from "../../../src/message/reports/sender-report.ts";
import { bareReport, dmarcXml, gzipped, reportMessage, tlsJson, zip } from "./samples.ts";

const found = async (raw: Buffer) => {
  const report = await readSenderReport(raw);
  return report.type === "unread" ? report.reason : `${report.type} ${report.report.reportId}`;
};

const XML = Buffer.from(dmarcXml());
const NAME = "mail.example!shop.example!1772409600!1772495999.xml";
const DMARC = "dmarc r-1";

describe("the report in a message", () => {
  it("is found as gzip, zip or XML, whatever its type", async () => {
    for (const type of ["application/gzip", "application/x-gzip", "application/octet-stream"]) {
      const file = { type, filename: `${NAME}.gz`, content: gzipped(dmarcXml()) };
      assert.equal(await found(reportMessage([file])), DMARC, type);
    }
    for (const type of ["application/zip", "application/x-zip-compressed", "application/octet-stream"]) {
      const file = { type, filename: `${NAME}.zip`, content: zip([{ name: NAME, content: XML }]) };
      assert.equal(await found(reportMessage([file])), DMARC, type);
    }
    for (const type of ["text/xml", "application/xml", "application/octet-stream"]) {
      assert.equal(await found(reportMessage([{ type, filename: NAME, content: XML }])), DMARC, type);
    }
  });

  it("may be the whole message", async () => {
    assert.equal(await found(bareReport("application/gzip", gzipped(dmarcXml()))), DMARC);
    assert.equal(await found(bareReport("application/zip", zip([{ name: NAME, content: XML }]))), DMARC);
  });

  it("may follow other files", async () => {
    const logo = { type: "image/png", content: Buffer.from("\x89PNG") };
    assert.equal(await found(reportMessage([logo, { type: "application/gzip", content: gzipped(dmarcXml()) }])), DMARC);
  });

  it("is a TLS report by its content", async () => {
    const expected = "tls 2026-03-02T00:00:00Z_shop.example";
    const packed = { type: "application/tlsrpt+gzip", content: gzipped(tlsJson()) };
    const plain = { type: "application/tlsrpt+json", content: Buffer.from(tlsJson()) };
    assert.equal(await found(reportMessage([packed])), expected);
    assert.equal(await found(reportMessage([plain])), expected);
  });

  it("is missing from mail of people, archives in archives, bombs, and nothing at all", async () => {
    const inner = zip([{ name: NAME, content: XML }]);
    const files = [
      { type: "application/zip", content: zip([{ name: "inner.zip", content: inner }]) },
      { type: "application/gzip", content: gzipped(" ".repeat(51 * 1024 * 1024)) },
      { type: "text/html", content: Buffer.from("<p>Hello</p>") },
    ];
    for (const file of files) assert.equal(await found(reportMessage([file])), "no_report", file.type);
    assert.equal(await found(Buffer.from("Subject: Hello\r\n\r\nHow are you?\r\n")), "no_report");
    assert.equal(await found(Buffer.alloc(0)), "no_report");
  });

  it("is why nothing was read, also where other files follow", async () => {
    const cut = { type: "application/gzip", content: gzipped(dmarcXml()).subarray(0, 200) };
    const logo = { type: "image/png", content: Buffer.from("\x89PNG") };
    assert.equal(await found(reportMessage([logo, cut, logo])), "damaged_archive");
    const twice = zip([
      { name: "a.xml", content: XML },
      { name: "b.xml", content: XML },
    ]);
    assert.equal(await found(reportMessage([{ type: "application/zip", content: twice }])), "several_files");
  });

  it("is read with octets after its gzip member, with several members, and with the fields of a gzip header", async () => {
    const packed = gzipped(dmarcXml());
    const half = Math.floor(XML.length / 2);
    const members = [XML.subarray(0, half), XML.subarray(half)].map((part) => gzipSync(part));
    // FEXTRA, FNAME, FCOMMENT and FHCRC.
    const fields = Buffer.concat([packed.subarray(0, 3), Buffer.from([30]), packed.subarray(4, 10)]);
    const full = Buffer.concat([fields, Buffer.from("\x02\x00abname\0comment\0zz"), packed.subarray(10)]);
    const padded = [Buffer.from("\r\n"), Buffer.alloc(512), Buffer.from("\x1f")];
    for (const content of [...padded.map((after) => Buffer.concat([packed, after])), Buffer.concat(members), full]) {
      assert.equal(await found(reportMessage([{ type: "application/gzip", content }])), DMARC);
    }
  });

  it("is read in the encoding that it declares, or that its octets or its part show", async () => {
    const org = "Büro für Post";
    const declared = (encoding: string) => dmarcXml({ org }).replace('encoding="UTF-8"', encoding);
    const wide = Buffer.from(`\uFEFF${declared('encoding="UTF-16"')}`, "utf16le");
    const cases: [string, Buffer, string][] = [
      ["ISO-8859-1", Buffer.from(declared('encoding="ISO-8859-1"'), "latin1"), "text/xml"],
      ["windows-1252", Buffer.from(declared("encoding='Windows-1252'"), "latin1"), "text/xml"],
      ["UTF-16", wide, "text/xml"],
      ["UTF-16 without a mark", wide.subarray(2), "text/xml"],
      ["UTF-16, big-endian", Buffer.from(wide).swap16(), "text/xml"],
      ["UTF-8 that is declared as UTF-16", Buffer.from(declared('encoding="utf-16"')), "text/xml"],
      ["the part's", Buffer.from(declared(""), "latin1"), "text/xml; charset=iso-8859-1"],
    ];
    for (const [name, content, type] of cases) {
      const read = await readSenderReport(reportMessage([{ type, content }]));
      assert.equal(read.type === "dmarc" ? read.report.org : read.type, org, name);
    }
    const unknown = Buffer.from(declared('encoding="x-none"'));
    assert.equal(await found(reportMessage([{ type: "text/xml", content: unknown }])), "unknown_encoding");
  });

  it("is read with an octet that is not in its encoding", async () => {
    const content = Buffer.from(dmarcXml({ email: "b\xfcro@mail.example" }), "latin1");
    assert.equal(await found(reportMessage([{ type: "text/xml", content }])), DMARC);
  });

  it("never makes reading fail, however it was changed", async () => {
    const prng = new Prng(23);
    const random = (below: number): number => prng.integer(0, below - 1);
    const samples = [
      reportMessage([{ type: "application/gzip", content: gzipped(dmarcXml()) }]),
      reportMessage([{ type: "application/zip", content: zip([{ name: NAME, content: XML }]) }]),
      reportMessage([{ type: "text/xml", content: XML }]),
      reportMessage([{ type: "application/tlsrpt+json", content: Buffer.from(tlsJson()) }]),
    ];
    let read = 0;
    for (let i = 0; i < 2000; i += 1) {
      const raw = Buffer.from(samples[i % samples.length] as Buffer);
      for (let changes = 1 + random(8); changes > 0; changes -= 1) raw[random(raw.length)] = random(256);
      const cut = random(4) === 0 ? raw.subarray(0, random(raw.length)) : raw;
      if ((await readSenderReport(cut)).type !== "unread") read += 1;
    }
    assert.ok(read > 0 && read < 2000, `${read} were read`);
  });
});

/** Finding the report in a message, in every form in which it comes; and 2,000 that were changed at random. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Prng } from "../../../simulate/prng.ts";
import { readSenderReport } from "../../../src/message/reports/sender-report.ts";
import { bareReport, dmarcXml, gzipped, reportMessage, tlsJson, zip } from "./samples.ts";

const found = async (raw: Buffer) => {
  const report = await readSenderReport(raw);
  return report === null ? null : `${report.type} ${report.report.reportId}`;
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
    for (const file of files) assert.equal(await found(reportMessage([file])), null, file.type);
    assert.equal(await found(Buffer.from("Subject: Hello\r\n\r\nHow are you?\r\n")), null);
    assert.equal(await found(Buffer.alloc(0)), null);
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
      if ((await readSenderReport(cut)) !== null) read += 1;
    }
    assert.ok(read > 0 && read < 2000, `${read} were read`);
  });
});

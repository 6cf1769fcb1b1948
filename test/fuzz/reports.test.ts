/**
 * Reports that are made to exhaust the thread that reads them: single tokens of 50 MiB, read within the limits of the real thread, and
 * the longest inputs that are read, at two lengths: the CPU time may grow with the length, and no faster.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { ThreadedReader } from "../../src/app/incoming/incoming-reader.ts";
import { unlimitedMemory } from "../../src/lib/memory-guard.ts";
import { readSenderReport } from "../../src/message/reports/sender-report.ts";
import { bareReport, dmarcXml, recordXml, tlsJson, zip } from "../message/reports/samples.ts";

const MIB = 1024 * 1024;
const TOKEN = "x".repeat(50 * MIB);

/** Records with one token of 50 MiB, or with as many as have that length. */
const TOKENS: Readonly<Record<string, () => string>> = {
  comment: () => `<!--${TOKEN}-->`,
  "comment without an end": () => `<!--${TOKEN}`,
  comments: () => "<!---->".repeat((50 * MIB) / 7),
  "attribute value": () => `<a b="${TOKEN}"/>`,
  "attribute value with markup": () => `<a b="${"<a>".repeat((50 * MIB) / 3)}"/>`,
  "attribute name": () => `<a ${TOKEN}=""/>`,
  attributes: () => `<a ${Array.from({ length: 3_000_000 }, (_, i) => `a${i}=""`).join(" ")}/>`,
  "space in a tag": () => `<a ${" ".repeat(50 * MIB)}/>`,
  CDATA: () => `<a><![CDATA[${TOKEN}]]></a>`,
  "CDATA of brackets": () => `<a><![CDATA[${"]".repeat(50 * MIB)}]]></a>`,
  text: () => `<a>${TOKEN}</a>`,
  space: () => " ".repeat(50 * MIB),
  "element name": () => `<${TOKEN}/>`,
  "end tag": () => `</${TOKEN}>`,
  entity: () => `<a>&${TOKEN};</a>`,
  entities: () => `<a>${"&#120;".repeat((50 * MIB) / 6)}</a>`,
  instruction: () => `<?a ${TOKEN}?>`,
  "document type": () => `<!DOCTYPE a [<!ENTITY a "${TOKEN}">]>`,
  nesting: () => "<a>".repeat((50 * MIB) / 3),
  elements: () => "<a/>".repeat((50 * MIB) / 4),
  records: () => "<record/>".repeat((50 * MIB) / 9),
};

const REFUSED = new Set(["too_complex", "too_large", "not_allowed"]);

describe("a report of 50 MiB in a mail of some kilobytes", () => {
  for (const [name, token] of Object.entries(TOKENS)) {
    it(`is refused within the limits of the thread: ${name}`, async (t) => {
      const reader = new ThreadedReader(unlimitedMemory);
      t.after(() => reader.close());
      const xml = Buffer.from(dmarcXml({ records: [token()] }));
      const read = await reader.report(bareReport("application/gzip", gzipSync(xml, { level: 1 })));
      assert.ok(read.type === "unread" && REFUSED.has(read.reason), JSON.stringify(read));
    });
  }

  it("is refused as a zip archive that states a size, true or not", async (t) => {
    const reader = new ThreadedReader(unlimitedMemory);
    t.after(() => reader.close());
    const content = Buffer.from(dmarcXml({ records: [`<!--${TOKEN}-->`] }));
    for (const says of [{}, { sizeBytes: 9 * MIB }, { sizeBytes: 100 }]) {
      const read = await reader.report(bareReport("application/zip", zip([{ name: "report.xml", content, says }])));
      assert.ok(read.type === "unread" && REFUSED.has(read.reason), JSON.stringify(read));
    }
  });

  it("is refused as JSON", async (t) => {
    const reader = new ThreadedReader(unlimitedMemory);
    t.after(() => reader.close());
    for (const json of [`{"a":"${TOKEN}"}`, '{"a":'.repeat(10 * MIB), `{"a":[${"[],".repeat(10 * MIB)}0]}`]) {
      const read = await reader.report(bareReport("application/tlsrpt+gzip", gzipSync(json, { level: 1 })));
      assert.ok(read.type === "unread" && REFUSED.has(read.reason), JSON.stringify(read));
    }
  });
});

/** Mails that are read to their end, of a size that n multiplies. */
const LONGEST: Readonly<Record<string, (n: number) => Buffer>> = {
  records: (n) =>
    bareReport("application/gzip", gzipSync(dmarcXml({ records: Array(3000 * n).fill(recordXml({ count: n })) }))),
  "records that differ": (n) =>
    bareReport(
      "application/gzip",
      gzipSync(
        dmarcXml({ records: Array.from({ length: 3000 * n }, (_, i) => recordXml({ headerFrom: `h${i}.example` })) }),
      ),
    ),
  elements: (n) => bareReport("text/xml", Buffer.from(dmarcXml({ records: ["<a/>".repeat(100_000 * n)] }))),
  "long texts": (n) =>
    bareReport("text/xml", Buffer.from(dmarcXml({ records: [`<a>${"&lt;".repeat(4000)}</a>`.repeat(100 * n)] }))),
  "tags of quotes": (n) =>
    bareReport("text/xml", Buffer.from(dmarcXml({ records: [`<a b="${"'>".repeat(2000)}"/>`.repeat(300 * n)] }))),
  "JSON of strings": (n) => bareReport("application/json", Buffer.from(tlsJson({ a: '\\"'.repeat(400_000 * n) }))),
  "line ends": (n) => Buffer.from(`Subject: x\n\n${"\n".repeat(2 * MIB * n)}`),
  "parts without an end": (n) =>
    Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\n".repeat(200_000 * n)}`),
  "delimiters that are none": (n) =>
    Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${"\r\n--bb".repeat(100_000 * n)}`),
  "gzip headers": (n) =>
    bareReport(
      "application/gzip",
      Buffer.concat([Buffer.from("1f8b08080000000000000000", "hex"), Buffer.alloc(MIB * n, 1)]),
    ),
  "zip without a directory": (n) =>
    bareReport("application/zip", Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(MIB * n, "PK\x05")])),
};

async function cpuMs(raw: Buffer): Promise<number> {
  const before = process.cpuUsage();
  await readSenderReport(raw);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of some runs of each mail, which take turns: other processes and the compiler slow down both. */
async function leastCpuMs(mails: readonly Buffer[]): Promise<number[]> {
  const least = mails.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < 6; run += 1) {
    for (const [i, mail] of mails.entries()) least[i] = Math.min(least[i] ?? 0, await cpuMs(mail));
  }
  return least;
}

/** Below it, the clock and the collector decide. */
const NOISE_MS = 10;

describe("the time of reading", () => {
  for (const [name, mail] of Object.entries(LONGEST)) {
    it(`grows no faster than the mail: ${name}`, async () => {
      let [onceMs, twiceMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      // A machine in use makes some runs dear, and no run cheap.
      for (let tries = 0; tries < 4; tries += 1) {
        const [once = 0, twice = 0] = await leastCpuMs([mail(2), mail(4)]);
        [onceMs, twiceMs] = [Math.min(onceMs, once), Math.min(twiceMs, twice)];
        if (twiceMs <= 2.5 * Math.max(onceMs, NOISE_MS)) return;
      }
      assert.fail(`${onceMs} ms, of twice the length ${twiceMs} ms`);
    });
  }
});

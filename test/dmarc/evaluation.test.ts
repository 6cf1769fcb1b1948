/** The result of DMARC for a message: alignment by the tree walk, relaxed and strict (RFC 9989 §4.4, §4.10.2). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Authenticated, evaluateDmarc } from "../../src/dmarc/evaluation.ts";
import { fakeResolver } from "../support/fake-resolver.ts";

async function evaluate(authenticated: Partial<Authenticated>, records: Record<string, string>) {
  const zone = Object.fromEntries(
    Object.entries(records).map(([domain, text]) => [`_dmarc.${domain}`, { TXT: [text] }]),
  );
  const message = { author: "news.example.com", dkim: [], spf: [], ...authenticated };
  const resolver = fakeResolver(zone);
  const { result, policy, domain, aligned } = await evaluateDmarc(message, resolver);
  return { short: `${result} ${policy} ${domain}`, aligned, asked: resolver.asked.length };
}

const P = "v=DMARC1; p=reject";
const BANK = { "giant.bank.example": P, "bank.example": `${P}; psd=y` };

const rows: [rule: string, Partial<Authenticated>, records: Record<string, string>, short: string][] = [
  ["the same domain", { dkim: ["news.example.com"] }, { "example.com": P }, "pass reject example.com"],
  ["one organisation", { dkim: ["foo.example.com"] }, { "example.com": P }, "pass reject example.com"],
  ["SPF alone", { spf: ["bounces.example.com"] }, { "example.com": P }, "pass reject example.com"],
  ["another organisation", { dkim: ["foo.example.net"] }, { "example.com": P }, "fail reject example.com"],
  ["nothing authenticated", {}, { "example.com": P }, "fail reject example.com"],
  ["strict, another domain", { dkim: ["example.com"] }, { "example.com": `${P}; adkim=s` }, "fail reject example.com"],
  ["strict, the same", { dkim: ["news.example.com"] }, { "example.com": `${P}; adkim=s` }, "pass reject example.com"],
  ["strict for SPF only", { dkim: ["example.com"] }, { "example.com": `${P}; aspf=s` }, "pass reject example.com"],
  [
    "an organisation of its own",
    { dkim: ["example.com"] },
    { "news.example.com": `${P}; psd=n`, "example.com": P },
    "fail reject news.example.com",
  ],
  [
    "names below a public suffix",
    { author: "giant.bank.example", dkim: ["mail.mega.bank.example"] },
    BANK,
    "fail reject giant.bank.example",
  ],
  [
    "one name below a public suffix",
    { author: "giant.bank.example", spf: ["mail.giant.bank.example"] },
    BANK,
    "pass reject giant.bank.example",
  ],
  ["test mode", {}, { "example.com": `${P}; t=y` }, "fail quarantine example.com"],
  ["no record", { dkim: ["news.example.com"] }, {}, "none null news.example.com"],
  [
    "a record without processing",
    { dkim: ["news.example.com"] },
    { "example.com": "v=DMARC1" },
    "none null news.example.com",
  ],
];

for (const [rule, authenticated, records, short] of rows) {
  test(`${rule}: ${short}`, async () => assert.equal((await evaluate(authenticated, records)).short, short));
}

test("names the aligned domains, and walks from ten of them at most", async () => {
  const others = Array.from({ length: 50 }, (_, i) => `d${i}.example.net`);
  const { aligned, asked } = await evaluate({ dkim: ["foo.example.com", ...others] }, { "example.com": P });
  assert.deepEqual(aligned, { dkim: ["foo.example.com"], spf: [] });
  assert.ok(asked < 50, String(asked));
});

test("a failed query for the record is a temporary error", async () => {
  const resolver = fakeResolver({ "_dmarc.example.com": { TXT: { failure: "ESERVFAIL" } } });
  const { result, comment } = await evaluateDmarc({ author: "example.com", dkim: ["example.com"], spf: [] }, resolver);
  assert.deepEqual([result, comment], ["temperror", "_dmarc.example.com: ESERVFAIL"]);
});

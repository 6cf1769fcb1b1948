/** The domains that a walk queries, where it stops, and the organisational domain that it shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { organisationalDomain, walkTargets, walkTree } from "../../src/dmarc/tree-walk.ts";
import { type FakeZone, fakeResolver } from "../support/fake-resolver.ts";

const zoneOf = (records: Record<string, string | string[] | { failure: string }>): FakeZone =>
  Object.fromEntries(
    Object.entries(records).map(([domain, TXT]) => [
      `_dmarc.${domain}`,
      { TXT: typeof TXT === "string" ? [TXT] : TXT },
    ]),
  );

async function walk(domain: string, records: Parameters<typeof zoneOf>[0]) {
  const resolver = fakeResolver(zoneOf(records));
  const { steps, failure } = await walkTree(domain, resolver);
  const asked = resolver.asked.map((question) => question.replace("TXT _dmarc.", ""));
  return { asked, failure, organisation: organisationalDomain(domain, steps) };
}

test("queries at most eight domains, the example of RFC 9989 §4.10", () => {
  const above = ["g.h.i.j.mail", "h.i.j.mail", "i.j.mail", "j.mail", "mail"].map((name) => `${name}.example.com`);
  const deep = "a.b.c.d.e.f.g.h.i.j.mail.example.com";
  assert.deepEqual(walkTargets(deep), [deep, ...above, "example.com", "com"]);
  assert.deepEqual(walkTargets("a.mail.example.com"), ["a.mail.example.com", "mail.example.com", "example.com", "com"]);
  assert.deepEqual(walkTargets("com"), ["com"]);
  for (let count = 1; count <= 127; count += 1) {
    const targets = walkTargets(Array.from({ length: count }, (_, i) => `l${i}`).join("."));
    assert.equal(targets.length, Math.min(count, 8));
    assert.equal(targets.at(-1), `l${count - 1}`);
  }
});

const P = "v=DMARC1; p=none";

const organisations: [section: string, domain: string, records: Parameters<typeof zoneOf>[0], organisation: string][] =
  [
    ["4.10.2 3", "a.mail.example.com", { "mail.example.com": P, "example.com": P }, "example.com"],
    ["4.10.2 1", "a.mail.example.com", { "mail.example.com": `${P}; psd=n`, "example.com": P }, "mail.example.com"],
    ["4.10.2 2", "a.mail.example.com", { com: `${P}; psd=y` }, "example.com"],
    ["4.10.2 2", "a.b.example.com", { "example.com": `${P}; psd=y`, "a.b.example.com": P }, "b.example.com"],
    ["4.10.2 2, start", "bank.example", { "bank.example": `${P}; psd=y` }, "bank.example"],
    ["4.10.2 end", "a.example.com", {}, "a.example.com"],
    ["B.4.1", "signing.example.com", { "signing.example.com": P, "example.com": P }, "example.com"],
    ["B.4.2", "a.b.c.d.e.f.g.h.i.j.k.example.com", { "example.com": P }, "example.com"],
    ["B.4.3", "giant.bank.example", { "giant.bank.example": P, "bank.example": `${P}; psd=y` }, "giant.bank.example"],
    [
      "B.4.3",
      "mail.giant.bank.example",
      { "giant.bank.example": P, "bank.example": `${P}; psd=y` },
      "giant.bank.example",
    ],
    ["B.4.3", "mail.mega.bank.example", { "bank.example": `${P}; psd=y` }, "mega.bank.example"],
    ["4.10 step 6", "a.example.com", { "a.example.com": P, "example.com": [P, P] }, "a.example.com"],
  ];

for (const [section, domain, records, organisation] of organisations) {
  test(`RFC 9989 ${section}: the organisation of ${domain} with ${JSON.stringify(records)}`, async () => {
    assert.equal((await walk(domain, records)).organisation, organisation);
  });
}

test("a walk stops at psd=y and psd=n, and not at psd=u", async () => {
  for (const [psd, count] of [
    ["y", 2],
    ["n", 2],
    ["u", 3],
  ] as const) {
    const { asked } = await walk("a.example.com", { "example.com": `${P}; psd=${psd}` });
    assert.equal(asked.length, count, psd);
  }
});

test("a failed query ends the walk; at a top-level domain it matters only where nothing was found below", async () => {
  const failure = { failure: "ESERVFAIL" };
  const failed = await walk("a.example.com", { "a.example.com": P, "example.com": failure });
  assert.deepEqual(failed.failure, { domain: "example.com", code: "ESERVFAIL" });
  assert.deepEqual((await walk("a.example.com", { "example.com": P, com: failure })).failure, null);
  assert.equal((await walk("a.example.com", { com: failure })).failure?.domain, "com");
});

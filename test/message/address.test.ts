/** Valid addresses, the errors of invalid ones, and equality of mailboxes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { wireAddress } from "../../src/delivery/dispatch/attempt-record.ts";
import { covers, isAscii, mailboxKey, parseMailbox } from "../../src/message/address.ts";
import { refusalKey } from "../../src/message/result/suppression.ts";

const label = (length: number) => "a".repeat(length);

const VALID: [text: string, name: string | null, local: string, domain: string][] = [
  ["a@b.example", null, "a", "b.example"],
  ["  a@b.example ", null, "a", "b.example"],
  ["<a@b.example>", null, "a", "b.example"],
  ["Ada <a@b.example>", "Ada", "a", "b.example"],
  ["Ada Lovelace<a@b.example>", "Ada Lovelace", "a", "b.example"],
  ["J. R. O'Neil (home) <a@b.example>", "J. R. O'Neil (home)", "a", "b.example"],
  ['"Quoted \\"Name\\", Inc." <a@b.example>', 'Quoted "Name", Inc.', "a", "b.example"],
  ['"a@b <x>; \\\\" <a@b.example>', "a@b <x>; \\", "a", "b.example"],
  ['"" <a@b.example>', null, "a", "b.example"],
  ["Zoë 🎉 日本 <a@b.example>", "Zoë 🎉 日本", "a", "b.example"],
  ["First.Last+tag@Example.COM", null, "First.Last+tag", "example.com"],
  ["!#$%&'*+-/=?^_`{|}~@b.example", null, "!#$%&'*+-/=?^_`{|}~", "b.example"],
  ['"a b"@b.example', null, '"a b"', "b.example"],
  ['"a@b,<\\"c>"@b.example', null, '"a@b,<\\"c>"', "b.example"],
  ['Name <"x>y"@b.example>', "Name", '"x>y"', "b.example"],
  ["jörg@b.example", null, "jörg", "b.example"],
  ["a@Bücher.example", null, "a", "xn--bcher-kva.example"],
  ["a@bu\u0308cher.example", null, "a", "xn--bcher-kva.example"],
  ["a@xn--bcher-kva.example", null, "a", "xn--bcher-kva.example"],
  ["a@straße.example", null, "a", "xn--strae-oqa.example"],
  ["a@例え.テスト", null, "a", "xn--r8jz45g.xn--zckzah"],
  ["a@1.2.3.example", null, "a", "1.2.3.example"],
  ["a@ab--cd.example", null, "a", "ab--cd.example"],
  [`${label(64)}@b.example`, null, label(64), "b.example"],
  [`a@${label(63)}.example`, null, "a", `${label(63)}.example`],
];

for (const [text, name, local, domain] of VALID) {
  test(`valid: ${text.slice(0, 60)}`, () => {
    const address = /<([^<]*@[^@]*)>$/.exec(text)?.[1] ?? text.trim();
    assert.deepEqual(parseMailbox(text), { type: "valid", name, address, local, domain });
  });
}

const INVALID: [text: string, detail: RegExp][] = [
  ["", /empty/],
  ["   ", /empty/],
  ["plain", /no "@"/],
  ["<plain>", /no "@"/],
  ["Name <>", /between the angle brackets/],
  ["@b.example", /nothing before/],
  ["a@", /nothing after/],
  ["a@b@c.example", /more than one "@"/],
  ["a@b.example, c@d.example", /Only one address/],
  ["a@b.example,c@d.example", /Only one address/],
  ["a@b.example; c@d.example", /Only one address/],
  ["A <a@b.example>, C <c@d.example>", /Only one address/],
  ["a@b.example c@d.example", /more than one "@"|space/],
  ["Doe, John <a@b.example>", /double quotes/],
  ["Name <a@b.example", /">".*missing/],
  ["Name a@b.example>", /without a "<"/],
  ["Name <a@b.example> x", /text after/],
  ["Name <<a@b.example>>", /missing|not allowed/],
  ['"Name <a@b.example>', /closing quotation mark is missing/],
  ["a b@c.example", /space/],
  ["a@b .example", /space/],
  ["a@ b.example", /space/],
  ["a\u00a0b@c.example", /space/],
  ['"a\u2028b"@c.example', /white space/],
  [".a@b.example", /starts with a dot/],
  ["a@b..example", /two dots/],
  ["a@.b.example", /dot directly after/],
  ["a@b.example.", /ends with a dot/],
  ["a(b)@c.example", /character \(/],
  ["a@b_c.example", /character _/],
  ["a@b%2ecom", /character %/],
  ["a@b.example:25", /character :/],
  ["a@b.example/x", /character \//],
  ["a@[1.2.3.4]", /IP address.*not supported/],
  ["a@[IPv6:::1]", /IP address.*not supported/],
  ["a@1.2.3.4", /IP address.*not supported/],
  ["a@b.0x7f", /IP address.*not supported/],
  ["a@１.2.3.example", /internationalised/],
  ["a@ｅｘａｍｐｌｅ.com", /internationalised/],
  ["a@exa\u00admple.com", /internationalised/],
  ["a@日本。jp", /internationalised/],
  ["a@xn--zz.example", /internationalised/],
  ["a@localhost", /two parts/],
  ["a@-b.example", /hyphen/],
  ["a@b-.example", /hyphen/],
  [`${label(65)}@b.example`, /64 octets/],
  [`${"é".repeat(33)}@b.example`, /64 octets/],
  [`a@${label(64)}.example`, /63 octets/],
  [`a@${`${label(49)}.`.repeat(5)}example`, /253 octets|254 octets/],
  [`${label(64)}@${`${label(47)}.`.repeat(4)}a`, /254 octets/],
  [`a@${"ü".repeat(120)}.${"ü".repeat(20)}.example`, /domain is longer than 253 octets/],
  [`${"n".repeat(2000)} <a@b.example>`, /1000 characters/],
  ["a\r\nBcc: c@d.example@b.example", /carriage return \(CR\)/],
  ["Name\n <a@b.example>", /line feed \(LF\)/],
  ["a@b.example\r", /carriage return/],
  ["a\0@b.example", /NUL/],
  ["N\tame <a@b.example>", /tab/],
  ["a@b.example\u0085", /U\+0085/],
  ["N\u001b <a@b.example>", /U\+001B/],
  ["\ud800 <a@b.example>", /surrogate/],
];

for (const [text, detail] of INVALID) {
  test(`invalid: ${JSON.stringify(text).slice(0, 60)}`, () => {
    const parsed = parseMailbox(text);
    assert.equal(parsed.type, "invalid");
    assert.match(parsed.type === "invalid" ? parsed.detail : "", detail);
  });
}

const ADDRESSES = (() => {
  const letters = fc.string({ unit: fc.constantFrom(..."aAz09._+-xn@"), minLength: 1, maxLength: 80 });
  const parts = fc.tuple(letters, letters).map(([local, domain]) => `${local}@${domain}.example`);
  const labels = fc.constantFrom("xn--bcher-kva", "xn--a", "-a", "a-", "a--b", "1", label(63), label(64), "A", "é");
  const unusual = fc.tuple(letters, labels, labels).map(([local, a, b]) => `${local}@${a}.${b}`);
  return fc.oneof(letters, parts, unusual);
})();

test("angle brackets change neither an address nor its error", () => {
  fc.assert(
    fc.property(ADDRESSES, (text) => {
      assert.deepEqual(parseMailbox(text), parseMailbox(`<${text}>`));
    }),
    { numRuns: 3000 },
  );
});

test("quotes around the display name change neither a mailbox nor its error", () => {
  const word = fc.string({ unit: fc.constantFrom(..."aZ09_"), minLength: 1, maxLength: 12 });
  const names = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(names, ADDRESSES, (name, address) => {
      assert.deepEqual(parseMailbox(`${name} <${address}>`), parseMailbox(`"${name}" <${address}>`));
    }),
    { numRuns: 3000 },
  );
});

test("hostile input is rejected quickly", () => {
  for (const piece of ['"', '"\\', "<", "a@", '"" ', "\\", "é.", "."]) {
    assert.equal(parseMailbox(piece.repeat(Math.floor(999 / piece.length))).type, "invalid", piece);
  }
  assert.equal(parseMailbox('"a" '.repeat(1_000_000)).type, "invalid");
});

test("mailboxes are equal by exact local part and normalised domain", () => {
  const key = (text: string) => {
    const parsed = parseMailbox(text);
    assert.ok(parsed.type === "valid");
    return mailboxKey(parsed.local, parsed.domain);
  };
  assert.equal(key("A <a@BÜCHER.example>"), key("a@xn--bcher-kva.example"));
  assert.notEqual(key("a@b.example"), key("A@b.example"));
});

test("isAscii distinguishes ASCII from non-ASCII addresses", () => {
  assert.equal(isAscii("a@b.example"), true);
  assert.equal(isAscii("ä@b.example"), false);
});

test("a bound domain covers itself and its subdomains", () => {
  assert.equal(covers("b.example", "b.example"), true);
  assert.equal(covers("b.example", "a.b.example"), true);
  assert.equal(covers("b.example", "ab.example"), false);
  assert.equal(covers("a.b.example", "b.example"), false);
});

test("a name that is an address needs no quotes", () => {
  for (const name of ["c@d.example", "Jane c@d.example", "x.@y"]) {
    const parsed = parseMailbox(`${name} <a@b.example>`);
    assert.deepEqual(parsed, { type: "valid", name, address: "a@b.example", local: "a", domain: "b.example" });
  }
});

test("dots that are valid in quotes alone are sent in quotes, and the address is the same with and without them", () => {
  for (const local of ["x..y", "x.", "x...y."]) {
    const parsed = parseMailbox(`Jane <${local}@docomo.example>`);
    const quoted = parseMailbox(`"${local}"@docomo.example`);
    assert.ok(parsed.type === "valid" && quoted.type === "valid", local);
    assert.deepEqual([parsed.address, parsed.local], [`${local}@docomo.example`, `"${local}"`]);
    assert.equal(mailboxKey(parsed.local, parsed.domain), mailboxKey(quoted.local, quoted.domain));
    const keys = [parsed, quoted].map(({ address, domain }) => refusalKey(address, domain));
    assert.equal(keys[0], keys[1]);
    assert.equal(wireAddress(parsed.address), `"${local}"@docomo.example`);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeDomainName } from "../../src/domains/domain-name.ts";

test("trims names, converts them to lower case and to A-labels", () => {
  const names: [string, string][] = [
    [" Example.COM. ", "example.com"],
    ["exämple.com", "xn--exmple-cua.com"],
    ["XN--exmple-cua.com", "xn--exmple-cua.com"],
    ["例え。jp", "xn--r8jz45g.jp"],
    ["mail.shop.co.uk", "mail.shop.co.uk"],
    ["shop.test", "shop.test"],
    ["site.github.io", "site.github.io"],
    [`${"a".repeat(63)}.com`, `${"a".repeat(63)}.com`],
  ];
  for (const [input, name] of names) assert.deepEqual(normalizeDomainName(input), { type: "valid", name }, input);
});

test("rejects names that cannot be a sending domain, with the reason", () => {
  const invalid: [string, RegExp][] = [
    ["", /Enter a domain name/],
    ["  . ", /Enter a domain name|two dots/],
    ["192.0.2.1", /IP address/],
    ["[192.0.2.1]", /IP address/],
    ["[IPv6:2001:db8::1]", /IP address/],
    ["2001:db8::1", /IP address/],
    ["1.2.3", /number/],
    ["0x7f.1", /number/],
    ["example.123", /number|international/],
    ["localhost", /single label/],
    ["https://example.com", /web address/],
    ["example.com/path", /web address/],
    ["me@example.com", /email address/],
    ["example.com:25", /port/],
    ["exam ple.com", /spaces/],
    ["exam\tple.com", /spaces/],
    ["a?b.com", /“\?”/],
    ["a#b.com", /“#”/],
    ["a\\b.com", /cannot contain/],
    ["*.example.com", /“\*”/],
    ["a%2e.com", /“%”/],
    ["a\u0000b.com", /cannot contain/],
    ["_dmarc.example.com", /underscore/],
    ["ａ＿b.com", /underscore/],
    ["-a.example.com", /“-a”/],
    ["a-.example.com", /“a-”/],
    ["a..example.com", /two dots/],
    [".example.com", /dot/],
    ["xn--a.com", /international characters/],
    [`${"a".repeat(64)}.com`, /63 characters/],
    [`${"abcdefg.".repeat(32)}com`, /253 characters/],
    ["a".repeat(5000), /253 characters/],
    [`${"ü".repeat(120)}.${"ü".repeat(20)}.example`, /253 characters/],
    ["com", /“com” is a public suffix.*example\.com/],
    ["co.uk", /public suffix/],
    ["github.io", /public suffix/],
  ];
  for (const [input, sentence] of invalid) {
    const name = normalizeDomainName(input);
    assert.equal(name.type, "invalid", JSON.stringify(input));
    assert.match(name.type === "invalid" ? name.detail : "", sentence, JSON.stringify(input));
  }
});

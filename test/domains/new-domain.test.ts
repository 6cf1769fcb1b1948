import assert from "node:assert/strict";
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { test } from "node:test";
import { createDomain, normaliseDomainName } from "../../src/domains/new-domain.ts";

test("a binding has a token, a matching RSA-2048 pair, a selector of the key and pending checks", async () => {
  const binding = await createDomain({ accountId: "acc_1", name: "example.com", nowMs: 5 });
  assert.equal(Buffer.from(binding.token, "base64url").length, 24);
  assert.match(binding.token, /^[A-Za-z0-9_-]{32}$/);
  const der = Buffer.from(binding.publicKey, "base64");
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
  assert.equal(publicKey.asymmetricKeyDetails?.modulusLength, 2048);
  assert.match(binding.privateKeyPem, /^-----BEGIN PRIVATE KEY-----/);
  const signature = sign("sha256", Buffer.from("x"), createPrivateKey(binding.privateKeyPem));
  assert.ok(verify("sha256", Buffer.from("x"), publicKey, signature));
  assert.equal(binding.selector, `pr${createHash("sha256").update(der).digest("hex").slice(0, 8)}`);
  assert.deepEqual([binding.accountId, binding.name, binding.createdAtMs], ["acc_1", "example.com", 5]);
  for (const check of Object.values(binding.checks)) {
    assert.equal(check.state, "pending");
    assert.equal(check.standing, false);
  }
  const other = await createDomain({ accountId: "acc_1", name: "example.com", nowMs: 5 });
  assert.notEqual(other.token, binding.token);
  assert.notEqual(other.selector, binding.selector);
});

test("names are trimmed, lower-cased and turned into A-labels", () => {
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
  for (const [input, name] of names) assert.deepEqual(normaliseDomainName(input), { type: "valid", name }, input);
});

test("what is no domain to send from is refused with its reason", () => {
  const refused: [string, RegExp][] = [
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
    ["exam ple.com", /blanks/],
    ["exam\tple.com", /blanks/],
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
    ["xn--a.com", /international letters/],
    [`${"a".repeat(64)}.com`, /63 characters/],
    [`${"abcdefg.".repeat(32)}com`, /253 characters/],
    ["a".repeat(5000), /253 characters/],
    ["com", /“com” is a public suffix.*example\.com/],
    ["co.uk", /public suffix/],
    ["github.io", /public suffix/],
  ];
  for (const [input, sentence] of refused) {
    const name = normaliseDomainName(input);
    assert.equal(name.type, "invalid", JSON.stringify(input));
    assert.match(name.type === "invalid" ? name.detail : "", sentence, JSON.stringify(input));
  }
});

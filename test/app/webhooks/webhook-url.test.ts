import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostOf, webhookUrlFault } from "../../../src/app/webhooks/webhook-url.ts";

const VALID = [
  "https://example.com",
  "https://example.com/",
  "https://hooks.example.com:8443/a/b?c=d&e=%20f",
  "HTTPS://EXAMPLE.com/",
  "https://example.com./",
  "https://müller.example/",
  "https://8.8.8.8/",
  "https://[2606:4700::1111]/",
];

/** The words that the sentence must have. */
const INVALID: [string, RegExp][] = [
  ["", /not an absolute URL/],
  ["example.com/hook", /not an absolute URL/],
  ["/hook", /not an absolute URL/],
  ["//example.com/hook", /not an absolute URL/],
  ["https:example.com", /not an absolute URL/],
  ["https:\\\\example.com", /not an absolute URL/],
  ["ftp://example.com/", /not ftp:/],
  ["file:///etc/passwd", /not file:/],
  ["javascript:alert(1)", /not an absolute URL/],
  ["https://", /not a valid URL/],
  ["https://example.com:99999/", /not a valid URL/],
  ["https://example.com:0/", /port 0/],
  ["https://8.8.8.8:00/", /port 0/],
  ["https://localhost../", /“localhost\.\.” is not valid/],
  ["https://127.0.0.1../", /“127\.0\.0\.1\.\.” is not valid/],
  ["https://example.com../", /1 to 63 characters/],
  ["https://a..example.com/", /1 to 63 characters/],
  ["https://.example.com/", /1 to 63 characters/],
  ["https://./", /1 to 63 characters/],
  ["https://a。。example.com/", /1 to 63 characters/],
  [`https://${"a".repeat(64)}.example.com/`, /1 to 63 characters/],
  ["https://exa mple.com/", /spaces or control/],
  ["https://exam\nple.com/", /spaces or control/],
  [" https://example.com/", /spaces or control/],
  ["https://example.com/\u0000", /spaces or control/],
  ["https://user@example.com/", /user name or password/],
  ["https://:secret@example.com/", /user name or password/],
  ["https://8.8.8.8@example.com/", /user name or password/],
  ["https://example.com/#top", /fragment/],
  ["https://example.com/#", /fragment/],
  [`https://example.com/${"x".repeat(1981)}`, /at most 2000 characters; this one has 2001/],
];

/** Refused unless private addresses are allowed; each names the setting. */
const PRIVATE: [string, RegExp][] = [
  ["http://example.com/", /HTTPS only/],
  ["https://localhost/", /local host/],
  ["https://LOCALHOST.:8443/", /local host/],
  ["https://a.localhost/", /local host/],
  ["https://intranet/", /no dot/],
  ["https://intranet./", /no dot/],
  ["https://127.0.0.1/", /loopback/],
  ["https://127.0.0.1./", /loopback/],
  ["https://0x7f.1/", /127\.0\.0\.1 is not public \(loopback\)/],
  ["https://2130706433/", /127\.0\.0\.1 is not public/],
  ["https://0177.0.0.1/", /127\.0\.0\.1 is not public/],
  ["https://127.1/", /127\.0\.0\.1 is not public/],
  ["https://１２７.0.0.1/", /127\.0\.0\.1 is not public/],
  ["https://0/", /unspecified/],
  ["https://10.0.0.1/", /private/],
  ["https://169.254.169.254/latest/meta-data", /link-local/],
  ["https://100.64.0.1/", /carrier-grade/],
  ["https://[::1]/", /loopback/],
  ["https://[::]/", /unspecified/],
  ["https://[::ffff:127.0.0.1]/", /loopback/],
  ["https://[::ffff:7f00:1]/", /loopback/],
  ["https://[::127.0.0.1]/", /reserved/],
  ["https://[64:ff9b::10.0.0.1]/", /private/],
  ["https://[64:ff9b:1::1]/", /NAT64/],
  ["https://[64:ff9b::808:404]/", /IPv4 inside IPv6/],
  ["https://[2002:7f00:1::]/", /loopback/],
  ["https://[2001::1]/", /reserved/],
  ["https://[fd00::1]/", /private/],
  ["https://[fe80::1]/", /link-local/],
  ["https://[fec0::1]/", /reserved/],
  ["https://224.0.0.1/", /multicast/],
  ["https://255.255.255.255/", /broadcast/],
];

describe("the fault of a webhook URL", () => {
  for (const allowPrivate of [false, true]) {
    it(`is null for a valid one (allowPrivate: ${allowPrivate})`, () => {
      for (const url of VALID) assert.equal(webhookUrlFault(url, { allowPrivate }), null, url);
    });

    it(`is a sentence (allowPrivate: ${allowPrivate})`, () => {
      for (const [url, words] of INVALID) {
        const fault = String(webhookUrlFault(url, { allowPrivate }));
        assert.match(fault, words, url);
        assert.match(fault, /^[A-Z].*\.$/, url);
      }
    });
  }

  it("names the setting that allows HTTP and private hosts", () => {
    for (const [url, words] of PRIVATE) {
      const fault = String(webhookUrlFault(url, { allowPrivate: false }));
      assert.match(fault, words, url);
      assert.match(fault, /WEBHOOK_ALLOW_PRIVATE/, url);
      assert.equal(webhookUrlFault(url, { allowPrivate: true }), null, url);
    }
  });

  it("does not repeat a password", () => {
    assert.doesNotMatch(String(webhookUrlFault("https://a:hunter2@example.com", { allowPrivate: false })), /hunter2/);
  });
});

it("the host of a URL has neither brackets nor a final dot", () => {
  assert.equal(hostOf(new URL("https://[::1]:8443/")), "::1");
  assert.equal(hostOf(new URL("https://Example.COM./")), "example.com");
});

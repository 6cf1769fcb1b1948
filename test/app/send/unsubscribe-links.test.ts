/** Unsubscribe links: HTTPS, except on loopback, and the address that they have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { UnsubscribeLinks } from "../../../src/app/send/unsubscribe-links.ts";
import { readUnsubscribeToken } from "../../../src/message/unsubscribe-token.ts";

const KEY = Buffer.alloc(32, 7);
const TARGET = { accountId: "acc_1", messageId: "msg_1", position: 0, email: "ann@one.example" };

const linksAt = (publicUrl: string): UnsubscribeLinks => new UnsubscribeLinks({ key: KEY, publicUrl: () => publicUrl });

test("links need HTTPS, unless they lead to this host itself", () => {
  for (const url of ["https://mail.shop.example", "http://localhost:8080", "http://127.0.0.2:1", "http://[::1]:8080"]) {
    assert.equal(linksAt(url).fault(), null, url);
  }
  for (const url of ["http://mail.shop.example", "http://10.0.0.1", "http://localhost.shop.example", "http://[::2]"]) {
    const fault = linksAt(url).fault() ?? "";
    assert.ok(fault.includes("RFC 8058") && fault.includes(url), fault);
  }
});

test("a link is below PUBLIC_URL, and has the token of its recipient", () => {
  for (const [publicUrl, prefix] of [
    ["https://mail.shop.example", "https://mail.shop.example/unsubscribe/"],
    ["https://shop.example/mail", "https://shop.example/mail/unsubscribe/"],
    ["https://bücher.example", "https://xn--bcher-kva.example/unsubscribe/"],
  ] as const) {
    const link = linksAt(publicUrl).linkFor(TARGET);
    assert.ok(link.startsWith(prefix), link);
    assert.deepEqual(readUnsubscribeToken(link.slice(prefix.length), KEY), TARGET);
    assert.match(link, /^[!-~]+$/);
  }
});

/** Unsubscribe links: HTTPS, except on loopback, and the address that they have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { UnsubscribeLinks } from "../../../src/app/send/unsubscribe-links.ts";
import { readUnsubscribeToken } from "../../../src/message/unsubscribe-token.ts";

const KEY = Buffer.alloc(32, 7);
const TARGET = { accountId: "acc_1", messageId: "msg_1", position: 0, email: "ann@one.example" };

const linksAt = (publicUrl: string, isPublicUrlSet = true): UnsubscribeLinks =>
  new UnsubscribeLinks({ key: KEY, publicUrl: () => publicUrl, isPublicUrlSet });

test("links need HTTPS, unless they lead to this server itself", () => {
  for (const isTest of [false, true]) {
    for (const url of ["https://mail.shop.example", "http://127.0.0.2:1", "http://[::1]:8080"]) {
      assert.equal(linksAt(url).fault({ isTest }), null, url);
    }
    for (const url of [
      "http://mail.shop.example",
      "http://10.0.0.1",
      "http://localhost.shop.example",
      "http://[::2]",
    ]) {
      const fault = linksAt(url).fault({ isTest }) ?? "";
      assert.ok(fault.includes("RFC 8058") && fault.includes(url), fault);
    }
  }
});

test("a live message has no link to localhost, nor any while PUBLIC_URL is not set; a test message may", () => {
  for (const [url, isSet] of [
    ["http://localhost:8080", false],
    ["https://localhost:8080", false],
    ["http://127.0.0.1:8080", false],
    ["http://localhost:8080", true],
  ] as const) {
    const links = linksAt(url, isSet);
    const fault = links.fault({ isTest: false }) ?? "";
    assert.ok(fault.startsWith("unsubscribe: ") && fault.includes("PUBLIC_URL") && fault.includes(url), fault);
    assert.equal(links.fault({ isTest: true }), null, url);
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

/** What a submitted message may have of Received fields and Message-ID. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSubmitted, type SubmittedResult } from "../../../src/message/submitted/submitted-message.ts";

function read(...fields: string[]): SubmittedResult {
  const message = ["From: hello@shop.example", ...fields, "", "Hi", ""].join("\r\n");
  return readSubmitted(Buffer.from(message), {
    recipients: [{ name: null, address: "b@customers.example", local: "b", domain: "customers.example" }],
    token: "token",
    dateMs: 0,
    eightBit: false,
    hashesBody: false,
  });
}

test("a message with more than 100 Received fields is in a loop", () => {
  const hops = (count: number): string[] => Array(count).fill("received: from a.example\r\n by b.example");
  assert.equal(read(...hops(100)).type, "valid");
  assert.deepEqual(read(...hops(101)), {
    type: "looping",
    detail: "The message has more than 100 Received fields: it is in a loop.",
  });
});

test("a Message-ID has at most 998 octets, on however many lines", () => {
  const ofOctets = (count: number): string => `Message-ID:\r\n <${"ü".repeat(60)}\r\n\t${"x".repeat(count - 363)}>`;
  const longest = read(ofOctets(998));
  assert.ok(longest.type === "valid");
  // Folding white space within an id stays.
  assert.equal(Buffer.byteLength(longest.draft.messageId), 998);
  assert.deepEqual(read(ofOctets(999)), { type: "invalid", detail: "The Message-ID is longer than 998 octets." });
});

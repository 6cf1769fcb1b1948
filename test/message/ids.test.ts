/** Ids: their form, their order, and their random part. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { bytesOfMessageId, isMessageId, messageId, messageIdOfBytes, randomToken } from "../../src/message/ids.ts";

const zeros = (sizeBytes: number) => Buffer.alloc(sizeBytes);
const ones = (sizeBytes: number) => Buffer.alloc(sizeBytes, 0xff);

test("isMessageId accepts exactly the form of message ids", () => {
  const id = messageId(1_700_000_000_000, randomBytes);
  assert.match(id, /^msg_[-\w]{24}$/);
  assert.ok(isMessageId(id));
  for (const other of [
    "",
    "msg_",
    id.slice(0, -1),
    `${id}a`,
    `${id}\n`,
    id.replace("msg_", "MSG_"),
    `${id.slice(0, -1)}+`,
  ]) {
    assert.equal(isMessageId(other), false, JSON.stringify(other));
  }
});

test("ids sort by their time, whatever their random part", () => {
  const times = [0, 1, 62, 63, 64, 65, 4095, 4096, 1_700_000_000_000, 1_700_000_000_001, 2 ** 47, 2 ** 48 - 1];
  const ids = times.map((time, index) => messageId(time, index % 2 === 0 ? ones : zeros));
  assert.deepEqual(ids.toSorted(), ids);
});

test("ids of one moment differ in their random part", () => {
  const ids = Array.from({ length: 1000 }, () => messageId(1_700_000_000_000, randomBytes));
  assert.equal(new Set(ids).size, ids.length);
});

test("an id stands for its bytes", () => {
  const bytes = Buffer.from(Array.from({ length: 18 }, (_, index) => index * 15));
  for (const each of [zeros(18), ones(18), bytes, randomBytes(18)]) {
    assert.deepEqual(bytesOfMessageId(messageIdOfBytes(each)), each);
  }
  const id = messageId(1_700_000_000_000, ones);
  assert.equal(bytesOfMessageId(id)?.readUIntBE(0, 6), 1_700_000_000_000);
  assert.equal(bytesOfMessageId(`${id}a`), null);
});

test("a random token is URL-safe and contains all its bytes", () => {
  const token = randomToken(32, randomBytes);
  assert.match(token, /^[-\w]{43}$/);
  assert.deepEqual(Buffer.from(randomToken(32, ones), "base64url"), ones(32));
});

/** Tokens of status pages: they name a recipient, and only the holder of the key can make one. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { readStatusToken, type StatusTarget, statusToken } from "../../src/message/status-token.ts";
import { unsubscribeToken } from "../../src/message/unsubscribe-token.ts";

const KEY = Buffer.alloc(32, 7);
const TARGET: StatusTarget = { messageId: "msg_-P6wKPyqgKf3C6ekSH_skV7I", position: 0 };

test("a token names the recipient that it was made for, and is the same each time", () => {
  for (const target of [TARGET, { ...TARGET, position: 65_535 }, { ...TARGET, messageId: `msg_${"z".repeat(24)}` }]) {
    const token = statusToken(target, KEY);
    assert.deepEqual(readStatusToken(token, KEY), target);
    assert.equal(statusToken(target, KEY), token);
    assert.match(token, /^[\w-]{48}$/, "it is part of a path without escapes");
  }
});

test("a token has as many bits of HMAC as one of an unsubscribe link", () => {
  const bytes = Buffer.from(statusToken(TARGET, KEY), "base64url");
  const mac = createHmac("sha256", KEY).update("status-page\0").update(bytes.subarray(0, 20)).digest();
  assert.deepEqual(bytes.subarray(20), mac.subarray(0, 16));
  const unsubscribe = unsubscribeToken({ accountId: "acc_1", email: "a@b.example", ...TARGET }, KEY);
  assert.equal(Buffer.from(unsubscribe.split(".")[1] ?? "", "base64url").length, 16);
});

test("a token of another key or of another recipient, and a changed one, name nothing", () => {
  const token = statusToken(TARGET, KEY);
  assert.equal(readStatusToken(statusToken(TARGET, Buffer.alloc(32, 8)), KEY), null);
  for (let at = 0; at < token.length; at += 1) {
    for (const character of ["A", "_", ".", "=", " "]) {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      if (changed !== token) assert.equal(readStatusToken(changed, KEY), null, `${character} at ${at}`);
    }
    assert.equal(readStatusToken(token.slice(0, at), KEY), null);
    assert.equal(readStatusToken(token + token.slice(at), KEY), null);
  }
  const [bytes, other] = [token, statusToken({ ...TARGET, position: 1 }, KEY)].map((t) => Buffer.from(t, "base64url"));
  assert.ok(bytes !== undefined && other !== undefined);
  const mixed = Buffer.concat([other.subarray(0, 20), bytes.subarray(20)]).toString("base64url");
  assert.equal(readStatusToken(mixed, KEY), null);
});

test("of 20,000 guesses, half of them with a known message, none names anything", () => {
  const name = Buffer.from(statusToken(TARGET, KEY), "base64url").subarray(0, 20);
  for (let i = 0; i < 10_000; i += 1) {
    for (const guess of [randomBytes(36), Buffer.concat([name, randomBytes(16)])]) {
      assert.equal(readStatusToken(guess.toString("base64url"), KEY), null);
    }
  }
});

test("nothing but a message's id and a position has a token", () => {
  assert.throws(() => statusToken({ ...TARGET, messageId: "msg_1" }, KEY), RangeError);
  assert.throws(() => statusToken({ ...TARGET, position: 65_536 }, KEY), RangeError);
});

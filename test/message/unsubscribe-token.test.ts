/** Tokens of unsubscribe links: they name a recipient, and only the holder of the key can make one. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { readUnsubscribeToken, type UnsubscribeTarget, unsubscribeToken } from "../../src/message/unsubscribe-token.ts";

const KEY = Buffer.alloc(32, 7);
const TARGET: UnsubscribeTarget = {
  accountId: "acc_default",
  messageId: "msg_-P6wKPyqgKf3C6ekSH_skV7I",
  position: 0,
  email: "ann@customers.example",
};

test("a token names the recipient that it was made for, and is the same each time", () => {
  const targets = [
    TARGET,
    { ...TARGET, position: 49 },
    { ...TARGET, test: true as const },
    { ...TARGET, email: '"a \\"b\\""@customers.example' },
    { ...TARGET, email: "jörg@bücher.example" },
    { ...TARGET, email: `${"l".repeat(64)}@${"d".repeat(60)}.${"d".repeat(60)}.${"d".repeat(60)}.example` },
  ];
  for (const target of targets) {
    const token = unsubscribeToken(target, KEY);
    assert.deepEqual(readUnsubscribeToken(token, KEY), target);
    assert.equal(unsubscribeToken(target, KEY), token);
    assert.match(token, /^[\w-]+\.[\w-]{22}$/, "it is part of a path without escapes");
  }
});

test("a token has the form that links in delivered messages have", () => {
  const payload = Buffer.from('["acc_default","msg_-P6wKPyqgKf3C6ekSH_skV7I",0,"ann@customers.example"]');
  const text = payload.toString("base64url");
  const mac = createHmac("sha256", KEY).update(`unsubscribe\0${text}`).digest().subarray(0, 16);
  assert.equal(unsubscribeToken(TARGET, KEY), `${text}.${mac.toString("base64url")}`);
});

test("a token of another key, and a changed one, name nothing", () => {
  const token = unsubscribeToken(TARGET, KEY);
  assert.equal(readUnsubscribeToken(unsubscribeToken(TARGET, Buffer.alloc(32, 8)), KEY), null);
  for (let at = 0; at < token.length; at += 1) {
    for (const character of ["A", "_", ".", "=", " "]) {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      if (changed !== token) assert.equal(readUnsubscribeToken(changed, KEY), null, `${character} at ${at}`);
    }
    assert.equal(readUnsubscribeToken(token.slice(0, at), KEY), null);
    assert.equal(readUnsubscribeToken(token.slice(at + 1), KEY), null);
  }
});

test("forged tokens name nothing", () => {
  const other = unsubscribeToken({ ...TARGET, email: "bob@customers.example" }, KEY);
  const [payload, mac] = [unsubscribeToken(TARGET, KEY).split(".")[0], other.split(".")[1]];
  const unsigned = createHmac("sha256", "").update(`unsubscribe\0${payload}`).digest().subarray(0, 16);
  const forged = [`${payload}.${mac}`, `${payload}.`, `${payload}`, `.${mac}`, "", "x".repeat(100_000)];
  for (const token of [...forged, `${payload}.${unsigned.toString("base64url")}`, `${payload}.${"A".repeat(22)}`]) {
    assert.equal(readUnsubscribeToken(token, KEY), null, token.slice(0, 100));
  }
});

test("a token has one spelling", () => {
  const token = unsubscribeToken(TARGET, KEY);
  // The last character of 16 bytes in base64 has four bits that mean nothing.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const spellings = [...alphabet].map((last) => token.slice(0, -1) + last);
  const valid = spellings.filter((each) => readUnsubscribeToken(each, KEY) !== null);
  assert.deepEqual(valid, [token]);
});

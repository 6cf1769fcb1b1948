/** Envelope senders with a tag: what they carry, and that nothing else passes for one. */
import assert from "node:assert/strict";
import { createHmac, randomBytes, randomInt } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { parseMailbox } from "../../src/message/address.ts";
import { messageId } from "../../src/message/ids.ts";
import {
  bouncesDomain,
  fitsReturnPath,
  readReturnPath,
  returnPathAddress,
  senderDomain,
} from "../../src/message/return-path.ts";

const KEY = Buffer.alloc(32, 7);
const MESSAGE_ID = messageId(1_700_000_000_000, randomBytes);
const OWN = { messageId: MESSAGE_ID, position: 3, domain: "shop.example" };
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

const localOf = (address: string): string => address.slice(0, address.indexOf("@"));

test("message, recipient and domain come back, for any id, position and domain", () => {
  const ids = fc.stringMatching(/^msg_[-0-9A-Z_a-z]{24}$/);
  const positions = fc.integer({ min: 0, max: 65_535 });
  const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(ids, positions, fc.domain(), keys, (id, position, domain, key) => {
      const path = { messageId: id, position, domain: domain.toLowerCase() };
      assert.deepEqual(readReturnPath(returnPathAddress(path, key), key), path);
    }),
  );
});

test("the ids and positions at the limits", () => {
  const characters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  const ids = [...characters].map((character) => `msg_${character.repeat(24)}`);
  const inTurns = [0, 20, 40].map((from) => `msg_${characters.slice(from, from + 24)}`);
  for (const id of [...ids, ...inTurns]) {
    for (const position of [0, 1, 255, 256, 65_535]) {
      const path = { messageId: id, position, domain: "shop.example" };
      assert.deepEqual(readReturnPath(returnPathAddress(path, KEY), KEY), path);
    }
  }
});

test("the address is an ordinary one, of the return path's domain, and the same each time", () => {
  const address = returnPathAddress(OWN, KEY);
  assert.match(address, /^b-[a-z2-7]{45}@bounces\.shop\.example$/);
  assert.ok(localOf(address).length <= 64);
  assert.equal(parseMailbox(address).type, "valid");
  assert.equal(returnPathAddress(OWN, KEY), address);
});

test("the tag is eight bytes of HMAC-SHA256 over purpose, domain, id and position", () => {
  const id = Buffer.alloc(18);
  const address = returnPathAddress({ messageId: `msg_${"-".repeat(24)}`, position: 258, domain: "a.example" }, KEY);
  const input = Buffer.concat([Buffer.from("return-path\0a.example"), id, Buffer.from([1, 2])]);
  const tag = createHmac("sha256", KEY).update(input).digest().subarray(0, 8);
  const bits = [...localOf(address).slice(2)].map((each) => ALPHABET.indexOf(each).toString(2).padStart(5, "0"));
  const bytes = (bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  assert.deepEqual(Buffer.from(bytes), Buffer.concat([id, Buffer.from([1, 2]), tag]));
});

test("case does not matter, in the local part and in the domain", () => {
  const address = returnPathAddress(OWN, KEY);
  for (const written of [address.toUpperCase(), address.replace("b-", "B-"), address.replace("shop", "Shop")]) {
    assert.deepEqual(readReturnPath(written, KEY), OWN);
  }
  const mixed = [...address].map((each, index) => (index % 2 === 0 ? each.toUpperCase() : each)).join("");
  assert.deepEqual(readReturnPath(mixed, KEY), OWN);
});

test("one changed character anywhere makes the address forged", () => {
  const address = returnPathAddress(OWN, KEY);
  const local = localOf(address);
  for (let at = 2; at < local.length; at += 1) {
    for (const other of ALPHABET) {
      if (other === address[at]) continue;
      const changed = `${address.slice(0, at)}${other}${address.slice(at + 1)}`;
      assert.equal(readReturnPath(changed, KEY), null, changed);
    }
  }
});

test("another key, another domain or the tag of another recipient makes the address forged", () => {
  const address = returnPathAddress(OWN, KEY);
  assert.equal(readReturnPath(address, Buffer.alloc(32, 8)), null);
  for (const domain of ["shop.exampl", "shop.examples", "a.shop.example", "op.example", "example"]) {
    assert.equal(readReturnPath(`${localOf(address)}@${bouncesDomain(domain)}`, KEY), null, domain);
  }
  const next = localOf(returnPathAddress({ ...OWN, position: 4 }, KEY));
  // The tag is in the last 13 characters.
  const mixed = `${localOf(address).slice(0, -13)}${next.slice(-13)}@bounces.shop.example`;
  assert.equal(readReturnPath(mixed, KEY), null);
});

test("10,000 guessed addresses are forged", () => {
  for (let count = 0; count < 10_000; count += 1) {
    const guessed = Array.from({ length: 45 }, () => ALPHABET[randomInt(32)]).join("");
    assert.equal(readReturnPath(`b-${guessed}@bounces.shop.example`, KEY), null);
  }
});

test("other addresses are not ours", () => {
  const address = returnPathAddress(OWN, KEY);
  const local = localOf(address);
  const others = [
    "",
    "@",
    "b-@bounces.shop.example",
    "postmaster@bounces.shop.example",
    local,
    `${local}@`,
    `${local}@bounces.`,
    `${local}@bounces`,
    `${local}@shop.example`,
    `${local}@xbounces.shop.example`,
    `${local}@bounces.bounces.shop.example`,
    `${local}@bounces.shop.example.`,
    `${local}@bounces.shop.example\n`,
    ` ${address}`,
    `<${address}>`,
    `"${local}"@bounces.shop.example`,
    `${local}+tag@bounces.shop.example`,
    `${local}a@bounces.shop.example`,
    `${local.slice(0, -1)}@bounces.shop.example`,
    `${local.slice(0, -1)}=@bounces.shop.example`,
    address.replace("b-", "c-"),
    address.replace("b-", "b_"),
    `x@${address}`,
    // The Kelvin sign is a "k" in lower case.
    address.replace(/[a-z2-7]@/, "\u212a@"),
  ];
  for (const other of others) assert.equal(readReturnPath(other, KEY), null, JSON.stringify(other));
});

test("any text is read without an error", () => {
  const text = (minLength: number) => fc.string({ unit: "binary", minLength, maxLength: 45 });
  const alike = fc.tuple(text(45), text(0)).map(([local, domain]) => `b-${local}@bounces.${domain}`);
  const texts = fc.oneof(text(0), alike);
  fc.assert(fc.property(texts, (text) => assert.equal(readReturnPath(text, KEY), null)));
});

test("an id or a position that is none is an error", () => {
  assert.throws(() => returnPathAddress({ ...OWN, messageId: "msg_a" }, KEY), RangeError);
  for (const position of [-1, 65_536]) assert.throws(() => returnPathAddress({ ...OWN, position }, KEY), RangeError);
});

test("the return path's domain, and back", () => {
  assert.equal(bouncesDomain("shop.example"), "bounces.shop.example");
  assert.equal(senderDomain("bounces.shop.example"), "shop.example");
  assert.equal(senderDomain("Bounces.Shop.Example"), "shop.example");
  assert.equal(senderDomain("bounces.bounces.example"), "bounces.example");
  for (const other of ["shop.example", "bounces.", "bounces", "xbounces.shop.example", ""]) {
    assert.equal(senderDomain(other), null, other);
  }
});

test("a domain too long for the addresses of a return path has none", () => {
  const longest = `${"a".repeat(58)}.${"b".repeat(63)}.${"c".repeat(63)}.example.org`;
  assert.ok(fitsReturnPath(longest));
  assert.equal(returnPathAddress({ ...OWN, domain: longest }, KEY).length, 254);
  assert.equal(fitsReturnPath(`a${longest}`), false);
});

/** Masked addresses: recognised by who knows the address, and by nobody else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { maskedAddress } from "../../../src/app/status/masked-address.ts";

const MASKED: [address: string, masked: string][] = [
  ["ann@gmail.com", "a***@gm***.com"],
  ["a@gmail.com", "***@gm***.com"],
  ["ab@qq.com", "a***@q***.com"],
  ["ann@x.io", "a***@***.io"],
  ["ann@mail.shop.example", "a***@ma***.example"],
  ["jörg@bücher.example", "j***@bü***.example"],
  ["😀😀😀@shop.example", "😀***@sh***.example"],
  ['"a b@c"@shop.example', '"***@sh***.example'],
  ["ann@localhost", "a***@lo***"],
  ["ann@[192.0.2.1]", "a***@[1***"],
];

test("an address shows the beginnings of its parts, and its top-level domain", () => {
  for (const [address, masked] of MASKED) assert.equal(maskedAddress(address), masked);
});

test("a masked address has neither the whole local part nor the whole domain, whatever their length", () => {
  for (let length = 1; length <= 64; length += 1) {
    const masked = maskedAddress(`${"l".repeat(length)}@${"d".repeat(Math.min(length, 63))}.example`);
    const [local = "", domain = ""] = masked.split("@");
    assert.ok(local.replace("***", "").length < length, masked);
    assert.ok(domain.replace("***.example", "").length < length, masked);
  }
});

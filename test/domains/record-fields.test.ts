import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldsOf, nameIn, zoneOf } from "../../src/domains/record-fields.ts";

test("the zone is the registered domain", () => {
  assert.equal(zoneOf("shop.example"), "shop.example");
  assert.equal(zoneOf("news.shop.example"), "shop.example");
  assert.equal(zoneOf("a.b.shop.co.uk"), "shop.co.uk");
  // A private suffix: its owner gives each name to somebody else.
  assert.equal(zoneOf("news.shop.github.io"), "shop.github.io");
});

test("names are relative to the zone", () => {
  assert.equal(nameIn("shop.example", "shop.example"), "@");
  assert.equal(nameIn("_dmarc.shop.example", "shop.example"), "_dmarc");
  assert.equal(nameIn("_dmarc.news.shop.example", "shop.example"), "_dmarc.news");
  assert.equal(nameIn("othershop.example", "shop.example"), "othershop.example");
});

test("the priority is taken from the value of an MX record alone", () => {
  const name = "shop.example";
  assert.deepEqual(fieldsOf({ type: "MX", name, value: "10 mail.shop.example" }, name), {
    relativeName: "@",
    priority: 10,
    value: "mail.shop.example",
  });
  assert.deepEqual(fieldsOf({ type: "TXT", name, value: "10 mail.shop.example" }, name), {
    relativeName: "@",
    priority: null,
    value: "10 mail.shop.example",
  });
});

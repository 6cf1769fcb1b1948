/** Marked differences between an expected and a published record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiffPart, difference } from "../../../src/dashboard/views/difference.ts";

/** The text with its marked parts in brackets. */
const marked = (parts: DiffPart[]): string => parts.map(({ text, differs }) => (differs ? `[${text}]` : text)).join("");

test("marks words that only one of the records has", () => {
  const cases = [
    ["v=spf1 ip4:192.0.2.1 [ip4:127.0.0.1 ]~all", "v=spf1 ip4:192.0.2.1 ~all"],
    ["v=DMARC1; p=none; sp=[reject]", "v=DMARC1; p=none; sp=[rejct]"],
    ["_dmarc.shop.example", "_dmarc.shop.example[.shop.example]"],
    ["v=DMARC1; p=none", "v=DMARC1; p=none"],
  ];
  for (const [expected = "", found = ""] of cases) {
    const parts = difference(expected.replace(/[[\]]/g, ""), found.replace(/[[\]]/g, ""));
    assert.deepEqual([marked(parts.expected), marked(parts.found)], [expected, found]);
  }
});

test("marks one wrong character of a key without marking the whole key", () => {
  const key = "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A".repeat(12);
  const { found } = difference(`p=${key}`, `p=${key.slice(0, 200)}x${key.slice(201)}`);
  const differing = found.filter(({ differs }) => differs);
  assert.equal(differing.length, 1);
  assert.ok((differing[0]?.text.length ?? 0) <= 16);
});

test("marks both records as a whole when they have little in common", () => {
  const [expected, found] = ["a;".repeat(500), "b:c=".repeat(250)];
  const whole = (text: string): DiffPart[] => [{ text, differs: true }];
  assert.deepEqual(difference(expected, found), { expected: whole(expected), found: whole(found) });
});

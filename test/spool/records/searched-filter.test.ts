/** The moment that a Message-ID names is searched first; recipients are selected as the indexes of both forms select them. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { messageIdToken } from "../../../src/message/ids.ts";
import { filtersOf, isSelected } from "../../../src/spool/records/searched-filter.ts";

const BASE = { accountId: "acc_1", limit: 1 };

test("the moment of a Message-ID that Postrider has made is searched first", () => {
  const messageId = `<${messageIdToken(1234, randomBytes)}@a.example>`;
  const filter = { ...BASE, messageId };
  assert.deepEqual(filtersOf(filter), [{ ...filter, sinceMs: 1234, untilMs: 1235 }, filter]);
  for (const other of [
    BASE,
    { ...filter, sinceMs: 1235 },
    { ...filter, untilMs: 1234 },
    { ...BASE, messageId: "<x@a.example>" },
  ]) {
    assert.deepEqual(filtersOf(other), [other]);
  }
});

test("a recipient is selected by address, result, category, reason and the time of its result", () => {
  const ann = {
    email: "Ann@a.example",
    result: "failed",
    category: "policy",
    reason: "blocked",
    updatedAtMs: 5,
  } as const;
  const selecting = [
    {},
    { recipient: "ann@" },
    { recipient: "ANN@a.ex" },
    { recipient: "@A.example" },
    { recipient: "nn" },
    { recipientIs: "ann@a.example" },
    { result: "failed" as const },
    { category: "policy" as const },
    { reason: "blocked" },
    { resultSinceMs: 5 },
    { resultUntilMs: 6 },
  ];
  const others = [
    { recipient: "nn@" },
    { recipient: "@a.exampl" },
    { recipient: "ben" },
    { recipientIs: "ann@a" },
    { reason: "other" },
    { resultSinceMs: 6 },
    { resultUntilMs: 5 },

    { result: "pending" as const },
    { category: "network" as const },
    { recipient: "ann@", result: "unknown" as const },
  ];
  for (const filter of selecting) assert.ok(isSelected(ann, filter), JSON.stringify(filter));
  for (const filter of others) assert.ok(!isSelected(ann, filter), JSON.stringify(filter));
});

/** What is read of a DMARC record, row by row of the RFC. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { appliedPolicy, type DmarcRecord, isDmarc, POLICIES, readDmarc } from "../../src/dmarc/record.ts";
import { RECORDS } from "./records.ts";

function meaningOf({ p, sp, np, isTest, psd, strictDkim, strictSpf, isApplied }: DmarcRecord): string {
  if (!isApplied) return "not applied";
  const more = [isTest && "t", psd !== "u" && `psd=${psd}`, strictDkim && "adkim=s", strictSpf && "aspf=s"];
  return [p, sp, np, ...more.filter((each) => each !== false)].join(" ");
}

for (const { section, text, isRecord, meaning, faults } of RECORDS) {
  test(`RFC 9989 ${section}: ${JSON.stringify(text)} is ${isRecord ? meaning : "no record"}`, () => {
    assert.equal(isDmarc(text), isRecord);
    if (!isRecord) return;
    const record = readDmarc(text);
    assert.equal(meaningOf(record), meaning);
    assert.deepEqual(
      record.faults.map(({ type }) => type),
      faults,
    );
  });
}

test("the table has rows enough, each of another record", () => {
  assert.ok(new Set(RECORDS.map(({ text }) => text)).size >= 54);
});

test("test mode applies the next weaker policy", () => {
  assert.deepEqual(
    POLICIES.map((policy) => appliedPolicy({ isTest: true }, policy)),
    ["none", "none", "quarantine"],
  );
  assert.deepEqual(
    POLICIES.map((policy) => appliedPolicy({ isTest: false }, policy)),
    [...POLICIES],
  );
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { correctedRecord } from "../../src/domains/corrected-record.ts";
import { dmarcRecord } from "../../src/domains/records.ts";
import { type DomainCheck, uncheckedRecord } from "../../src/spool/port/domains.ts";

const RECORD = dmarcRecord({ name: "shop.example" });
const failed = (parts: Partial<DomainCheck>): DomainCheck => ({
  ...uncheckedRecord(),
  state: "failed",
  expected: "v=DMARC1; p=reject",
  ...parts,
});

it("is the proposed record until the check has run", () => {
  assert.deepEqual(correctedRecord(RECORD, uncheckedRecord()), RECORD);
});

it("is the correction of what is published, at the name that needs it, and says what to do with the rest", () => {
  const missing = correctedRecord(RECORD, failed({ found: [] }));
  assert.deepEqual(missing, { ...RECORD, value: "v=DMARC1; p=reject" });
  const noteOf = (parts: Partial<DomainCheck>) => correctedRecord(RECORD, failed(parts)).note;
  assert.match(noteOf({ found: ["p=reject"] }), /^This replaces the published record/);
  assert.match(noteOf({ found: ["a", "b"] }), /^This record replaces all published records: delete the others/);
  assert.match(noteOf({ found: ["a"], foundAt: "dmarc.shop.example" }), /delete the one at dmarc\.shop\.example\.$/);
  assert.match(noteOf({ state: "verified", found: ["v=DMARC1; p=none"], warnings: ["Add rua."] }), /^This replaces/);
  assert.equal(noteOf({ state: "verified", found: ["10 mail.shop.example"] }), RECORD.note);
  const elsewhere = { found: ["a"], foundAt: "_dmarc.example", expectedAt: "_dmarc.example" };
  assert.equal(correctedRecord(RECORD, failed(elsewhere)).name, "_dmarc.example");
});

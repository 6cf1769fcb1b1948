/**
 * Checks that whoever adds the domain controls its DNS: the token is published at `_postrider.NAME`. Other TXT records at
 * that name are allowed.
 */
import type { CheckResult, PublishingDomain, RecordCheck } from "./check.ts";
import { displayRecords, quote, temporaryFailure } from "./check.ts";
import { findMisplacedRecord } from "./misplaced-record.ts";
import { ownershipRecord } from "./records.ts";

const PREFIX = "postrider-verification=";

export const checkOwnership: RecordCheck = async (domain, { resolver }) => {
  const { name, value: expected } = ownershipRecord(domain);
  const answer = await resolver.txt(name);
  if (answer.type === "failure") return temporaryFailure(`the TXT record of ${name}`, answer, expected);
  const records = answer.type === "found" ? answer.records : [];
  if (records.some((record) => stripQuotes(record) === expected)) {
    return {
      state: "verified",
      detail: `The token is published at ${name}.`,
      expected,
      found: displayRecords(records),
    };
  }
  const failed = (detail: string, found = records): CheckResult => ({
    state: "failed",
    detail,
    expected,
    found: displayRecords(found),
  });
  if (records.length > 0) return failed(explainRecords(records, domain));
  const elsewhere = await findMisplacedRecord(resolver, {
    label: "_postrider",
    domain: domain.name,
    mistakenLabels: ["postrider", "_postrider-verification", "postrider-verification"],
    matches: (record) => stripQuotes(record) === expected,
  });
  if (elsewhere === null) return failed(`There is no TXT record at ${name}. Add one with the value ${expected}.`);
  const { sentence, found, at } = elsewhere;
  return { ...failed(`${sentence} Use the value ${expected}`, found), foundAt: at };
};

function explainRecords(records: string[], domain: PublishingDomain): string {
  const { name, value: expected } = ownershipRecord(domain);
  const values = records.map(stripQuotes);
  if (values.includes(domain.token)) {
    return `The TXT record at ${name} contains the token without its prefix. Put “${PREFIX}” in front of it: ${expected}.`;
  }
  if (values.some((value) => value.toLowerCase() === expected.toLowerCase())) {
    return `The token at ${name} differs in upper and lower case. Enter it exactly: ${expected}.`;
  }
  const other = records.find((record) => stripQuotes(record).toLowerCase().startsWith(PREFIX));
  if (other !== undefined) {
    return `A different token is published at ${name}: ${quote(other)}. It belongs to an earlier or another addition of the domain. Add a TXT record with the value ${expected}, or replace it.`;
  }
  return `The TXT record at ${name} is ${quote(records[0] ?? "")}, which is not a token. Add one with the value ${expected}.`;
}

/** Quotes and spaces pasted with the token do not make the proof weaker. */
function stripQuotes(record: string): string {
  return record.replace(/["\\]/g, "").trim();
}

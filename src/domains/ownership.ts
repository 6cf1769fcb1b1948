/**
 * Ownership: whoever binds the domain can write into its DNS.
 * Decides whether the token is published at `_postrider.NAME`. Other TXT records beside it do no harm.
 */
import type { Check, Publisher, Seen } from "./check.ts";
import { quoted, shown, troubled } from "./check.ts";
import { misplaced } from "./misplaced.ts";
import { ownershipRecord } from "./records.ts";

const PREFIX = "postrider-verification=";

export const checkOwnership: Check = async (domain, { resolver }) => {
  const { name, value: expected } = ownershipRecord(domain);
  const answer = await resolver.txt(name);
  if (answer.type === "trouble") return troubled(`the TXT record of ${name}`, answer, expected);
  const records = answer.type === "found" ? answer.records : [];
  if (records.some((record) => bare(record) === expected)) {
    return { state: "verified", detail: `The token is published at ${name}.`, expected, found: shown(records) };
  }
  const failed = (detail: string, found = records): Seen => ({
    state: "failed",
    detail,
    expected,
    found: shown(found),
  });
  if (records.length > 0) return failed(otherRecords(records, domain));
  const elsewhere = await misplaced(resolver, {
    label: "_postrider",
    domain: domain.name,
    slips: ["postrider", "_postrider-verification", "postrider-verification"],
    isIt: (record) => bare(record) === expected,
  });
  if (elsewhere)
    return { ...failed(`${elsewhere.sentence} The value: ${expected}`, elsewhere.found), foundAt: elsewhere.at };
  return failed(`There is no TXT record at ${name}. Add one with the value ${expected}.`);
};

function otherRecords(records: string[], { name, token }: Publisher): string {
  const right = `${PREFIX}${token}`;
  const place = `_postrider.${name}`;
  const values = records.map(bare);
  if (values.includes(token)) {
    return `The TXT record at ${place} holds the bare token. Put “${PREFIX}” in front of it: ${right}.`;
  }
  if (values.some((value) => value.toLowerCase() === right.toLowerCase())) {
    return `The token at ${place} has other capitals than it should. Enter it exactly: ${right}.`;
  }
  const other = records.find((record) => bare(record).toLowerCase().startsWith(PREFIX));
  if (other !== undefined) {
    return `Another token is published at ${place}: ${quoted(other)}, from an earlier or another binding. Add a TXT record with the value ${right}, or replace it.`;
  }
  return `The TXT record at ${place} reads ${quoted(records[0] ?? "")}, which is no token. Add one with the value ${right}.`;
}

/** Pasted quotes and blanks do not make the proof weaker. */
function bare(record: string): string {
  return record.replace(/["\\]/g, "").trim();
}

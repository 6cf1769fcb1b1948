/**
 * Checks that the public half of our DKIM key is published in a form that every receiver reads (RFC 6376 §3.6.1). Parses as
 * strictly as the strictest receiver: a lenient parser would hide failing signatures.
 */
import type { Resolver } from "../dns/resolver.ts";
import { parseTagList, type Tag, tagValue } from "../dns/tag-list.ts";
import type { CheckContext, CheckResult, KeyedDomain } from "./check.ts";
import { displayRecords, quote, temporaryFailure } from "./check.ts";
import { repairDkim } from "./dkim-repair.ts";
import { findMisplacedRecord } from "./misplaced-record.ts";
import { dkimRecord } from "./records.ts";

export async function checkDkim(
  domain: KeyedDomain,
  { resolver }: Pick<CheckContext, "resolver">,
): Promise<CheckResult> {
  const { name, value: expected } = dkimRecord(domain);
  const answer = await resolver.txt(name);
  if (answer.type === "failure") return temporaryFailure(`the TXT record of ${name}`, answer, expected);
  const records = answer.type === "found" ? answer.records : [];
  const [record, second] = records;
  if (record === undefined) return missingResult(domain, resolver);
  return second === undefined ? checkRecord(record, domain) : severalRecords(records, domain);
}

function checkRecord(record: string, domain: KeyedDomain): CheckResult {
  const { name, value } = dkimRecord(domain);
  const repaired = repairDkim(record, value);
  const found = displayRecords([record]);
  const verdict = evaluateRecord(record, domain);
  if (verdict.fault !== null) {
    const detail = `${toSentence(verdict.fault)} Publish exactly ${repaired} at ${name}.`;
    return { state: "failed", detail, expected: repaired, found };
  }
  const { notes, warnings } = verdict;
  const detail = [`Our key is published at ${name}.`, ...warnings, ...notes].join(" ");
  return { state: "verified", detail, expected: warnings.length > 0 ? repaired : record, found, warnings };
}

function severalRecords(records: string[], domain: KeyedDomain): CheckResult {
  const { name, value } = dkimRecord(domain);
  const own = records.find((text) => holdsKey(text, domain.publicKey)) ?? records[0] ?? "";
  const expected = repairDkim(own, value);
  const detail = `There are ${records.length} TXT records at ${name}, and a receiver may read any of them. Keep only this one: ${expected}.`;
  return { state: "failed", detail, expected, found: displayRecords(records) };
}

async function missingResult(domain: KeyedDomain, resolver: Resolver): Promise<CheckResult> {
  const { name, value: expected } = dkimRecord(domain);
  const { selector, publicKey } = domain;
  const elsewhere = await findMisplacedRecord(resolver, {
    label: `${selector}._domainkey`,
    domain: domain.name,
    mistakenLabels: [selector, `${selector}.domainkey`, ...MISTAKEN_LABELS],
    matches: isDkimRecord,
    isOwn: (record) => holdsKey(record, publicKey),
  });
  if (elsewhere === null) {
    const detail = `There is no TXT record at ${name}. Add one with the value ${expected}.`;
    return { state: "failed", detail, expected, found: [] };
  }
  const { at, sentence, found } = elsewhere;
  const right = repairDkim(found[0] ?? "", expected);
  const detail = `${sentence} Use the value ${right}`;
  return { state: "failed", detail, expected: right, found: displayRecords(found), foundAt: at };
}

/** Labels at which users publish the key when they mistake the selector. */
const MISTAKEN_LABELS = ["_domainkey", ...["default", "dkim", "mail", "postrider"].map((name) => `${name}._domainkey`)];

/** Whether the text contains our key, whole or truncated. */
function holdsKey(record: string, publicKey: string): boolean {
  return record.replace(/[\s"\\]+/g, "").includes(publicKey.slice(0, OWN_KEY_PREFIX_MIN + 12));
}

type Verdict = { fault: string } | { fault: null; notes: string[]; warnings: string[] };

function evaluateRecord(record: string, domain: KeyedDomain): Verdict {
  if (/["\\]/.test(record)) return { fault: pastedFault(record) };
  const list = parseTagList(record);
  if (list.type === "malformed") return { fault: `the record is malformed: ${list.detail}` };
  const fault =
    versionFault(list.tags) ??
    typeFault(list.tags) ??
    keyFault(record, list.tags, domain.publicKey) ??
    useFault(list.tags);
  return fault === null ? { fault, ...flagNotes(list.tags, domain.name) } : { fault };
}

function pastedFault(record: string): string {
  const characters = ['"', "\\"]
    .filter((character) => record.includes(character))
    .map((character) => (character === '"' ? "quotes" : "backslashes"));
  return `the published value contains ${characters.join(" and ")} as part of the text: ${quote(record)}. Enter it without them`;
}

function versionFault(tags: Tag[]): string | null {
  const version = tagValue(tags, "v");
  if (version === null) return null;
  if (version !== "DKIM1") return `the record has v=${version.slice(0, 40)}; it must be exactly v=DKIM1`;
  return tags[0]?.name === "v" ? null : "v=DKIM1 must be the first tag of the record";
}

function typeFault(tags: Tag[]): string | null {
  const type = tagValue(tags, "k") ?? "rsa";
  return type === "rsa" ? null : `the record has k=${type.slice(0, 40)}, but the key is an RSA key (k=rsa)`;
}

function keyFault(record: string, tags: Tag[], ours: string): string | null {
  const value = tagValue(tags, "p");
  if (value === null) return "the record has no p= tag, which holds the key";
  const published = value.replace(/\s+/g, "");
  if (published === "") return "the p= tag is empty, which revokes the key";
  const common = commonLength(published, ours);
  if (common === published.length && common < ours.length && !sameBytes(published, ours)) {
    return truncatedFault(record, published, ours);
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(published)) {
    return "the p= tag contains characters that are not valid base64";
  }
  if (sameBytes(published, ours)) return null;
  if (common >= OWN_KEY_PREFIX_MIN) {
    return `the published key matches ours up to character ${common} and then differs (${published.length} characters instead of ${ours.length}): it was damaged when it was copied`;
  }
  const length =
    published.length < ours.length ? ` and shorter (${published.length} characters instead of ${ours.length})` : "";
  return `the published key is not ours${length}`;
}

/** Every RSA-2048 key begins with the same 44 characters; a longer common prefix is not a coincidence. */
const OWN_KEY_PREFIX_MIN = 52;

function truncatedFault(record: string, published: string, ours: string): string {
  const cause =
    record.length >= 245 && record.length <= 260
      ? " The DNS panel cut the value at 255 characters: enter it as two strings of one record."
      : "";
  return `the published key is truncated after ${published.length} of ${ours.length} characters.${cause}`;
}

function sameBytes(published: string, ours: string): boolean {
  return Buffer.from(published, "base64").equals(Buffer.from(ours, "base64"));
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function useFault(tags: Tag[]): string | null {
  const hashes = tagValue(tags, "h");
  if (hashes !== null && !listItems(hashes).includes("sha256")) {
    return `the record has h=${hashes.slice(0, 40)}, but our signatures use SHA-256. Remove h= or add sha256`;
  }
  const services = tagValue(tags, "s");
  if (services !== null && !listItems(services).some((service) => service === "*" || service === "email")) {
    return `the record has s=${services.slice(0, 40)}, which does not allow email. Remove s= or use s=email`;
  }
  return null;
}

function flagNotes(tags: Tag[], name: string): { notes: string[]; warnings: string[] } {
  const flags = listItems(tagValue(tags, "t") ?? "");
  const warnings = flags.includes("y")
    ? ["The flag t=y marks the key as a test, so receivers may ignore the signature. Remove t=y after testing."]
    : [];
  const notes = flags.includes("s")
    ? [`The flag t=s restricts the key to ${name} itself: addresses at subdomains (a@sub.${name}) are not covered.`]
    : [];
  return { notes, warnings };
}

function listItems(value: string): string[] {
  return value.split(":").map((item) => item.trim().toLowerCase());
}

function isDkimRecord(record: string): boolean {
  return /^["\\\s]*v\s*=\s*DKIM1/i.test(record);
}

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

/**
 * DKIM: the public half of our signing key is published as receivers need it (RFC 6376 §3.6.1).
 * Decides by the strictest reading that receivers use, since a lenient one here would hide failing signatures.
 */
import type { Resolver } from "../dns/resolver.ts";
import type { Check, Publisher, Seen } from "./check.ts";
import { quoted, shown, troubled } from "./check.ts";
import { mendDkim } from "./dkim-mending.ts";
import { misplaced } from "./misplaced.ts";
import { dkimRecord } from "./records.ts";
import { parseTagList, type Tag, tagValue } from "./tag-list.ts";

export const checkDkim: Check = async (domain, { resolver }) => {
  const { name, value: expected } = dkimRecord(domain);
  const answer = await resolver.txt(name);
  if (answer.type === "trouble") return troubled(`the TXT record of ${name}`, answer, expected);
  const records = answer.type === "found" ? answer.records : [];
  const [record] = records;
  if (record === undefined) return missing(domain, resolver);
  const failed = (detail: string, right: string): Seen => ({
    state: "failed",
    detail,
    expected: right,
    found: shown(records),
  });
  if (records.length > 1) {
    const ours = records.find((text) => holdsKey(text, domain.publicKey)) ?? record;
    const right = mendDkim(ours, expected);
    return failed(
      `There are ${records.length} TXT records at ${name}, and a receiver may read any of them. Keep one alone: ${right}.`,
      right,
    );
  }
  const right = mendDkim(record, expected);
  const verdict = judgeRecord(record, domain);
  if (verdict.fault !== null) return failed(`${sentence(verdict.fault)} Publish exactly ${right} at ${name}.`, right);
  const { notes, warnings } = verdict;
  const detail = [`Our key is published at ${name}.`, ...warnings, ...notes].join(" ");
  return { state: "verified", detail, expected: warnings.length > 0 ? right : record, found: shown(records), warnings };
};

async function missing(domain: Publisher, resolver: Resolver): Promise<Seen> {
  const { name, value: expected } = dkimRecord(domain);
  const { selector, publicKey } = domain;
  const elsewhere = await misplaced(resolver, {
    label: `${selector}._domainkey`,
    domain: domain.name,
    slips: [selector, `${selector}.domainkey`, ...OTHER_LABELS],
    isIt: isDkimRecord,
    isOurs: (record) => holdsKey(record, publicKey),
  });
  if (elsewhere === null) {
    const detail = `There is no TXT record at ${name}. Add one with the value ${expected}.`;
    return { state: "failed", detail, expected, found: [] };
  }
  const { at, sentence, found } = elsewhere;
  const right = mendDkim(found[0] ?? "", expected);
  const detail = `${sentence} The value: ${right}`;
  return { state: "failed", detail, expected: right, found: shown(found), foundAt: at };
}

/** Where a key ends up whose selector was taken for another one. */
const OTHER_LABELS = ["_domainkey", ...["default", "dkim", "mail", "postrider"].map((name) => `${name}._domainkey`)];

/** Whether the text has our key, whole or cut off. */
function holdsKey(record: string, publicKey: string): boolean {
  return record.replace(/[\s"\\]+/g, "").includes(publicKey.slice(0, OURS_FOR_SURE + 12));
}

type Verdict = { fault: string } | { fault: null; notes: string[]; warnings: string[] };

function judgeRecord(record: string, domain: Publisher): Verdict {
  if (/["\\]/.test(record)) return { fault: pastedFault(record) };
  const list = parseTagList(record);
  if (list.type === "malformed") return { fault: `the record cannot be read: ${list.detail}` };
  const fault =
    versionFault(list.tags) ??
    typeFault(list.tags) ??
    keyFault(record, list.tags, domain.publicKey) ??
    useFault(list.tags);
  return fault === null ? { fault, ...flagNotes(list.tags, domain.name) } : { fault };
}

function pastedFault(record: string): string {
  const signs = ['"', "\\"]
    .filter((sign) => record.includes(sign))
    .map((sign) => (sign === '"' ? "quotes" : "backslashes"));
  return `the published value contains ${signs.join(" and ")} as part of the text: ${quoted(record)}. Enter it without them`;
}

function versionFault(tags: Tag[]): string | null {
  const version = tagValue(tags, "v");
  if (version === null) return null;
  if (version !== "DKIM1") return `the record says v=${version.slice(0, 40)}, which must be exactly v=DKIM1`;
  return tags[0]?.name === "v" ? null : "v=DKIM1 must be the first tag of the record";
}

function typeFault(tags: Tag[]): string | null {
  const type = tagValue(tags, "k") ?? "rsa";
  return type === "rsa" ? null : `the record says k=${type.slice(0, 40)}, but the key is an RSA key: k=rsa`;
}

function keyFault(record: string, tags: Tag[], ours: string): string | null {
  const value = tagValue(tags, "p");
  if (value === null) return "the record has no p= tag, which carries the key";
  const published = value.replace(/\s+/g, "");
  if (published === "") return "the p= tag is empty, which revokes the key";
  const common = commonLength(published, ours);
  if (common === published.length && common < ours.length && !sameBytes(published, ours)) {
    return truncatedFault(record, published, ours);
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(published)) {
    return "the p= tag contains characters that base64 does not have";
  }
  if (sameBytes(published, ours)) return null;
  if (common >= OURS_FOR_SURE) {
    return `the published key is ours up to character ${common} and differs from there on (${published.length} characters instead of ${ours.length}): it was damaged in copying`;
  }
  const length =
    published.length < ours.length ? ` and shorter (${published.length} characters, ours has ${ours.length})` : "";
  return `the published key is another one than ours${length}`;
}

/** Every RSA-2048 key begins with the same 44 characters; a longer agreement is no accident. */
const OURS_FOR_SURE = 52;

function truncatedFault(record: string, published: string, ours: string): string {
  const cause =
    record.length >= 245 && record.length <= 260
      ? " The DNS panel cut the value at 255 characters: enter it as two strings of one record."
      : "";
  return `the published key is cut off after ${published.length} of ${ours.length} characters.${cause}`;
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
  if (hashes !== null && !listed(hashes).includes("sha256")) {
    return `the record says h=${hashes.slice(0, 40)}, but our signatures use SHA-256: leave h= out or add sha256`;
  }
  const services = tagValue(tags, "s");
  if (services !== null && !listed(services).some((service) => service === "*" || service === "email")) {
    return `the record says s=${services.slice(0, 40)}, which does not allow email: leave s= out or say s=email`;
  }
  return null;
}

function flagNotes(tags: Tag[], name: string): { notes: string[]; warnings: string[] } {
  const flags = listed(tagValue(tags, "t") ?? "");
  const warnings = flags.includes("y")
    ? ["The flag t=y marks it as a test, so receivers may ignore the signature: take t=y out when you are done."]
    : [];
  const notes = flags.includes("s")
    ? [`The flag t=s binds the key to ${name} itself: addresses below it (a@sub.${name}) are not covered.`]
    : [];
  return { notes, warnings };
}

function listed(value: string): string[] {
  return value.split(":").map((item) => item.trim().toLowerCase());
}

function isDkimRecord(record: string): boolean {
  return /^["\\\s]*v\s*=\s*DKIM1/i.test(record);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

/**
 * The text of a DMARC record (RFC 7489 §6.3): what it says, or what is wrong with it.
 * Decides on one record; which record applies to a domain is left to dmarc.ts.
 */
import { quoted } from "./check.ts";
import { isReportUri } from "./report-uris.ts";
import { nearest } from "./spelling.ts";
import { parseTagList, type Tag, tagValue } from "./tag-list.ts";

/** From the weakest to the strictest. */
export const POLICIES = ["none", "quarantine", "reject"] as const;
export type Policy = (typeof POLICIES)[number];

/** RFC 7489's tags, and those of its successor that are in use already. */
export const KNOWN_TAGS = ["v", "p", "sp", "np", "adkim", "aspf", "fo", "rf", "ri", "rua", "ruf", "pct", "psd", "t"];

export interface DmarcPolicy {
  p: Policy;
  /** For names below the record's; `p` when the record does not say. */
  sp: Policy;
  strictDkim: boolean;
  /** What does not do what it was meant to do, although the record is valid. */
  warnings: string[];
}

export type DmarcRecord = { type: "valid"; policy: DmarcPolicy } | { type: "invalid"; detail: string };

/** Whether receivers take the text for a DMARC record at all: the version first, in capitals, blanks allowed around "=". */
export function isDmarc(record: string): boolean {
  return /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(;|$)/.test(record);
}

/** Whether the text was meant to be a DMARC record. */
export function looksLikeDmarc(record: string): boolean {
  return /^["'“”„\\\s]*(v\s*([=:]\s*)?)?["'“”„]*dmarc/i.test(record);
}

/** Why a text that was meant to be a DMARC record is none. */
export function lookalikeFault(record: string): string {
  const text = quoted(record);
  if (/["'“”„\\]/.test(record)) return `${text} contains quotes or backslashes`;
  if (/^\s/.test(record)) return `${text} begins with a blank. It must begin with “v=DMARC1;”`;
  if (/^v\s*=\s*DMARC1\s/i.test(record)) return `${text} has no semicolon after v=DMARC1`;
  return `${text} does not begin with “v=DMARC1;” exactly, so receivers ignore it`;
}

/** Reads one record that `isDmarc`. */
export function readDmarc(record: string): DmarcRecord {
  if (/["\\]/.test(record)) return invalid(`${quoted(record)} contains quotes or backslashes`);
  const list = parseTagList(record);
  if (list.type === "malformed") return invalid(`${quoted(record)} cannot be read: ${list.detail}`);
  const tags = list.tags.map(({ name, value }) => ({ name: name.toLowerCase(), value: value.toLowerCase() }));
  const fault = policyFault(tags) ?? valueFault(tags);
  if (fault !== null) return invalid(fault);
  const p = policyOf(tagValue(tags, "p")) ?? "none";
  const sp = policyOf(tagValue(tags, "sp")) ?? p;
  const strictDkim = tagValue(tags, "adkim") === "s";
  return { type: "valid", policy: { p, sp, strictDkim, warnings: [...misspeltTags(tags), ...strayAddresses(tags)] } };
}

function policyFault(tags: Tag[]): string | null {
  const p = tagValue(tags, "p");
  const second = tags[1];
  if (p === null) {
    const meant =
      second && !KNOWN_TAGS.includes(second.name) ? ` “${second.name.slice(0, 40)}=” is no DMARC tag: write “p=”.` : "";
    return `The record has no p= tag.${meant} It belongs directly after v=DMARC1`;
  }
  if (policyOf(p) === null) return wrongValue({ name: "p", value: p }, POLICIES);
  return second?.name === "p" ? null : `p=${p} must be the second tag, directly after v=DMARC1`;
}

function valueFault(tags: Tag[]): string | null {
  const sp = tagValue(tags, "sp");
  if (sp !== null && policyOf(sp) === null) return wrongValue({ name: "sp", value: sp }, POLICIES);
  for (const name of ["adkim", "aspf"]) {
    const mode = tagValue(tags, name);
    if (mode !== null && mode !== "r" && mode !== "s") return wrongValue({ name, value: mode }, ["r", "s"]);
  }
  const pct = tagValue(tags, "pct");
  if (pct !== null && !(/^\d{1,3}$/.test(pct) && Number(pct) <= 100)) {
    return `pct=${pct.slice(0, 40)} is not a number from 0 to 100`;
  }
  return null;
}

function wrongValue({ name, value }: Tag, known: readonly string[]): string {
  const right = nearest(value, known) ?? known.find((word) => value !== "" && word.length === 1 && word === value[0]);
  const advice = right ? `write ${name}=${right}` : `it must be ${known.join(", ").replace(/, (\w+)$/, " or $1")}`;
  return `${name}=${value.slice(0, 40)} is not a value that DMARC has: ${advice}`;
}

function misspeltTags(tags: Tag[]): string[] {
  return tags.flatMap(({ name }) => {
    const right = KNOWN_TAGS.includes(name) ? null : nearest(name, KNOWN_TAGS);
    if (right === null) return [];
    return `Receivers ignore “${name.slice(0, 40)}=”, which is no DMARC tag: did you mean ${right}=?`;
  });
}

function strayAddresses(tags: Tag[]): string[] {
  return ["rua", "ruf"].flatMap((name) => {
    const stray = tagValue(tags, name)
      ?.split(",")
      .find((uri) => !isReportUri(uri));
    if (stray === undefined) return [];
    return `No reports are sent to ${name}=${stray.trim().slice(0, 80)}: it must be of the form mailto:reports@example.com.`;
  });
}

function policyOf(value: string | null): Policy | null {
  return POLICIES.find((policy) => policy === value) ?? null;
}

function invalid(detail: string): DmarcRecord {
  return { type: "invalid", detail };
}

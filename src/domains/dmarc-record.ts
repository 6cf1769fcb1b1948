/** Parses one DMARC record (RFC 7489 §6.3) or explains its fault. dmarc.ts decides which record applies to a domain. */
import { quote } from "./check.ts";
import { closestWord } from "./closest-word.ts";
import { isReportUri } from "./report-uris.ts";
import { parseTagList, type Tag, tagValue } from "./tag-list.ts";

/** From the weakest to the strictest. */
export const POLICIES = ["none", "quarantine", "reject"] as const;
export type Policy = (typeof POLICIES)[number];

/** The tags of RFC 7489, and those of its successor that are already in use. */
export const KNOWN_TAGS = ["v", "p", "sp", "np", "adkim", "aspf", "fo", "rf", "ri", "rua", "ruf", "pct", "psd", "t"];

export interface DmarcPolicy {
  p: Policy;
  /** The policy for subdomains of the record's domain; `p` where the record has no sp= tag. */
  sp: Policy;
  strictDkim: boolean;
  /** The value of rua=; empty where the record has none. */
  reportUris: string;
  /** Faults that leave the record valid but have no effect or not the intended one. */
  warnings: string[];
}

export type DmarcRecord = { type: "valid"; policy: DmarcPolicy } | { type: "invalid"; detail: string };

/** Whether receivers accept the text as a DMARC record: version first, in upper case, spaces allowed around "=". */
export function isDmarc(record: string): boolean {
  return /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(;|$)/.test(record);
}

/** Whether the text was intended as a DMARC record. */
export function looksLikeDmarc(record: string): boolean {
  return /^["'“”„\\\s]*(v\s*([=:]\s*)?)?["'“”„]*dmarc/i.test(record);
}

/** Why a text that was intended as a DMARC record is not one. */
export function explainLookalike(record: string): string {
  const text = quote(record);
  if (/["'“”„\\]/.test(record)) return `${text} contains quotes or backslashes`;
  if (/^\s/.test(record)) return `${text} begins with a space. It must begin with “v=DMARC1;”`;
  if (/^v\s*=\s*DMARC1\s/i.test(record)) return `${text} has no semicolon after v=DMARC1`;
  return `${text} does not begin with exactly “v=DMARC1;”, so receivers ignore it`;
}

/** Parses a record for which `isDmarc` is true. */
export function parseDmarc(record: string): DmarcRecord {
  if (/["\\]/.test(record)) return invalid(`${quote(record)} contains quotes or backslashes`);
  const list = parseTagList(record);
  if (list.type === "malformed") return invalid(`${quote(record)} is malformed: ${list.detail}`);
  const tags = list.tags.map(({ name, value }) => ({ name: name.toLowerCase(), value: value.toLowerCase() }));
  const fault = policyFault(tags) ?? valueFault(tags);
  if (fault !== null) return invalid(fault);
  const p = parsePolicy(tagValue(tags, "p")) ?? "none";
  const sp = parsePolicy(tagValue(tags, "sp")) ?? p;
  const strictDkim = tagValue(tags, "adkim") === "s";
  return {
    type: "valid",
    policy: {
      ...{ p, sp, strictDkim, reportUris: tagValue(tags, "rua") ?? "" },
      warnings: [...unknownTagWarnings(tags), ...reportUriWarnings(tags)],
    },
  };
}

function policyFault(tags: Tag[]): string | null {
  const p = tagValue(tags, "p");
  const second = tags[1];
  if (p === null) {
    const hint =
      second && !KNOWN_TAGS.includes(second.name)
        ? ` “${second.name.slice(0, 40)}=” is not a DMARC tag: write “p=”.`
        : "";
    return `The record has no p= tag.${hint} It belongs directly after v=DMARC1`;
  }
  if (parsePolicy(p) === null) return wrongValue({ name: "p", value: p }, POLICIES);
  return second?.name === "p" ? null : `p=${p} must be the second tag, directly after v=DMARC1`;
}

function valueFault(tags: Tag[]): string | null {
  const sp = tagValue(tags, "sp");
  if (sp !== null && parsePolicy(sp) === null) return wrongValue({ name: "sp", value: sp }, POLICIES);
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
  const right =
    closestWord(value, known) ?? known.find((word) => value !== "" && word.length === 1 && word === value[0]);
  const advice = right ? `write ${name}=${right}` : `it must be ${known.join(", ").replace(/, (\w+)$/, " or $1")}`;
  return `${name}=${value.slice(0, 40)} is not a valid value: ${advice}`;
}

function unknownTagWarnings(tags: Tag[]): string[] {
  return tags.flatMap(({ name }) => {
    const right = KNOWN_TAGS.includes(name) ? null : closestWord(name, KNOWN_TAGS);
    if (right === null) return [];
    return `Receivers ignore “${name.slice(0, 40)}=”, which is not a DMARC tag: did you mean ${right}=?`;
  });
}

function reportUriWarnings(tags: Tag[]): string[] {
  return ["rua", "ruf"].flatMap((name) => {
    const stray = tagValue(tags, name)
      ?.split(",")
      .find((uri) => !isReportUri(uri));
    if (stray === undefined) return [];
    return `No reports are sent to ${name}=${stray.trim().slice(0, 80)}. The address must have the form mailto:reports@example.com.`;
  });
}

function parsePolicy(value: string | null): Policy | null {
  return POLICIES.find((policy) => policy === value) ?? null;
}

function invalid(detail: string): DmarcRecord {
  return { type: "invalid", detail };
}

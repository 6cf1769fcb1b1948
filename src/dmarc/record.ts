/**
 * Reads one DMARC policy record (RFC 9989 §4.7, §4.8): the meaning of its tags, and what receivers ignore in it. A record that
 * begins with its version is valid; a fault in it costs only the tag, whose default then holds. discovery.ts decides which record
 * applies to a domain; domains/dmarc-advice.ts has the sentences about faults.
 */
import { readTags, type Tag, tagValue } from "../dns/tag-list.ts";
import { hasSizeLimit, isReportUri, isUri, urisIn } from "./report-uri.ts";

/** From the weakest to the strictest. */
export const POLICIES = ["none", "quarantine", "reject"] as const;
export type Policy = (typeof POLICIES)[number];

export const TAGS = ["v", "p", "sp", "np", "adkim", "aspf", "fo", "rua", "ruf", "psd", "t"];
/** Tags of RFC 7489 that DMARC has no more (RFC 9989 §9.3). */
export const HISTORIC_TAGS = ["pct", "rf", "ri"];

/** What receivers ignore in a record, or read differently. */
export type RecordFault =
  | { type: "leading_space" }
  /** The record has no p=. */
  | { type: "no_policy" }
  /** Not of the form tag=value. */
  | { type: "malformed"; part: string }
  | { type: "repeated"; name: string }
  /** Tag names are case-sensitive (RFC 6376 §3.2); many receivers do not mind. */
  | { type: "upper_case"; name: string }
  | { type: "unknown_tag"; name: string }
  | { type: "historic_tag"; name: string; value: string }
  | { type: "invalid_value"; name: string; value: string; known: readonly string[] }
  /** An address to which receivers send no reports. */
  | { type: "unusable_uri"; name: string; uri: string }
  | { type: "size_limit"; name: string; uri: string };

export interface DmarcRecord {
  /** For the domain of the record, its subdomains, and subdomains that do not exist. */
  p: Policy;
  sp: Policy;
  np: Policy;
  /** Test mode (t=y): receivers apply the next weaker policy. */
  isTest: boolean;
  /** y: a public suffix; n: an organisational domain; u: the tree walk decides. */
  psd: "y" | "n" | "u";
  strictDkim: boolean;
  strictSpf: boolean;
  /** The value of rua=; empty where the record has none. */
  reportUris: string;
  /** False where receivers do no DMARC processing: no valid policy, and no address for reports (RFC 9989 §4.10.1). */
  isApplied: boolean;
  faults: RecordFault[];
}

/** Whether receivers take the text as a DMARC record (RFC 9989 §4.7, `v`): the version comes first, and is exactly DMARC1. */
export function isDmarc(text: string): boolean {
  return /^[ \t]*[vV][ \t]*=[ \t]*DMARC1[ \t]*(;|$)/.test(text);
}

/** Reads a text for which `isDmarc` is true. */
export function readDmarc(text: string): DmarcRecord {
  const read = readTags(text);
  const tags = lowerCased(read.tags);
  const policies = readPolicies(tags);
  const listFaults: RecordFault[] = [
    ...(/^[ \t]/.test(text) ? [{ type: "leading_space" } as const] : []),
    ...read.malformed.map((part) => ({ type: "malformed", part }) as const),
    ...[...new Set([...read.repeated.map((name) => name.toLowerCase()), ...repeatedIn(read.tags)])].map(
      (name) => ({ type: "repeated", name }) as const,
    ),
  ];
  return {
    ...policies,
    isTest: validValue(tags, "t", ["y", "n"]) === "y",
    psd: validValue(tags, "psd", ["y", "n", "u"]) ?? "u",
    strictDkim: validValue(tags, "adkim", MODES) === "s",
    strictSpf: validValue(tags, "aspf", MODES) === "s",
    reportUris: tagValue(tags, "rua") ?? "",
    faults: [
      ...listFaults,
      ...(tagValue(tags, "p") === null ? [{ type: "no_policy" } as const] : []),
      ...read.tags.flatMap(tagFaults),
    ],
  };
}

const MODES = ["r", "s"] as const;

/** Of tags that differ in case only, the first. */
function lowerCased(tags: Tag[]): Tag[] {
  return tags.map(({ name, value }) => ({ name: name.toLowerCase(), value }));
}

function repeatedIn(tags: Tag[]): string[] {
  const seen = new Set<string>();
  return tags.flatMap(({ name }) => {
    const lower = name.toLowerCase();
    return seen.size === seen.add(lower).size ? [lower] : [];
  });
}

/** The value of a tag among the valid ones, whose case does not matter; null where it is absent or invalid. */
function validValue<V extends string>(tags: Tag[], name: string, valid: readonly V[]): V | null {
  const value = tagValue(tags, name)?.toLowerCase();
  return valid.find((each) => each === value) ?? null;
}

/**
 * The policies (RFC 9989 §4.7, §4.10.1). Without p= the record counts as one with p=none; with an invalid policy in any of the
 * three tags it counts only as p=none. Either way it applies only where it has an address for reports.
 */
function readPolicies(tags: Tag[]): Pick<DmarcRecord, "p" | "sp" | "np" | "isApplied"> {
  const has = (name: string): boolean => tagValue(tags, name) !== null;
  const policy = (name: string): Policy | null => validValue(tags, name, POLICIES);
  const hasReportUri = urisIn(tagValue(tags, "rua") ?? "").some(isUri);
  const isInvalid = ["p", "sp", "np"].some((name) => has(name) && policy(name) === null);
  if (isInvalid) return { p: "none", sp: "none", np: "none", isApplied: hasReportUri };
  const p = policy("p") ?? "none";
  const sp = policy("sp") ?? p;
  return { p, sp, np: policy("np") ?? sp, isApplied: has("p") || hasReportUri };
}

/** The valid values of tags that have few (RFC 9989 §4.8, table of tag names and values). */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  p: POLICIES,
  sp: POLICIES,
  np: POLICIES,
  adkim: MODES,
  aspf: MODES,
  t: ["y", "n"],
  psd: ["y", "n", "u"],
};

function tagFaults({ name: written, value }: Tag): RecordFault[] {
  const name = written.toLowerCase();
  if (name === "v") return [];
  if (HISTORIC_TAGS.includes(name)) return [{ type: "historic_tag", name, value }];
  if (!TAGS.includes(name)) return [{ type: "unknown_tag", name: written }];
  const faults: RecordFault[] = written === name ? [] : [{ type: "upper_case", name }];
  const known = VALUES[name];
  if (known !== undefined && !known.includes(value.toLowerCase()))
    faults.push({ type: "invalid_value", name, value, known });
  if (name === "fo" && !isFailureOption(value)) faults.push({ type: "invalid_value", name, value, known: OPTIONS });
  if (name === "rua" || name === "ruf") faults.push(...uriFaults(name, value));
  return faults;
}

const OPTIONS = ["0", "1", "d", "s"];

/** Whether the value is a list of failure options (RFC 9989 §4.8, dmarc-fo): each once, and 0 and 1 not together. */
export function isFailureOption(value: string): boolean {
  const options = value.toLowerCase().split(":");
  const unique = new Set(options);
  return (
    options.every((option) => OPTIONS.includes(option)) &&
    unique.size === options.length &&
    !(unique.has("0") && unique.has("1"))
  );
}

function uriFaults(name: string, list: string): RecordFault[] {
  const uris = urisIn(list);
  const unusable = uris.find((uri) => !isReportUri(uri));
  const limited = uris.find(hasSizeLimit);
  if (unusable !== undefined) return [{ type: "unusable_uri", name, uri: unusable }];
  return limited === undefined ? [] : [{ type: "size_limit", name, uri: limited }];
}

/** The policy that receivers apply: in test mode the next weaker one (RFC 9989 §4.7, `t`). */
export function appliedPolicy({ isTest }: Pick<DmarcRecord, "isTest">, requested: Policy): Policy {
  return isTest ? (POLICIES[POLICIES.indexOf(requested) - 1] ?? "none") : requested;
}

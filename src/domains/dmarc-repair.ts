/**
 * The DMARC record to publish in place of a faulty one: valid tags are kept, faulty ones are corrected or omitted. No policy
 * becomes weaker than the published text asks for. dmarc-record.ts explains the fault.
 */

import { HISTORIC_TAGS, isDmarc, isFailureOption, POLICIES, type Policy, readDmarc, TAGS } from "../dmarc/record.ts";
import { closestWord } from "../message/closest-word.ts";
import { adviceOf } from "./dmarc-advice.ts";
import { repairUris } from "./report-uris.ts";

export interface RepairedDmarc {
  record: string;
  /** Whether the text does not show the policy; it is then `none`, as receivers treat such a record (RFC 9989 §4.10.1). */
  isPolicyUnknown: boolean;
}

const LENGTH_MAX = 2000;
const PARTS_MAX = 40;

/** Words that mail servers and filters use for the policies. */
const SYNONYMS: Readonly<Record<string, Policy>> = {
  block: "reject",
  deny: "reject",
  refuse: "reject",
  drop: "reject",
  bounce: "reject",
  discard: "reject",
  fail: "reject",
  delete: "reject",
  strict: "reject",
  junk: "quarantine",
  spam: "quarantine",
  isolate: "quarantine",
  hold: "quarantine",
  monitor: "none",
  report: "none",
  allow: "none",
  accept: "none",
};

/** Which values of the other tags are valid, in lower case. */
const VALID: Readonly<Record<string, (value: string) => boolean>> = {
  fo: isFailureOption,
  psd: (value) => ["y", "n", "u"].includes(value),
  t: (value) => ["y", "n"].includes(value),
};

/** All names that a text may have for a tag. */
const KNOWN_TAGS = [...TAGS, ...HISTORIC_TAGS];

interface Part {
  name: string;
  value: string;
  isMisspelled: boolean;
}

/** The values of one record, in order; `p` is null where no policy is recognized. */
interface Draft {
  p: Policy | null;
  tags: Map<string, string>;
}

/** Merges `records` into one valid record whose policy is at least as strict as `atLeast`. Never throws. */
export function repairDmarc(records: string[], atLeast: Policy = "none"): RepairedDmarc {
  const drafts = records.slice(0, 10).map(parseDraft);
  const known = drafts.flatMap(({ p }) => p ?? []);
  const p = strictest([...known, atLeast]) ?? "none";
  const tags: [string, string][] = [["v", "DMARC1"], ["p", p], ...mergeTags(drafts)];
  const policies = tags.filter(([name]) => ["v", "p"].includes(name) || isPolicyTag(name));
  const record = [formatTags(tags), formatTags(policies)].find(isClean) ?? `v=DMARC1; p=${p}`;
  return { record, isPolicyUnknown: known.length === 0 };
}

const formatTags = (tags: [string, string][]): string => tags.map(([name, value]) => `${name}=${value}`).join("; ");

const isClean = (record: string): boolean => isDmarc(record) && adviceOf(readDmarc(record)).warnings.length === 0;

function parseDraft(record: string): Draft {
  const parts = splitParts(record);
  const p = strictest(valuesOf(parts, "p").flatMap((value) => guessPolicy(value) ?? []));
  const tags = new Map<string, string>();
  for (const name of new Set(parts.map((part) => part.name))) {
    if (name === "p" || name === "v" || HISTORIC_TAGS.includes(name)) continue;
    const value = isPolicyTag(name) ? subPolicy(parts, name, p ?? "none") : repairValue(name, valuesOf(parts, name));
    if (value !== null) tags.set(name, value);
  }
  // What pct=0 was used for is now test mode (RFC 9989 §A.6); other shares have no successor.
  const [share] = valuesOf(parts, "pct");
  if (share !== undefined && /^0 ?%?$/.test(share) && !tags.has("t") && p !== null && p !== "none") tags.set("t", "y");
  return { p, tags };
}

const isPolicyTag = (name: string): boolean => name === "sp" || name === "np";

/** Receivers ignore a misspelled sp= and apply p=, so a misspelled one counts only where it is no weaker than p=. */
function subPolicy(parts: Part[], name: string, p: Policy): Policy | null {
  const policies = parts
    .filter((part) => part.name === name)
    .flatMap(({ value, isMisspelled }) => {
      const policy = guessPolicy(value);
      return policy === null || (isMisspelled && rank(policy) < rank(p)) ? [] : policy;
    });
  return strictest(policies);
}

const KNOWN = KNOWN_TAGS.join("|");
/** Separates tags, also where the semicolon is missing. */
const SEPARATOR = new RegExp(`;|(?<![ ,])[ ,]+(?=[a-z]{1,8} ?=|(?:${KNOWN}) ?:)`, "i");

function splitParts(record: string): Part[] {
  const text = record
    .slice(0, LENGTH_MAX)
    .replace(/["“”„\\]/g, "")
    .replace(/[^\x21-\x7e]+/g, " ")
    .replace(/^[ ']+|[ ']+$/g, "")
    .replace(/^(v ?[=:]? ?)?'?dmarc[-_]?\d*/i, "");
  const parts = text.split(SEPARATOR).slice(0, PARTS_MAX);
  return parts.flatMap((part) => {
    const [, name = "", value = ""] = /^ ?([a-z][a-z0-9_]*) ?[=:] ?(.*)$/i.exec(part) ?? ["", "", part];
    return resolveTag(name.toLowerCase(), value.replace(/(?<![ .,'])[ .,']+$/, "").trim());
  });
}

/** Assigns a part to the tag that was intended; empty for text that is not a tag. */
function resolveTag(name: string, value: string): Part[] {
  if (name === "") return guessPolicy(value) === null ? [] : [{ name: "p", value, isMisspelled: true }];
  if (KNOWN_TAGS.includes(name)) return [{ name, value, isMisspelled: false }];
  const intended = name.startsWith("polic") ? "p" : closestWord(name, KNOWN_TAGS);
  return [{ name: intended ?? name, value, isMisspelled: true }];
}

const valuesOf = (parts: Part[], name: string): string[] => {
  const named = parts.filter((part) => part.name === name);
  const correct = named.filter(({ isMisspelled }) => !isMisspelled);
  // A policy counts however its tag is spelled; another misspelled tag counts only where the correct one is absent.
  return (name === "p" || correct.length === 0 ? named : correct).map(({ value }) => value);
};

/** The strictest policy that a word of `value` resembles; null where none does. */
function guessPolicy(value: string): Policy | null {
  const [text = ""] = value.toLowerCase().split(/[=:@]/);
  const words = text.slice(0, 100).match(/[a-z]+/g) ?? [];
  return strictest(words.flatMap((word) => guessPolicyWord(word) ?? []));
}

function guessPolicyWord(word: string): Policy | null {
  const prefixed = POLICIES.find((policy) => policy.startsWith(word) || word.startsWith(policy));
  const closest = prefixed ?? closestWord(word, POLICIES);
  if (closest !== null) return closest;
  const synonym = word.length < 4 ? null : closestWord(word, Object.keys(SYNONYMS));
  // No policy or synonym is close, so half of the letters are enough to identify one.
  return synonym === null ? closestWord(word, POLICIES, 2) : (SYNONYMS[synonym] ?? null);
}

/** Reduces the values of a tag to one valid value; null where none is valid. */
function repairValue(name: string, values: string[]): string | null {
  switch (name) {
    case "adkim":
    case "aspf":
      return strictestMode(values);
    case "rua":
    case "ruf":
      return repairUris(values.join(","));
    default: {
      const isValid = VALID[name] ?? ((value) => value !== "");
      return values.find((value) => isValid(value.toLowerCase())) ?? null;
    }
  }
}

function strictestMode(values: string[]): string | null {
  const modes = values.flatMap((value) => (/^[rs]/i.test(value) ? value.charAt(0).toLowerCase() : []));
  return modes.includes("s") ? "s" : (modes[0] ?? null);
}

/** Merges the tags after p= of several records: the strictest of each policy, and all addresses. */
function mergeTags(drafts: Draft[]): [string, string][] {
  const names = [...new Set(drafts.flatMap(({ tags }) => [...tags.keys()]))];
  return names.flatMap((name) => {
    const value = drafts.length === 1 ? drafts[0]?.tags.get(name) : mergeValues(name, drafts);
    return value === undefined || value === null ? [] : [[name, value] satisfies [string, string]];
  });
}

function mergeValues(name: string, drafts: Draft[]): string | null {
  if (isPolicyTag(name)) return strictest(drafts.map((draft) => effectivePolicy(name, draft)));
  const values = drafts.map(({ tags }) => tags.get(name));
  const present = values.filter((value) => value !== undefined);
  // Test mode weakens the policy, so it counts only where every record has it.
  if (name === "t" && present.length < drafts.length) return null;
  return repairValue(name, name === "t" ? present.toSorted() : present);
}

/** The policy of a record for subdomains (sp=) or for non-existent subdomains (np=). */
function effectivePolicy(name: string, { p, tags }: Draft): Policy {
  const own = tags.get(name) ?? tags.get("sp");
  return POLICIES.find((policy) => policy === own) ?? p ?? "none";
}

const rank = (policy: Policy): number => POLICIES.indexOf(policy);

function strictest(policies: Policy[]): Policy | null {
  return policies.toSorted((a, b) => rank(b) - rank(a))[0] ?? null;
}

/**
 * The DMARC record that somebody meant to publish: what is valid stays, what is wrong is mended or left out.
 * Decides that no policy becomes weaker than the published text asks for. What is wrong with it is dmarc-record.ts's to say.
 */
import { KNOWN_TAGS, POLICIES, type Policy, readDmarc } from "./dmarc-record.ts";
import { mendedUris } from "./report-uris.ts";
import { nearest } from "./spelling.ts";

export interface MendedDmarc {
  record: string;
  /** Whether the policy could not be read from the text; it is `none` then, as receivers treat it (RFC 7489 §6.6.3). */
  isOpen: boolean;
}

const LENGTH_MAX = 2000;
const PARTS_MAX = 40;

/** Other words for a policy, as mail servers and filters have them. */
const SYNONYMS: Readonly<Record<string, Policy>> = {
  ...{ block: "reject", deny: "reject", refuse: "reject", drop: "reject", bounce: "reject", discard: "reject" },
  ...{ fail: "reject", delete: "reject", strict: "reject", junk: "quarantine", spam: "quarantine" },
  ...{ isolate: "quarantine", hold: "quarantine", monitor: "none", report: "none", allow: "none", accept: "none" },
};

/** What else a tag may hold, in lower case. */
const VALUES: Readonly<Record<string, RegExp>> = {
  fo: /^[01ds](:[01ds])*$/,
  ri: /^\d{1,9}$/,
  rf: /^[a-z][a-z0-9-]*(:[a-z][a-z0-9-]*)*$/,
  psd: /^[ynu]$/,
  t: /^[yn]$/,
};

interface Part {
  name: string;
  value: string;
  isMisspelt: boolean;
}

/** The values of one record, in order; `p` is null where none can be read. */
interface Draft {
  p: Policy | null;
  tags: Map<string, string>;
}

/** One valid record in the place of these, with a policy of at least `atLeast`. Never throws. */
export function mendDmarc(records: string[], atLeast: Policy = "none"): MendedDmarc {
  const drafts = records.slice(0, 10).map(draftOf);
  const known = drafts.flatMap(({ p }) => p ?? []);
  const p = strictest([...known, atLeast]) ?? "none";
  const tags: [string, string][] = [["v", "DMARC1"], ["p", p], ...merged(drafts)];
  const policies = tags.filter(([name]) => ["v", "p"].includes(name) || isPolicyTag(name));
  const record = [textOf(tags), textOf(policies)].find(isGood) ?? `v=DMARC1; p=${p}`;
  return { record, isOpen: known.length === 0 };
}

const textOf = (tags: [string, string][]): string => tags.map(([name, value]) => `${name}=${value}`).join("; ");

function isGood(record: string): boolean {
  const read = readDmarc(record);
  return read.type === "valid" && read.policy.warnings.length === 0;
}

function draftOf(record: string): Draft {
  const parts = partsOf(record);
  const p = strictest(valuesOf(parts, "p").flatMap((value) => policyMeant(value) ?? []));
  const tags = new Map<string, string>();
  for (const name of new Set(parts.map((part) => part.name))) {
    if (name === "p" || name === "v") continue;
    const value = isPolicyTag(name) ? subPolicy(parts, name, p ?? "none") : mendedValue(name, valuesOf(parts, name));
    if (value !== null) tags.set(name, value);
  }
  return { p, tags };
}

const isPolicyTag = (name: string): boolean => name === "sp" || name === "np";

/** A misspelt sp= is ignored by receivers, so that p= applies: it counts only where it is no weaker than that. */
function subPolicy(parts: Part[], name: string, p: Policy): Policy | null {
  const meant = parts
    .filter((part) => part.name === name)
    .flatMap(({ value, isMisspelt }) => {
      const policy = policyMeant(value);
      return policy === null || (isMisspelt && rank(policy) < rank(p)) ? [] : policy;
    });
  return strictest(meant);
}

const KNOWN = KNOWN_TAGS.join("|");
/** Between tags, also where the semicolon was forgotten. */
const SEPARATOR = new RegExp(`;|[ ,]+(?=[a-z]{1,8} ?=|(?:${KNOWN}) ?:)`, "i");

function partsOf(record: string): Part[] {
  const text = record
    .slice(0, LENGTH_MAX)
    .replace(/["“”„\\]/g, "")
    .replace(/[^\x21-\x7e]+/g, " ")
    .replace(/^[ ']+|[ ']+$/g, "")
    .replace(/^(v ?[=:]? ?)?'?dmarc[-_]?\d*/i, "");
  const parts = text.split(SEPARATOR).slice(0, PARTS_MAX);
  return parts.flatMap((part) => {
    const [, name = "", value = ""] = /^ ?([a-z][a-z0-9_]*) ?[=:] ?(.*)$/i.exec(part) ?? ["", "", part];
    return namedPart(name.toLowerCase(), value.replace(/[ .,']+$/, "").trim());
  });
}

/** A part under the tag that it was meant for; none for what is no tag at all. */
function namedPart(name: string, value: string): Part[] {
  if (name === "") return policyMeant(value) === null ? [] : [{ name: "p", value, isMisspelt: true }];
  if (KNOWN_TAGS.includes(name)) return [{ name, value, isMisspelt: false }];
  const meant = name.startsWith("polic") ? "p" : nearest(name, KNOWN_TAGS);
  return [{ name: meant ?? name, value, isMisspelt: true }];
}

const valuesOf = (parts: Part[], name: string): string[] => {
  const named = parts.filter((part) => part.name === name);
  const spelt = named.filter(({ isMisspelt }) => !isMisspelt);
  // A policy counts however it is spelt; other tags only where the right one is not there.
  return (name === "p" || spelt.length === 0 ? named : spelt).map(({ value }) => value);
};

/** The policy of a value, by the strictest word in it; null where none resembles one. */
export function policyMeant(value: string): Policy | null {
  const [text = ""] = value.toLowerCase().split(/[=:@]/);
  const words = text.slice(0, 100).match(/[a-z]+/g) ?? [];
  return strictest(words.flatMap((word) => wordMeant(word) ?? []));
}

function wordMeant(word: string): Policy | null {
  const begun = POLICIES.find((policy) => policy.startsWith(word) || word.startsWith(policy));
  const near = begun ?? nearest(word, POLICIES);
  if (near !== null) return near;
  const synonym = word.length < 4 ? null : nearest(word, Object.keys(SYNONYMS));
  // No other policy is near, so half of the letters are evidence enough.
  return synonym === null ? nearest(word, POLICIES, 2) : (SYNONYMS[synonym] ?? null);
}

/** The one value of a tag that was given these, or null where none is valid. */
function mendedValue(name: string, values: string[]): string | null {
  switch (name) {
    case "adkim":
    case "aspf":
      return modeOf(values);
    case "pct":
      return percentOf(values);
    case "rua":
    case "ruf":
      return mendedUris(values.join(","));
    default: {
      const valid = VALUES[name] ?? /^[^;]+$/;
      return values.find((value) => valid.test(value.toLowerCase())) ?? null;
    }
  }
}

function modeOf(values: string[]): string | null {
  const modes = values.flatMap((value) => (/^[rs]/i.test(value) ? value.charAt(0).toLowerCase() : []));
  return modes.includes("s") ? "s" : (modes[0] ?? null);
}

function percentOf(values: string[]): string | null {
  const numbers = values.flatMap((value) => (/^\d{1,3} ?%?$/.test(value) ? Number.parseInt(value, 10) : []));
  const valid = numbers.filter((number) => number <= 100);
  return valid.length === 0 ? null : String(Math.max(...valid));
}

/** The tags behind p= of several records as one: the strictest of each policy, all addresses. */
function merged(drafts: Draft[]): [string, string][] {
  const names = [...new Set(drafts.flatMap(({ tags }) => [...tags.keys()]))];
  return names.flatMap((name) => {
    const value = drafts.length === 1 ? drafts[0]?.tags.get(name) : mergedValue(name, drafts);
    return value === undefined || value === null ? [] : [[name, value] satisfies [string, string]];
  });
}

function mergedValue(name: string, drafts: Draft[]): string | null {
  if (isPolicyTag(name)) return strictest(drafts.map((draft) => effective(name, draft)));
  const values = drafts.map(({ tags }) => tags.get(name));
  const given = values.filter((value) => value !== undefined);
  // What weakens a policy (a share of it, a test) counts only where every record says so.
  if ((name === "pct" || name === "t") && given.length < drafts.length) return null;
  return mendedValue(name, name === "t" ? given.toSorted() : given);
}

/** What a record says for names below it, or below it and absent. */
function effective(name: string, { p, tags }: Draft): Policy {
  const own = tags.get(name) ?? tags.get("sp");
  return POLICIES.find((policy) => policy === own) ?? p ?? "none";
}

const rank = (policy: Policy): number => POLICIES.indexOf(policy);

function strictest(policies: Policy[]): Policy | null {
  return policies.toSorted((a, b) => rank(b) - rank(a))[0] ?? null;
}

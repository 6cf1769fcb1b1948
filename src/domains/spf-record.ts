/**
 * Recognizes and edits the text of SPF records (RFC 7208 §4.5, §12). Pure; spf-evaluation.ts evaluates a record for an
 * address.
 */

/** Whether receivers accept the text as an SPF record. */
export function isSpf(record: string): boolean {
  return /^v=spf1( |$)/i.test(record);
}

/** Whether the text was intended as an SPF record, misspelled or not. Sender ID ("spf2.0/…") is a different protocol. */
export function looksLikeSpf(record: string): boolean {
  return /^["'“”„\\\s]*(v\s*([=:-]\s*)?["'“”„]*)?spf(?!2\.0)/i.test(record);
}

const REPAIRED_LENGTH_MAX = 8000;

/** Corrects the version of a misspelled SPF record and removes pasted quotes. */
export function repairVersion(record: string): string {
  const terms = record
    .replace(/["'“”„\\]/g, "")
    .trim()
    .replace(/^(v\s*([=:-]\s*)?)?spf[-_]?\d*[=:;,\s]*/i, "");
  return ["v=spf1", ...terms.slice(0, REPAIRED_LENGTH_MAX).split(/[\s;,]+/)].filter((term) => term !== "").join(" ");
}

/** Inserts mechanisms before the record's `all` or `redirect=`, or appends them when it has neither. */
export function withMechanisms(record: string, mechanisms: string[]): string {
  const terms = record.trim().split(/\s+/);
  const end = terms.findIndex((term) => isAll(term) || /^redirect=/i.test(term));
  const position = end === -1 ? terms.length : end;
  return [...terms.slice(0, position), ...mechanisms, ...terms.slice(position)].join(" ");
}

/** Puts mechanisms first, where they match before any lookup. */
export function withMechanismsFirst(record: string, mechanisms: string[]): string {
  const [version = "v=spf1", ...terms] = record.trim().split(/\s+/);
  return [version, ...mechanisms, ...terms.filter((term) => !mechanisms.includes(term))].join(" ");
}

/**
 * Merges records with valid terms: all mechanisms before the strictest `all`. Terms after an `all` have no effect and are
 * omitted; a redirect= becomes an include:.
 */
export function mergeRecords(records: string[]): string {
  const lists = records.map((record) => record.trim().split(/\s+/).slice(1));
  const effective = lists.map((terms) => {
    const end = terms.findIndex(isAll);
    return end === -1 ? terms : terms.slice(0, end + 1);
  });
  const ends = effective.flat().filter(isAll);
  const strictest = ALL_QUALIFIERS.find((qualifier) => ends.some((end) => end.startsWith(qualifier))) ?? "~";
  const mechanisms = effective.flatMap((terms) => {
    const hasAll = terms.some(isAll);
    return terms.filter((term) => !isAll(term)).flatMap((term) => toMergedTerm(term, hasAll));
  });
  return ["v=spf1", ...new Set(mechanisms), `${strictest}all`].join(" ");
}

/** From the strictest to the weakest that is suggested. */
const ALL_QUALIFIERS = ["-", "~", "?"];

/** Converts a term for the merged record; empty for a redirect= that the `all` of its own record overrides. */
function toMergedTerm(term: string, besideAll: boolean): string[] {
  const target = /^redirect=(.+)$/i.exec(term)?.[1];
  if (target === undefined) return [term];
  return besideAll ? [] : [`include:${target}`];
}

/** The names of an include or redirect loop reachable from `name`, or null. `records`: SPF records by lower-case name. */
export function findLoop(name: string, records: ReadonlyMap<string, string>): string[] | null {
  const done = new Set<string>();
  const follow = (at: string, path: string[]): string[] | null => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at];
    if (done.has(at)) return null;
    for (const next of referencedNames(records.get(at) ?? "")) {
      const loop = follow(next, [...path, at]);
      if (loop) return loop;
    }
    done.add(at);
    return null;
  };
  return follow(name.toLowerCase(), []);
}

function referencedNames(record: string): string[] {
  return record
    .split(/\s+/)
    .map((term) => /^(?:[+?~-]?include:|redirect=)(.+)$/i.exec(term)?.[1])
    .filter((target) => target !== undefined)
    .map((target) => target.toLowerCase().replace(/\.$/, ""));
}

export function isAll(term: string): boolean {
  return /^[+?~-]?all$/i.test(term);
}

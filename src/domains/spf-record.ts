/**
 * The text of SPF records (RFC 7208 §4.5, §12): which text is one, and how to change it.
 * Pure. What a record means for an address is evaluated in spf.ts by mailauth.
 */

/** Whether receivers take the text for an SPF record. */
export function isSpf(record: string): boolean {
  return /^v=spf1( |$)/i.test(record);
}

/** Whether the text was meant to be an SPF record, however it is spelt. Sender ID ("spf2.0/…") is something else. */
export function looksLikeSpf(record: string): boolean {
  return /^["'“”„\\\s]*(v\s*([=:-]\s*)?)?["'“”„]*spf(?!2\.0)/i.test(record);
}

const RESPELT_MAX = 8000;

/** A misspelt SPF record with the right beginning, without pasted quotes. */
export function respelt(record: string): string {
  const terms = record
    .replace(/["'“”„\\]/g, "")
    .trim()
    .replace(/^(v\s*([=:-]\s*)?)?spf[-_]?\d*[=:;,\s]*/i, "");
  return ["v=spf1", ...terms.slice(0, RESPELT_MAX).split(/[\s;,]+/)].filter((term) => term !== "").join(" ");
}

/** The record with mechanisms inserted before its `all` or `redirect=`, or at its end when it has neither. */
export function withMechanisms(record: string, mechanisms: string[]): string {
  const terms = record.trim().split(/\s+/);
  const end = terms.findIndex((term) => isAll(term) || /^redirect=/i.test(term));
  const position = end === -1 ? terms.length : end;
  return [...terms.slice(0, position), ...mechanisms, ...terms.slice(position)].join(" ");
}

/** The record with mechanisms put first, so that they match before anything is looked up. */
export function withMechanismsFirst(record: string, mechanisms: string[]): string {
  const [version = "v=spf1", ...terms] = record.trim().split(/\s+/);
  return [version, ...mechanisms, ...terms.filter((term) => !mechanisms.includes(term))].join(" ");
}

/**
 * Several records as one, whose terms are right: all mechanisms before the strictest `all`. What stands behind an `all` has
 * no effect and is left out; a redirect= beside another record becomes an include:.
 */
export function merged(records: string[]): string {
  const lists = records.map((record) => record.trim().split(/\s+/).slice(1));
  const effective = lists.map((terms) => {
    const end = terms.findIndex(isAll);
    return end === -1 ? terms : terms.slice(0, end + 1);
  });
  const ends = effective.flat().filter(isAll);
  const strictest = ALL_SIGNS.find((sign) => ends.some((end) => end.startsWith(sign))) ?? "~";
  const mechanisms = effective.flatMap((terms) =>
    terms.filter((term) => !isAll(term)).flatMap((term) => included(term, terms.some(isAll))),
  );
  return ["v=spf1", ...new Set(mechanisms), `${strictest}all`].join(" ");
}

/** From the strictest to the weakest that is offered. */
const ALL_SIGNS = ["-", "~", "?"];

/** The term as one of a merged record: none for a redirect= that its own record's `all` makes ineffective. */
function included(term: string, besideAll: boolean): string[] {
  const target = /^redirect=(.+)$/i.exec(term)?.[1];
  if (target === undefined) return [term];
  return besideAll ? [] : [`include:${target}`];
}

/** The names of an include or redirect loop that starts at `name`, or null. `records` holds the texts seen, by lower-case name. */
export function includeLoop(name: string, records: ReadonlyMap<string, string>): string[] | null {
  const done = new Set<string>();
  const follow = (at: string, path: string[]): string[] | null => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at];
    if (done.has(at)) return null;
    for (const next of targets(records.get(at) ?? "")) {
      const loop = follow(next, [...path, at]);
      if (loop) return loop;
    }
    done.add(at);
    return null;
  };
  return follow(name.toLowerCase(), []);
}

function targets(record: string): string[] {
  return record
    .split(/\s+/)
    .map((term) => /^(?:[+?~-]?include:|redirect=)(.+)$/i.exec(term)?.[1])
    .filter((target) => target !== undefined)
    .map((target) => target.toLowerCase().replace(/\.$/, ""));
}

export function isAll(term: string): boolean {
  return /^[+?~-]?all$/i.test(term);
}

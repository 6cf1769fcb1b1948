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
  return /^["'\\\s]*(v\s*([=:-]\s*)?)?["']?spf(?!2\.0)/i.test(record);
}

/** A misspelt SPF record with the right beginning, without pasted quotes. */
export function respelt(record: string): string {
  const terms = record
    .replace(/["'\\]/g, "")
    .trim()
    .replace(/^(v\s*([=:-]\s*)?)?spf[-_]?\d*[=:;,\s]*/i, "");
  return ["v=spf1", ...terms.split(/[\s;]+/)].filter((term) => term !== "").join(" ");
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

/** Several records as one, or null when they hold modifiers or something after `all`, which no simple union keeps. */
export function merged(records: string[]): string | null {
  const lists = records.map((record) => record.trim().split(/\s+/).slice(1));
  const simple = lists.every((terms) =>
    terms.every((term, index) => !/^[a-z][a-z0-9_.-]*=/i.test(term) && (!isAll(term) || index === terms.length - 1)),
  );
  if (!simple) return null;
  const mechanisms = new Set(lists.flat().filter((term) => !isAll(term)));
  const ends = new Set(lists.flat().filter(isAll));
  const end = ends.size === 1 ? [...ends] : ["~all"];
  return ["v=spf1", ...mechanisms, ...end].join(" ");
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

function isAll(term: string): boolean {
  return /^[+?~-]?all$/i.test(term);
}

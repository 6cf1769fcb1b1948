/**
 * The SPF record to offer: the published terms, mended where they are wrong, with the sending addresses added.
 * Decides by evaluation that the offered record passes, and leaves out no term that receivers can use.
 */
import type { CheckContext } from "./check.ts";
import { ipMechanism } from "./records.ts";
import { type AddressResult, evaluateSpf, SPF_LENGTH_MAX } from "./spf-evaluation.ts";
import { includeLoop, isAll, merged, withMechanisms, withMechanismsFirst } from "./spf-record.ts";
import { mendedTerm, termsOf, wrongTerm } from "./spf-syntax.ts";

/** Terms that are evaluated alone in search of the one that receivers stumble over: each costs look-ups. */
const TRIED_MAX = 10;

/** One record in the place of these, which passes for every sending address. */
export async function offerSpf(name: string, records: string[], context: CheckContext): Promise<string> {
  const mended = records.map((record) => textOf(mendedTerms(termsOf(record))));
  const [single = "v=spf1", second] = mended;
  const union = fitted(closed(second === undefined ? single : merged(mended)));
  const whole = await completed(name, union, context);
  if (whole !== null) return whole;
  const usable = await withoutBroken(name, union, context);
  const rest = await completed(name, usable, context);
  if (rest !== null) return rest;
  const ours = context.sendingIps.map(ipMechanism);
  const first = withMechanismsFirst(usable, ours);
  const { results } = await evaluateSpf(name, first, context);
  if (results.every(({ result }) => result === "pass")) return first;
  return textOf([...ours, ...termsOf(usable).filter(isAll)]);
}

const textOf = (terms: string[]): string => ["v=spf1", ...terms].join(" ");

function mendedTerms(terms: string[]): string[] {
  const known = new Set<string>();
  return terms
    .flatMap((term) => mendedTerm(term) ?? [])
    .filter((term) => {
      const [, modifier] = /^(redirect|exp)=/i.exec(term) ?? [];
      const key = modifier?.toLowerCase() ?? term;
      if (known.has(key)) return false;
      known.add(key);
      return true;
    });
}

/** An `all` that lets everybody send is no policy to offer. */
function closed(record: string): string {
  return textOf(termsOf(record).map((term) => (/^\+?all$/i.test(term) ? "~all" : term)));
}

/** The terms that fit into what receivers read, the last ones left out. */
function fitted(record: string): string {
  const terms = termsOf(record);
  const ends = terms.filter(isAll).slice(0, 1);
  let length = textOf(ends).length + ROOM;
  const fitting = terms.filter((term) => {
    length += term.length + 1;
    return length <= SPF_LENGTH_MAX;
  });
  return textOf(fitting.length === terms.length ? terms : [...fitting.filter((term) => !isAll(term)), ...ends]);
}

/** For the mechanisms of the sending addresses. */
const ROOM = 500;

/** The record with the addresses that it does not cover before its `all`; null where it does not pass even so. */
async function completed(name: string, record: string, context: CheckContext): Promise<string | null> {
  const missing = uncovered((await evaluateSpf(name, record, context)).results);
  const right = missing.length > 0 ? withMechanisms(record, missing.map(ipMechanism)) : record;
  const { results } = await evaluateSpf(name, right, context);
  const passes = results.every(({ result }) => result === "pass") && wrongTerm(right) === null;
  return passes ? right : null;
}

export function uncovered(results: AddressResult[]): string[] {
  return results.filter(({ result }) => ["softfail", "fail", "neutral"].includes(result)).map(({ ip }) => ip);
}

/** The record without terms that are a permanent error by themselves, such as an include of a name without a record. */
async function withoutBroken(name: string, record: string, context: CheckContext): Promise<string> {
  const terms = termsOf(record);
  const asking = terms.filter((term) => /^([+?~-]?include:|redirect=)/i.test(term)).slice(0, TRIED_MAX);
  const broken = new Set<string>();
  for (const term of asking) {
    const { results, records } = await evaluateSpf(name, textOf([term]), context);
    const isError = results.some(({ result, text }) => result === "permerror" && !/too many/i.test(text));
    if (isError || includeLoop(name, records) !== null) broken.add(term);
  }
  return textOf(terms.filter((term) => !broken.has(term)));
}

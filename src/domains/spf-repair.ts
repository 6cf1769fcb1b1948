/**
 * The SPF record to publish in place of a faulty one: the published terms, repaired where they are wrong, with the sending
 * addresses added. Evaluates the result to prove that it passes, and omits no term that receivers can use.
 */

import { TXT_BYTES_MAX } from "../dns/answer-limits.ts";
import type { CheckContext } from "./check.ts";
import { ipMechanism } from "./records.ts";
import { type AddressResult, evaluateSpf } from "./spf-evaluation.ts";
import { findLoop, isAll, mergeRecords, withMechanisms, withMechanismsFirst } from "./spf-record.ts";
import { findInvalidTerm, repairTerm, splitTerms } from "./spf-syntax.ts";

/** The number of terms evaluated one by one to find those that fail: each costs lookups. */
const EVALUATED_TERMS_MAX = 10;

/** Merges `records` into one record that passes for every sending address. */
export async function repairSpf(name: string, records: string[], context: CheckContext): Promise<string> {
  const repaired = records.map((record) => formatRecord(repairTerms(splitTerms(record))));
  const [single = "v=spf1", second] = repaired;
  const union = fitLength(withoutPassAll(second === undefined ? single : mergeRecords(repaired)));
  const whole = await withSendingIps(name, union, context);
  if (whole !== null) return whole;
  const usable = await withoutFailingTerms(name, union, context);
  const rest = await withSendingIps(name, usable, context);
  if (rest !== null) return rest;
  const ours = context.sendingIps.map(ipMechanism);
  const first = withMechanismsFirst(usable, ours);
  const { results } = await evaluateSpf(name, first, context);
  if (results.every(({ result }) => result === "pass")) return first;
  return formatRecord([...ours, ...splitTerms(usable).filter(isAll)]);
}

const formatRecord = (terms: string[]): string => ["v=spf1", ...terms].join(" ");

function repairTerms(terms: string[]): string[] {
  const known = new Set<string>();
  return terms
    .flatMap((term) => repairTerm(term) ?? [])
    .filter((term) => {
      const [, modifier] = /^(redirect|exp)=/i.exec(term) ?? [];
      const key = modifier?.toLowerCase() ?? term;
      if (known.has(key)) return false;
      known.add(key);
      return true;
    });
}

/** Replaces an `all` that authorizes every host by `~all`. */
function withoutPassAll(record: string): string {
  return formatRecord(splitTerms(record).map((term) => (/^\+?all$/i.test(term) ? "~all" : term)));
}

/** Omits the last terms of a record that is longer than what is read of one. */
function fitLength(record: string): string {
  const terms = splitTerms(record);
  const ends = terms.filter(isAll).slice(0, 1);
  let length = formatRecord(ends).length + SENDING_IPS_LENGTH;
  const fitting = terms.filter((term) => {
    length += term.length + 1;
    return length <= TXT_BYTES_MAX;
  });
  return formatRecord(fitting.length === terms.length ? terms : [...fitting.filter((term) => !isAll(term)), ...ends]);
}

/** Reserved for the mechanisms of the sending addresses. */
const SENDING_IPS_LENGTH = 500;

/** Inserts the sending addresses that the record does not cover before its `all`; null where it still does not pass. */
async function withSendingIps(name: string, record: string, context: CheckContext): Promise<string | null> {
  const missing = uncoveredIps((await evaluateSpf(name, record, context)).results);
  const right = missing.length > 0 ? withMechanisms(record, missing.map(ipMechanism)) : record;
  const { results } = await evaluateSpf(name, right, context);
  const passes = results.every(({ result }) => result === "pass") && findInvalidTerm(right) === null;
  return passes ? right : null;
}

export function uncoveredIps(results: AddressResult[]): string[] {
  return results.filter(({ result }) => ["softfail", "fail", "neutral"].includes(result)).map(({ ip }) => ip);
}

/** Omits terms that are a permanent error on their own, such as an include: of a name without a record. */
async function withoutFailingTerms(name: string, record: string, context: CheckContext): Promise<string> {
  const terms = splitTerms(record);
  const asking = terms.filter((term) => /^([+?~-]?include:|redirect=)/i.test(term)).slice(0, EVALUATED_TERMS_MAX);
  const broken = new Set<string>();
  for (const term of asking) {
    const { results, records } = await evaluateSpf(name, formatRecord([term]), context);
    const isError = results.some(({ result, text }) => result === "permerror" && !/too many/i.test(text));
    if (isError || findLoop(name, records) !== null) broken.add(term);
  }
  return formatRecord(terms.filter((term) => !broken.has(term)));
}

/**
 * Checks that an SPF record, of the domain or of its return path, authorizes every sending address (RFC 7208). mailauth evaluates
 * the record, with includes and ranges, as receivers do; spf-repair.ts corrects it.
 */
import type { CheckContext, CheckResult, RecordCheck } from "./check.ts";
import { contextOf, displayRecords, quote, temporaryFailure } from "./check.ts";
import { findMisplacedRecord } from "./misplaced-record.ts";
import { type RecordToPublish, spfRecord } from "./records.ts";
import { evaluateSpf, type SpfEvaluation } from "./spf-evaluation.ts";
import { findLoop, isSpf, looksLikeSpf, repairVersion } from "./spf-record.ts";
import { repairSpf, uncoveredIps } from "./spf-repair.ts";
import { findInvalidTerm } from "./spf-syntax.ts";

export const checkSpf: RecordCheck = (domain, context) =>
  checkSpfRecord(spfRecord(domain, context), contextOf(domain, context));

/** The record where none is published. */
type WantedRecord = Pick<RecordToPublish, "name" | "value">;

/** Checks the SPF record at the name of `wanted`. */
export async function checkSpfRecord(wanted: WantedRecord, context: CheckContext): Promise<CheckResult> {
  const { name, value: expected } = wanted;
  const answer = await context.resolver.txt(name);
  if (answer.type === "failure") return temporaryFailure(`the TXT records of ${name}`, answer, expected);
  const texts = answer.type === "found" ? answer.records : [];
  const records = texts.filter(isSpf);
  const found = displayRecords(records);
  if (context.sendingIps.length === 0) return { ...noSendingIps(name, expected), found };
  const [record, second] = records;
  if (record === undefined) return noRecord(wanted, context, texts.filter(looksLikeSpf));
  if (second !== undefined) return { ...(await severalRecords(name, context, records)), found };
  return { ...(await evaluate({ name, record, expected, context })), found };
}

type SpfResult = Omit<CheckResult, "found">;

function noSendingIps(name: string, expected: string): SpfResult {
  const detail = `The SPF record of ${name} cannot be checked because no sending address is known. Set SENDING_IPS to the public addresses that messages are sent from.`;
  return { state: "pending", detail, expected };
}

async function noRecord(
  { name, value: expected }: WantedRecord,
  context: CheckContext,
  lookalikes: string[],
): Promise<CheckResult> {
  const lookalike = lookalikes[0];
  if (lookalike !== undefined) {
    const right = await repairSpf(name, lookalikes.map(repairVersion), context);
    const detail = `The TXT record ${quote(lookalike)} is not an SPF record because it does not begin with exactly “v=spf1 ”. Change it to: ${right}`;
    return { state: "failed", detail, expected: right, found: displayRecords(lookalikes) };
  }
  const elsewhere = await findMisplacedRecord(context.resolver, {
    label: "",
    domain: name,
    mistakenLabels: ["_spf", "spf", "@"],
    matches: isSpf,
  });
  if (elsewhere !== null) {
    const right = await repairSpf(name, elsewhere.found, context);
    const detail = `${name} has no SPF record. ${elsewhere.sentence} Use the value ${right}`;
    return { state: "failed", detail, expected: right, found: displayRecords(elsewhere.found), foundAt: elsewhere.at };
  }
  const detail = `${name} has no SPF record. Add a TXT record at ${name} with the value ${expected}.`;
  return { state: "failed", detail, expected, found: [] };
}

async function severalRecords(name: string, context: CheckContext, records: string[]): Promise<SpfResult> {
  const fault = `${name} has ${records.length} SPF records, which is a permanent error for receivers (RFC 7208 §4.5). Merge them into one`;
  const right = await repairSpf(name, records.slice(0, MERGED_MAX), context);
  return { state: "failed", detail: `${fault}: ${right}`, expected: right };
}

const MERGED_MAX = 10;

interface PublishedRecord {
  name: string;
  record: string;
  /** The record where none is published. */
  expected: string;
  context: CheckContext;
}

/** The failed result for a fault, with the record to publish instead. */
async function failed({ name, record, context }: PublishedRecord, fault: string): Promise<SpfResult> {
  const right = await repairSpf(name, [record], context);
  return { state: "failed", detail: `${fault} Change it to: ${right}`, expected: right };
}

async function evaluate(published: PublishedRecord): Promise<SpfResult> {
  const { name, record, expected, context } = published;
  const evaluation = await evaluateSpf(name, record, context);
  const { results, firstFailure } = evaluation;
  const invalid = findInvalidTerm(record);
  if (invalid !== null) return syntaxError(published, invalid);
  const wanting = results.filter(({ result }) => result !== "pass");
  if (wanting.length === 0) return passed(published);
  if (firstFailure)
    return temporaryFailure(
      `${firstFailure.name}, which the SPF record of ${name} refers to`,
      firstFailure.failure,
      expected,
    );
  const temporary = wanting.find(({ result }) => result === "temperror");
  if (temporary) {
    const detail = `The SPF record of ${name} could not be evaluated (${temporary.text}). The check is repeated automatically.`;
    return { state: "temporary_failure", detail, expected };
  }
  const error = wanting.find(({ result }) => result === "permerror" || result === "none");
  if (error) return failed(published, explainPermanentError(published, evaluation, error.text));
  const missing = uncoveredIps(wanting).join(" and ");
  return failed(published, `The SPF record of ${name} does not authorize ${missing} (result ${wanting[0]?.result}).`);
}

function syntaxError(published: PublishedRecord, invalid: string): Promise<SpfResult> {
  const { name } = published;
  const [, mechanism] = /^[+?~-]?([a-z0-9_-]+)(?=[:/]|$)/i.exec(invalid) ?? [];
  const unknown = mechanism === undefined ? "" : ` (${explainMechanism(mechanism)})`;
  const fault = `The SPF record of ${name} has a syntax error at ${quote(invalid)}${unknown}, so receivers reject it (RFC 7208 §4.6).`;
  return failed(published, fault);
}

function explainMechanism(mechanism: string): string {
  const isKnown = /^(all|include|a|mx|ptr|ip4|ip6|exists)$/i.test(mechanism);
  return isKnown ? `${mechanism} has an invalid value` : `unknown mechanism ${mechanism.slice(0, 40)}`;
}

async function passed({ name, record, context }: PublishedRecord): Promise<SpfResult> {
  const detail = `The SPF record of ${name} authorizes ${context.sendingIps.join(" and ")}.`;
  if (!/(^|\s)\+?all(\s|$)/i.test(record)) return { state: "verified", detail, expected: record };
  const right = await repairSpf(name, [record], context);
  const warning = `Its “all” authorizes every host to send for the domain. Change it to: ${right}`;
  return { state: "verified", detail: `${detail} ${warning}`, expected: right, warnings: [warning] };
}

function explainPermanentError({ name, record }: PublishedRecord, { records }: SpfEvaluation, text: string): string {
  const loop = findLoop(name, records);
  if (loop) {
    return `The SPF record of ${name} includes itself (${loop.join(" → ")}), so receivers reject it. Remove that include: or redirect=.`;
  }
  if (/too many/i.test(text)) {
    const limit = /void/i.test(text) ? "more than two lookups of names without records" : "more than ten DNS lookups";
    return `The SPF record of ${name} needs ${limit} (RFC 7208 §4.6.4; ${text}). Remove each include: that you no longer use. Our addresses match first in the record below and need no lookup.`;
  }
  return `The SPF record of ${name} has an error (${text.slice(0, 200)}), so receivers reject it: ${quote(record)}.`;
}

/**
 * SPF: the domain lets every address that our mail leaves from send for it (RFC 7208).
 * Decides by mailauth's evaluation of the published record, so that includes and ranges count as receivers count them;
 * spf-offer.ts corrects the record.
 */
import type { Check, CheckContext, Publisher, Seen } from "./check.ts";
import { quoted, shown, troubled } from "./check.ts";
import { misplaced } from "./misplaced.ts";
import { spfRecord } from "./records.ts";
import { type Evaluation, evaluateSpf, SPF_LENGTH_MAX } from "./spf-evaluation.ts";
import { offerSpf, uncovered } from "./spf-offer.ts";
import { includeLoop, isSpf, looksLikeSpf, respelt } from "./spf-record.ts";
import { wrongTerm } from "./spf-syntax.ts";

export const checkSpf: Check = async (domain, context) => {
  const { name, value: expected } = spfRecord(domain, context);
  const answer = await context.resolver.txt(name);
  if (answer.type === "trouble") return troubled(`the TXT records of ${name}`, answer, expected);
  const texts = answer.type === "found" ? answer.records : [];
  const records = texts.filter(isSpf);
  const found = shown(records);
  if (context.sendingIps.length === 0) return { ...unknownAddresses(name, expected), found };
  const [record, second] = records;
  if (record === undefined) return noRecord(domain, context, texts.filter(looksLikeSpf));
  if (second !== undefined) return { ...(await severalRecords(name, context, records)), found };
  return { ...(await judge({ name, record, context })), found };
};

type Finding = Omit<Seen, "found">;

function unknownAddresses(name: string, expected: string): Finding {
  const detail = `Whether the SPF record of ${name} lets us send cannot be said, as no sending address is known: set SENDING_IPS to the public addresses that mail leaves from.`;
  return { state: "pending", detail, expected };
}

async function noRecord(domain: Publisher, context: CheckContext, lookalikes: string[]): Promise<Seen> {
  const { name, value: expected } = spfRecord(domain, context);
  const lookalike = lookalikes[0];
  if (lookalike !== undefined) {
    const right = await offerSpf(name, lookalikes.map(respelt), context);
    const detail = `The TXT record ${quoted(lookalike)} is no SPF record, since it does not begin with “v=spf1 ” exactly. Change it to: ${right}`;
    return { state: "failed", detail, expected: right, found: shown(lookalikes) };
  }
  const slips = ["_spf", "spf", "@"];
  const elsewhere = await misplaced(context.resolver, { label: "", domain: name, slips, isIt: isSpf });
  if (elsewhere !== null) {
    const right = await offerSpf(name, elsewhere.found, context);
    const detail = `${name} has no SPF record. ${elsewhere.sentence} The value: ${right}`;
    return { state: "failed", detail, expected: right, found: shown(elsewhere.found), foundAt: elsewhere.at };
  }
  const detail = `${name} has no SPF record. Add a TXT record at ${name} with the value ${expected}.`;
  return { state: "failed", detail, expected, found: [] };
}

async function severalRecords(name: string, context: CheckContext, records: string[]): Promise<Finding> {
  const fault = `${name} has ${records.length} SPF records, and receivers take that for an error (RFC 7208 §4.5). Merge them into one`;
  const right = await offerSpf(name, records.slice(0, MERGED_MAX), context);
  return { state: "failed", detail: `${fault}: ${right}`, expected: right };
}

const MERGED_MAX = 10;

interface Judged {
  name: string;
  record: string;
  context: CheckContext;
}

/** A failure, with the record to publish in the place of this one. */
async function failed({ name, record, context }: Judged, fault: string): Promise<Finding> {
  const right = await offerSpf(name, [record], context);
  return { state: "failed", detail: `${fault} Change it to: ${right}`, expected: right };
}

async function judge(judged: Judged): Promise<Finding> {
  const { name, record, context } = judged;
  if (record.length > SPF_LENGTH_MAX) {
    const fault = `The SPF record of ${name} is longer than ${SPF_LENGTH_MAX} characters, more than receivers read.`;
    return failed(judged, `${fault} Take out what you no longer use.`);
  }
  const evaluation = await evaluateSpf(name, record, context);
  const { results, trouble } = evaluation;
  const wrong = wrongTerm(record);
  if (wrong !== null) return syntaxError(judged, wrong);
  const wanting = results.filter(({ result }) => result !== "pass");
  if (wanting.length === 0) return passed(judged);
  const { value: expected } = spfRecord({ name }, context);
  if (trouble) return troubled(`${trouble.name}, which the SPF record of ${name} refers to`, trouble.trouble, expected);
  const temporary = wanting.find(({ result }) => result === "temperror");
  if (temporary) {
    const detail = `The SPF record of ${name} could not be evaluated now (${temporary.text}). The check is repeated by itself.`;
    return { state: "temporary_failure", detail, expected };
  }
  const error = wanting.find(({ result }) => result === "permerror" || result === "none");
  if (error) return failed(judged, errorFault(judged, evaluation, error.text));
  const missing = uncovered(wanting).join(" and ");
  return failed(judged, `The SPF record of ${name} does not let ${missing} send (result ${wanting[0]?.result}).`);
}

function syntaxError(judged: Judged, wrong: string): Promise<Finding> {
  const { name } = judged;
  const [, mechanism] = /^[+?~-]?([a-z0-9_-]+)(?=[:/]|$)/i.exec(wrong) ?? [];
  const unknown = mechanism === undefined ? "" : ` (${whatIsWrong(mechanism)})`;
  const fault = `The SPF record of ${name} has a syntax error at ${quoted(wrong)}${unknown}, so receivers reject it (RFC 7208 §4.6).`;
  return failed(judged, fault);
}

function whatIsWrong(mechanism: string): string {
  const isKnown = /^(all|include|a|mx|ptr|ip4|ip6|exists)$/i.test(mechanism);
  return isKnown ? `${mechanism} needs another value` : `unknown mechanism ${mechanism.slice(0, 40)}`;
}

async function passed({ name, record, context }: Judged): Promise<Finding> {
  const detail = `The SPF record of ${name} lets ${context.sendingIps.join(" and ")} send.`;
  if (!/(^|\s)\+?all(\s|$)/i.test(record)) return { state: "verified", detail, expected: record };
  const right = await offerSpf(name, [record], context);
  const warning = `But its “all” lets everybody send for the domain. Change it to: ${right}`;
  return { state: "verified", detail: `${detail} ${warning}`, expected: right, warnings: [warning] };
}

function errorFault({ name, record }: Judged, { records }: Evaluation, text: string): string {
  const loop = includeLoop(name, records);
  if (loop) {
    return `The SPF record of ${name} includes itself (${loop.join(" → ")}), so receivers reject it. Take that include: or redirect= out.`;
  }
  if (/too many/i.test(text)) {
    const limit = /void/i.test(text)
      ? "more than two look-ups of names that have no records"
      : "more than ten DNS look-ups";
    return `The SPF record of ${name} needs ${limit} (RFC 7208 §4.6.4; ${text}). Take out each include: that you no longer use. With our addresses in front none is needed for them.`;
  }
  return `The SPF record of ${name} has an error (${text.slice(0, 200)}), so receivers reject it: ${quoted(record)}.`;
}

/**
 * SPF: the domain lets every address that our mail leaves from send for it (RFC 7208).
 * Decides by mailauth's evaluation of the published record, so that includes and ranges count as receivers count them,
 * and gives the changed record where one can be given.
 */
import type { Check, CheckContext, Publisher, Seen } from "./check.ts";
import { quoted, shown, troubled } from "./check.ts";
import { ipMechanism, spfRecord } from "./records.ts";
import { type AddressResult, type Evaluation, evaluateSpf, SPF_LENGTH_MAX } from "./spf-evaluation.ts";
import {
  includeLoop,
  isSpf,
  looksLikeSpf,
  merged,
  respelt,
  withMechanisms,
  withMechanismsFirst,
} from "./spf-record.ts";

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
  if (second !== undefined) return { ...(await severalRecords(domain, context, records)), found };
  if (record.length > SPF_LENGTH_MAX) return { ...tooLong(name, expected), found };
  return { ...judge(name, record, { expected, evaluation: await evaluateSpf(name, record, context) }), found };
};

type Finding = Omit<Seen, "found">;

function unknownAddresses(name: string, expected: string): Finding {
  const detail = `Whether the SPF record of ${name} lets us send cannot be said, as no sending address is known: set SENDING_IPS to the public addresses that mail leaves from.`;
  return { state: "pending", detail, expected };
}

async function noRecord(domain: Publisher, context: CheckContext, lookalikes: string[]): Promise<Seen> {
  const { name, value: expected } = spfRecord(domain, context);
  const lookalike = lookalikes[0];
  if (lookalike === undefined) {
    const detail = `${name} has no SPF record. Add a TXT record at ${name} with the value ${expected}.`;
    return { state: "failed", detail, expected, found: [] };
  }
  const right = lookalike.length > SPF_LENGTH_MAX ? expected : await completed(name, respelt(lookalike), context);
  const detail = `The TXT record ${quoted(lookalike)} is no SPF record, since it does not begin with “v=spf1 ” exactly. Change it to: ${right}`;
  return { state: "failed", detail, expected: right, found: shown(lookalikes) };
}

async function severalRecords(domain: Publisher, context: CheckContext, records: string[]): Promise<Finding> {
  const { name, value: expected } = spfRecord(domain, context);
  const fault = `${name} has ${records.length} SPF records, and receivers take that for an error (RFC 7208 §4.5). Merge them into one`;
  const union = merged(records);
  if (union === null || union.length > SPF_LENGTH_MAX) return { state: "failed", detail: `${fault}.`, expected };
  const right = await completed(name, union, context);
  return { state: "failed", detail: `${fault}: ${right}`, expected: right };
}

function tooLong(name: string, expected: string): Finding {
  const detail = `The SPF record of ${name} is longer than ${SPF_LENGTH_MAX} characters, more than receivers read. Shorten it, for instance to: ${expected}`;
  return { state: "failed", detail, expected };
}

/** A proposed record with whatever sending address it does not cover yet. */
async function completed(name: string, record: string, context: CheckContext): Promise<string> {
  const { results } = await evaluateSpf(name, record, context);
  const missing = uncovered(results);
  return missing.length > 0 ? withMechanisms(record, missing.map(ipMechanism)) : record;
}

function uncovered(results: AddressResult[]): string[] {
  return results.filter(({ result }) => ["softfail", "fail", "neutral"].includes(result)).map(({ ip }) => ip);
}

interface Judged {
  expected: string;
  evaluation: Evaluation;
}

function judge(name: string, record: string, { expected, evaluation }: Judged): Finding {
  const { results, trouble } = evaluation;
  const wanting = results.filter(({ result }) => result !== "pass");
  if (wanting.length === 0) return { state: "verified", detail: passed(name, record, results), expected };
  if (trouble) return troubled(`${trouble.name}, which the SPF record of ${name} refers to`, trouble.trouble, expected);
  const temporary = wanting.find(({ result }) => result === "temperror");
  if (temporary) {
    const detail = `The SPF record of ${name} could not be evaluated now (${temporary.text}). The check is repeated by itself.`;
    return { state: "temporary_failure", detail, expected };
  }
  const error = wanting.find(({ result }) => result === "permerror" || result === "none");
  if (error) return permanentError(name, record, { expected, evaluation, text: error.text });
  const missing = uncovered(wanting);
  const right = withMechanisms(record, missing.map(ipMechanism));
  const detail = `The SPF record of ${name} does not let ${missing.join(" and ")} send (result ${wanting[0]?.result}). Change it to: ${right}`;
  return { state: "failed", detail, expected: right };
}

function passed(name: string, record: string, results: AddressResult[]): string {
  const open = /(^|\s)\+?all(\s|$)/i.test(record)
    ? " But its “all” lets everybody send for the domain: change it to ~all."
    : "";
  return `The SPF record of ${name} lets ${results.map(({ ip }) => ip).join(" and ")} send.${open}`;
}

function permanentError(
  name: string,
  record: string,
  { expected, evaluation, text }: Judged & { text: string },
): Finding {
  const loop = includeLoop(name, evaluation.records);
  if (loop) {
    const detail = `The SPF record of ${name} includes itself (${loop.join(" → ")}), so receivers reject it. Take that include: or redirect= out.`;
    return { state: "failed", detail, expected };
  }
  if (/too many/i.test(text)) {
    const ips = evaluation.results.filter(({ result }) => result !== "pass").map(({ ip }) => ip);
    const right = withMechanismsFirst(record, ips.map(ipMechanism));
    const limit = /void/i.test(text)
      ? "more than two look-ups of names that have no records"
      : "more than ten DNS look-ups";
    const detail = `The SPF record of ${name} needs ${limit} (RFC 7208 §4.6.4; ${text}). Take out each include: that you no longer use; with our addresses in front none is needed for them: ${right}`;
    return { state: "failed", detail, expected: right };
  }
  const detail = `The SPF record of ${name} has an error (${text.slice(0, 200)}), so receivers reject it: ${quoted(record)}. Correct or remove that term; a record that is enough for us is ${expected}`;
  return { state: "failed", detail, expected };
}

/**
 * The sentences about a valid DMARC record: warnings of what has no effect or not the intended one, and hints about what is merely
 * out of date. dmarc/record.ts decides what receivers ignore.
 */
import { appliedPolicy, type DmarcRecord, type Policy, type RecordFault, TAGS } from "../dmarc/record.ts";
import { closestWord } from "../message/closest-word.ts";
import { quote } from "./check.ts";

export interface RecordAdvice {
  warnings: string[];
  hints: string[];
}

/** Faults that are mentioned; a record can have hundreds. */
const SENTENCES_MAX = 8;

export function adviceOf(record: DmarcRecord): RecordAdvice {
  const sentences = record.faults.map((fault) => sentenceOn(fault, record));
  const warnings = sentences.flatMap(({ warning }) => warning ?? []).slice(0, SENTENCES_MAX);
  const hints = [...new Set(sentences.flatMap(({ hint }) => hint ?? []))].slice(0, SENTENCES_MAX);
  return { warnings: [...warnings, ...policyWarning(record)], hints: [...hints, ...suffixHint(record)] };
}

interface Sentence {
  warning?: string;
  hint?: string;
}

function sentenceOn(fault: RecordFault, record: DmarcRecord): Sentence {
  switch (fault.type) {
    case "leading_space":
      return { warning: "The record begins with a space: some receivers ignore it." };
    case "no_policy":
      return { warning: `The record has no p= tag.${policyInstead(record)}` };
    case "malformed":
      return { warning: `Receivers ignore ${quote(fault.part.slice(0, 60))}, which does not have the form tag=value.` };
    case "repeated":
      return { warning: `The tag ${short(fault.name)}= is repeated: receivers differ in the one that they use.` };
    case "upper_case":
      return { warning: `Some receivers ignore the tag ${fault.name}= in capitals.` };
    case "unknown_tag":
      return onUnknownTag(fault.name);
    case "historic_tag":
      return onHistoricTag(fault, record);
    case "invalid_value":
      return { warning: onValue(fault) };
    case "unusable_uri":
      return { warning: onUri(fault) };
    case "size_limit":
      return { hint: `Receivers ignore the size limit in ${fault.name}=.` };
  }
}

const POLICY_TAGS = ["p", "sp", "np"];

const short = (text: string): string => text.slice(0, 40);

/** A tag that was meant to be p=, if there is one. */
function policyInstead({ faults }: DmarcRecord): string {
  const name = faults.find((fault) => fault.type === "unknown_tag")?.name.toLowerCase();
  return name?.startsWith("polic") ? ` Write p= instead of “${short(name)}=”.` : "";
}

function onUnknownTag(name: string): Sentence {
  const right = name.toLowerCase().startsWith("polic") ? "p" : closestWord(name, TAGS);
  const ignored = `Receivers ignore “${short(name)}=”, which is not a DMARC tag`;
  return right === null ? { hint: `${ignored}.` } : { warning: `${ignored}: did you mean ${right}=?` };
}

/** A share of messages that is less than all changes what receivers do, if they still know it. */
function onHistoricTag({ name, value }: { name: string; value: string }, { p, sp, np }: DmarcRecord): Sentence {
  const isPartial = name === "pct" && !/^100 ?%?$/.test(value) && [p, sp, np].some((policy) => policy !== "none");
  if (!isPartial) return { hint: `DMARC no longer has the tag ${name}=: it can be removed.` };
  return {
    warning: `DMARC no longer has the tag pct=: receivers apply p=${p} to all messages that fail. Remove it; for a test, t=y requests the next weaker policy.`,
  };
}

function onValue({ name, value, known }: Extract<RecordFault, { type: "invalid_value" }>): string {
  const lower = value.toLowerCase();
  const initial = known.find((word) => word.length === 1 && word === lower[0]);
  const right = name === "fo" ? undefined : (closestWord(lower, known) ?? initial);
  const advice = right ? `write ${name}=${right}` : `it must be ${known.join(", ").replace(/, (\w+)$/, " or $1")}`;
  const ignored = POLICY_TAGS.includes(name) ? "" : ", and receivers ignore it";
  return `${name}=${short(value)} is not a valid value${ignored}: ${advice}.`;
}

function onUri({ name, uri }: { name: string; uri: string }): string {
  return `No reports are sent to ${name}=${uri.slice(0, 80)}. The address must have the form mailto:reports@example.com.`;
}

/** What receivers do instead of a policy that is missing or invalid (RFC 9989 §4.10.1). */
function policyWarning(record: DmarcRecord): string[] {
  if (!hasPolicyFault(record)) return [];
  if (!record.isApplied) {
    return ["Without a valid policy and an address in rua=, receivers do not apply DMARC to the domain."];
  }
  return ["Receivers apply the policy none instead."];
}

/** Whether a policy is missing or invalid, so that none is not what the record says. */
export function hasPolicyFault({ faults }: DmarcRecord): boolean {
  const isMissing = faults.some(({ type }) => type === "no_policy");
  const isInvalid = faults.some((fault) => fault.type === "invalid_value" && POLICY_TAGS.includes(fault.name));
  return isMissing || isInvalid;
}

function suffixHint({ psd }: DmarcRecord): string[] {
  if (psd === "u") return [];
  if (psd === "n") return ["It ends the organisation here (psd=n): the record of no domain above applies."];
  return [
    "It declares a public suffix (psd=y): names below are separate organisations, and a return path at one of them is not aligned.",
  ];
}

/** The policy in words, with what test mode makes of it. */
export function policyText(record: Pick<DmarcRecord, "isTest">, requested: Policy): string {
  const applied = appliedPolicy(record, requested);
  return applied === requested ? requested : `${requested} in test mode (t=y: receivers apply ${applied})`;
}

/**
 * Checks that a DMARC record applies to the domain. dmarc/ decides which one, and what receivers read in it; dmarc-advice.ts
 * explains its faults, dmarc-repair.ts corrects it. A record that receivers use is never a failed check, whatever its faults.
 */
import { type Discovery, discoverPolicy } from "../dmarc/discovery.ts";
import type { WalkStep } from "../dmarc/tree-walk.ts";
import type { CheckContext, CheckResult, PublishingDomain, RecordCheck } from "./check.ts";
import { displayRecords, temporaryFailure } from "./check.ts";
import { adviceOf, hasPolicyFault, policyText } from "./dmarc-advice.ts";
import { explainLookalike, looksLikeDmarc } from "./dmarc-record.ts";
import { repairDmarc } from "./dmarc-repair.ts";
import { findMisplacedRecord } from "./misplaced-record.ts";
import { dmarcRecord, reportUri } from "./records.ts";
import { listsReportUri, withReportUri } from "./report-uris.ts";

export const checkDmarc: RecordCheck = async (domain, context) => {
  const discovery = await discoverPolicy(domain.name, context.resolver);
  switch (discovery.type) {
    case "failure": {
      const name = `_dmarc.${discovery.domain}`;
      return temporaryFailure(`the TXT record of ${name}`, { ...discovery }, dmarcRecord(domain).value);
    }
    case "found": {
      const own = unusedAt(discovery.steps, domain.name);
      return own === null ? validResult(domain, discovery) : ignoredOwnResult(domain, discovery, own);
    }
    case "none":
      return missingResult(domain, context, discovery.steps);
  }
};

type Applied = Extract<Discovery, { type: "found" }>;

/** Texts that were intended as the record of a domain, and that receivers do not use. */
interface Unused {
  owner: string;
  texts: string[];
  /** Why receivers ignore them, each with its final period. */
  faults: string[];
}

/** Several records, which receivers discard (RFC 9989 §4.10), or texts that only look like one; null without either. */
function unusedAt(steps: WalkStep[], owner: string): Unused | null {
  const step = steps.find(({ domain }) => domain === owner);
  if (step === undefined || step.record !== null) return null;
  const { texts } = step;
  if (texts.length > 0) {
    const fault = `There are ${texts.length} DMARC records at _dmarc.${owner}, so receivers use none of them. Merge them into one.`;
    return { owner, texts, faults: [fault] };
  }
  const lookalikes = step.others.filter(looksLikeDmarc);
  if (lookalikes.length === 0) return null;
  const faults = lookalikes.map((text) => `At _dmarc.${owner}, ${explainLookalike(text)}.`);
  return { owner, texts: lookalikes, faults };
}

/** The names to display where a domain above publishes the record. */
function locations(domain: PublishingDomain, owner: string): Pick<CheckResult, "foundAt" | "expectedAt"> {
  return owner === domain.name ? {} : { foundAt: `_dmarc.${owner}`, expectedAt: `_dmarc.${owner}` };
}

const UNCLEAR = "The intended policy is unclear; p=none keeps the receivers' present behavior.";

function validResult(domain: PublishingDomain, applied: Applied): CheckResult {
  const { record, owner, text } = applied;
  const advice = adviceOf(record);
  const hint = reportHint(domain, applied);
  const { warnings } = advice;
  const repaired = advice.warnings.length > 0 ? repairDmarc([text]) : { record: text, isPolicyUnknown: false };
  const sound = repaired.record;
  const expected = hint.length > 0 ? withReportUri(sound, reportUri(domain.name)) : sound;
  const isUnclear = repaired.isPolicyUnknown && !record.faults.some(({ type }) => type === "no_policy");
  const change =
    warnings.length + hint.length > 0 ? [...(isUnclear ? [UNCLEAR] : []), `Change it to: ${expected}`] : [];
  const detail = [...describePolicy(domain, applied), ...advice.hints, ...warnings, ...hint, ...change].join(" ");
  return { state: "verified", detail, expected, found: displayRecords([text]), warnings, ...locations(domain, owner) };
}

/** What to add to the domain's own record so that reports are sent to its return path. Nothing is wrong without it. */
function reportHint({ name, hasReturnPath = false }: PublishingDomain, { record, owner }: Applied): string[] {
  if (!hasReturnPath || owner !== name || listsReportUri(record.reportUris, reportUri(name))) return [];
  return [`To see the reports of receivers in Postrider, add rua=${reportUri(name)}.`];
}

/** Receivers ignore the domain's own record and apply the inherited policy, so the suggested one is at least as strict. */
function ignoredOwnResult(domain: PublishingDomain, applied: Applied, { texts, faults }: Unused): CheckResult {
  const expected = repairDmarc(texts, applied.requested).record;
  const warnings = [...faults, `Remove it, or change it to: ${expected}`];
  const detail = [...describePolicy(domain, applied), ...warnings].join(" ");
  return { state: "verified", detail, expected, found: displayRecords(texts), warnings };
}

function describePolicy(domain: PublishingDomain, { owner, record, requested }: Applied): string[] {
  const { name, hasReturnPath = false } = domain;
  const { sp, np, strictDkim, strictSpf } = record;
  const policy = policyText(record, requested);
  const [isOwn, isClear] = [owner === name, !hasPolicyFault(record)];
  const below = [...(sp === requested ? [] : [`sp=${sp}`]), ...(np === sp ? [] : [`np=${np}`])].join(", ");
  return [
    isOwn
      ? `${isClear ? `The policy p=${policy}` : "A DMARC record"} is published at _dmarc.${name}.`
      : `${name} has no DMARC record; the one at _dmarc.${owner} applies${isClear ? `, with the policy ${policy} for subdomains of ${owner}` : ""}.`,
    ...(isOwn && isClear && below !== "" ? [`For subdomains, it has ${below}.`] : []),
    ...(strictDkim
      ? [`With adkim=s, messages from addresses at subdomains of ${name} will not align with our signatures.`]
      : []),
    ...(strictSpf && hasReturnPath
      ? ["With aspf=s, messages with the return path do not align by SPF; they pass DMARC by their signature."]
      : []),
  ];
}

async function missingResult(
  domain: PublishingDomain,
  { resolver }: CheckContext,
  steps: WalkStep[],
): Promise<CheckResult> {
  const { name, value: expected } = dmarcRecord(domain);
  const unused = steps.map((step) => unusedAt(steps, step.domain)).find((each) => each !== null);
  if (unused) return unusedResult(domain, unused);
  const mistakenLabels = ["dmarc", "_dmarc._dmarc"];
  const elsewhere = await findMisplacedRecord(resolver, {
    label: "_dmarc",
    domain: domain.name,
    mistakenLabels,
    matches: looksLikeDmarc,
  });
  if (elsewhere) {
    const { record } = repairDmarc(elsewhere.found);
    const detail = `${elsewhere.sentence} Use the value ${record}`;
    return { state: "failed", detail, expected: record, found: displayRecords(elsewhere.found), foundAt: elsewhere.at };
  }
  const detail = `There is no DMARC record at ${name}. Add a TXT record with the value ${expected}.`;
  return { state: "failed", detail, expected, found: [] };
}

/** The failed result for texts that receivers do not use, with the record to publish instead. */
function unusedResult(domain: PublishingDomain, { owner, texts, faults }: Unused): CheckResult {
  const { record, isPolicyUnknown: isUnclear } = repairDmarc(texts);
  const detail = [faults[0], ...(isUnclear ? [UNCLEAR] : []), `Change it to: ${record}`].join(" ");
  const found = displayRecords(texts);
  return { state: "failed", detail, expected: record, found, ...locations(domain, owner) };
}

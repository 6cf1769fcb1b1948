/**
 * Checks that a valid DMARC policy applies to the domain (RFC 7489 §6.6.3). Decides which record applies: the domain's own
 * or the organizational domain's. dmarc-record.ts parses it, dmarc-repair.ts corrects it.
 */
import type { LookupFailure } from "../dns/resolver.ts";
import type { CheckContext, CheckResult, PublishingDomain, RecordCheck } from "./check.ts";
import { displayRecords, temporaryFailure } from "./check.ts";
import { type DmarcPolicy, explainLookalike, isDmarc, looksLikeDmarc, parseDmarc } from "./dmarc-record.ts";
import { repairDmarc } from "./dmarc-repair.ts";
import { findMisplacedRecord, organizationalDomain } from "./misplaced-record.ts";
import { dmarcRecord, reportUri } from "./records.ts";
import { listsReportUri, withReportUri } from "./report-uris.ts";

export const checkDmarc: RecordCheck = async (domain, context) => {
  const own = await lookUpPolicy(domain.name, context);
  if (own.type !== "none") return toResult(domain, { ...own, owner: domain.name, ignored: [] });
  const organization = organizationalDomain(domain.name);
  if (organization !== null && organization !== domain.name) {
    const inherited = await lookUpPolicy(organization, context);
    if (inherited.type !== "none")
      return toResult(domain, { ...inherited, owner: organization, ignored: own.lookalikes });
    if (own.lookalikes.length === 0) return missingResult(domain, context, { ...inherited, owner: organization });
  }
  return missingResult(domain, context, { ...own, owner: domain.name });
};

/** The policy at `_dmarc.OWNER`. `none`: no text there is a DMARC record to receivers. */
type PublishedPolicy =
  | { type: "valid"; policy: DmarcPolicy; found: string[] }
  | { type: "invalid"; detail: string; found: string[] }
  | { type: "failure"; failure: LookupFailure }
  | { type: "none"; lookalikes: string[] };

async function lookUpPolicy(owner: string, { resolver }: CheckContext): Promise<PublishedPolicy> {
  const name = `_dmarc.${owner}`;
  const answer = await resolver.txt(name);
  if (answer.type === "failure") return { type: "failure", failure: answer };
  const found = answer.type === "found" ? answer.records : [];
  const records = found.filter(isDmarc);
  const record = records[0];
  if (record === undefined) return { type: "none", lookalikes: found.filter(looksLikeDmarc) };
  if (records.length > 1) {
    const detail = `There are ${records.length} DMARC records at ${name}, so receivers use none of them. Merge them into one`;
    return { type: "invalid", detail, found: records };
  }
  const read = parseDmarc(record);
  return read.type === "valid" ? { ...read, found: records } : { ...read, found: records };
}

/** The record that applies, the domain that publishes it, and the domain's own records that receivers ignore. */
type AppliedPolicy = Exclude<PublishedPolicy, { type: "none" }> & { owner: string; ignored: string[] };

function toResult(domain: PublishingDomain, applied: AppliedPolicy): CheckResult {
  const name = `_dmarc.${applied.owner}`;
  switch (applied.type) {
    case "failure":
      return temporaryFailure(`the TXT record of ${name}`, applied.failure, dmarcRecord(domain).value);
    case "invalid":
      return { ...repairedFailure(`${applied.detail}.`, applied.found), ...locations(domain, applied.owner) };
    case "valid":
      return applied.ignored.length > 0 ? ignoredOwnResult(domain, applied) : validResult(domain, applied);
  }
}

/** The names to display where the organizational domain publishes the record. */
function locations(domain: PublishingDomain, owner: string): Pick<CheckResult, "foundAt" | "expectedAt"> {
  return owner === domain.name ? {} : { foundAt: `_dmarc.${owner}`, expectedAt: `_dmarc.${owner}` };
}

/** The failed result for these records, with the record to publish instead. */
function repairedFailure(fault: string, records: string[]): CheckResult {
  const { record, isPolicyUnknown: isOpen } = repairDmarc(records);
  const open = isOpen ? " The intended policy is unclear; p=none keeps the receivers' present behavior." : "";
  const detail = `${fault}${open} Change it to: ${record}`;
  return { state: "failed", detail, expected: record, found: displayRecords(records) };
}

type ValidPolicy = Extract<AppliedPolicy, { type: "valid" }>;

function validResult(domain: PublishingDomain, { policy, owner, found }: ValidPolicy): CheckResult {
  const hint = reportHint(domain, { policy, owner });
  const warnings = [...policy.warnings, ...hint];
  const [record = ""] = found;
  const sound = policy.warnings.length > 0 ? repairDmarc(found).record : record;
  const expected = hint.length > 0 ? withReportUri(sound, reportUri(domain.name)) : sound;
  const change = warnings.length > 0 ? [`Change it to: ${expected}`] : [];
  const detail = [describePolicy(domain.name, owner, policy), ...warnings, ...change].join(" ");
  return { state: "verified", detail, expected, found: displayRecords(found), warnings, ...locations(domain, owner) };
}

/** What to add to the domain's own record so that reports are sent to its return path. Nothing is wrong without it. */
function reportHint(
  { name, hasReturnPath = false }: PublishingDomain,
  { policy, owner }: Pick<ValidPolicy, "policy" | "owner">,
): string[] {
  if (!hasReturnPath || owner !== name || listsReportUri(policy.reportUris, reportUri(name))) return [];
  return [`To see the reports of receivers in Postrider, add rua=${reportUri(name)}.`];
}

/** Receivers ignore the domain's own record and apply the inherited policy, so the suggested one is at least as strict. */
function ignoredOwnResult(domain: PublishingDomain, { policy, owner, ignored }: ValidPolicy): CheckResult {
  const expected = repairDmarc(ignored, policy.sp).record;
  const faults = ignored.map((record) => `At _dmarc.${domain.name}, ${explainLookalike(record)}.`);
  const warnings = [...faults, `Remove it, or change it to: ${expected}`];
  const detail = [describePolicy(domain.name, owner, policy), ...warnings].join(" ");
  return { state: "verified", detail, expected, found: displayRecords(ignored), warnings };
}

function describePolicy(name: string, owner: string, { p, sp, strictDkim }: DmarcPolicy): string {
  const applies =
    owner === name
      ? `The policy p=${p} is published at _dmarc.${name}.`
      : `${name} has no DMARC record of its own; the one at _dmarc.${owner} applies, with the policy ${sp} for subdomains of ${owner}.`;
  const strict = strictDkim
    ? [`With adkim=s, messages from addresses at subdomains of ${name} will not align with our signatures.`]
    : [];
  return [applies, ...strict].join(" ");
}

interface MissingPolicy {
  owner: string;
  lookalikes: string[];
}

async function missingResult(
  domain: PublishingDomain,
  { resolver }: CheckContext,
  { owner, lookalikes }: MissingPolicy,
): Promise<CheckResult> {
  const { name, value: expected } = dmarcRecord(domain);
  const lookalike = lookalikes[0];
  if (lookalike !== undefined) {
    const fault = `The record at _dmarc.${owner} is not a DMARC record: ${explainLookalike(lookalike)}.`;
    return { ...repairedFailure(fault, lookalikes), ...locations(domain, owner) };
  }
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

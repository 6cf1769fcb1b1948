/**
 * DMARC: a valid policy applies to the domain (RFC 7489 §6.6.3).
 * Decides which record applies, the domain's own or the organisational domain's; dmarc-record.ts reads it, and
 * dmarc-mending.ts corrects it.
 */
import type { Trouble } from "../dns/resolver.ts";
import type { Check, CheckContext, Publisher, Seen } from "./check.ts";
import { shown, troubled } from "./check.ts";
import { mendDmarc } from "./dmarc-mending.ts";
import { type DmarcPolicy, isDmarc, lookalikeFault, looksLikeDmarc, readDmarc } from "./dmarc-record.ts";
import { misplaced, organisationalDomain } from "./misplaced.ts";
import { dmarcRecord } from "./records.ts";

export const checkDmarc: Check = async (domain, context) => {
  const own = await policyAt(domain.name, context);
  if (own.type !== "none") return result(domain, { ...own, owner: domain.name, ignored: [] });
  const organisation = organisationalDomain(domain.name);
  if (organisation !== null && organisation !== domain.name) {
    const inherited = await policyAt(organisation, context);
    if (inherited.type !== "none")
      return result(domain, { ...inherited, owner: organisation, ignored: own.lookalikes });
    if (own.lookalikes.length === 0) return missing(domain, context, { ...inherited, owner: organisation });
  }
  return missing(domain, context, { ...own, owner: domain.name });
};

/** What stands at `_dmarc.OWNER`. Texts that receivers do not take for DMARC records leave it at "none". */
type PolicyAt =
  | { type: "valid"; policy: DmarcPolicy; found: string[] }
  | { type: "invalid"; detail: string; found: string[] }
  | { type: "trouble"; trouble: Trouble }
  | { type: "none"; lookalikes: string[] };

async function policyAt(owner: string, { resolver }: CheckContext): Promise<PolicyAt> {
  const place = `_dmarc.${owner}`;
  const answer = await resolver.txt(place);
  if (answer.type === "trouble") return { type: "trouble", trouble: answer };
  const found = answer.type === "found" ? answer.records : [];
  const records = found.filter(isDmarc);
  const record = records[0];
  if (record === undefined) return { type: "none", lookalikes: found.filter(looksLikeDmarc) };
  if (records.length > 1) {
    const detail = `There are ${records.length} DMARC records at ${place}, so receivers use none of them. Merge them into one`;
    return { type: "invalid", detail, found: records };
  }
  const read = readDmarc(record);
  return read.type === "valid" ? { ...read, found: records } : { ...read, found: records };
}

/** The record that applies, where it stands, and the domain's own that receivers ignore. */
type Applied = Exclude<PolicyAt, { type: "none" }> & { owner: string; ignored: string[] };

function result(domain: Publisher, applied: Applied): Seen {
  const place = `_dmarc.${applied.owner}`;
  switch (applied.type) {
    case "trouble":
      return troubled(`the TXT record of ${place}`, applied.trouble, dmarcRecord(domain).value);
    case "invalid":
      return { ...corrected(`${applied.detail}.`, applied.found), ...placeOf(domain, applied.owner) };
    case "valid":
      return applied.ignored.length > 0 ? ignoredOwn(domain, applied) : valid(domain, applied);
  }
}

/** The names to show where the record is the organisational domain's. */
function placeOf(domain: Publisher, owner: string): Pick<Seen, "foundAt" | "expectedAt"> {
  return owner === domain.name ? {} : { foundAt: `_dmarc.${owner}`, expectedAt: `_dmarc.${owner}` };
}

/** A failure of these records, with the one to publish in their place. */
function corrected(fault: string, records: string[]): Seen {
  const { record, isOpen } = mendDmarc(records);
  const open = isOpen ? " Which policy was meant is not evident: none lets receivers act as they do now." : "";
  const detail = `${fault}${open} Change it to: ${record}`;
  return { state: "failed", detail, expected: record, found: shown(records) };
}

type ValidPolicy = Extract<Applied, { type: "valid" }>;

function valid(domain: Publisher, { policy, owner, found }: ValidPolicy): Seen {
  const { warnings } = policy;
  const [record = ""] = found;
  const expected = warnings.length > 0 ? mendDmarc(found).record : record;
  const change = warnings.length > 0 ? [`Change it to: ${expected}`] : [];
  const detail = [validDetail(domain.name, owner, policy), ...warnings, ...change].join(" ");
  return { state: "verified", detail, expected, found: shown(found), warnings, ...placeOf(domain, owner) };
}

/** The domain's own record is none, so that the inherited policy applies: the offered one is at least as strict. */
function ignoredOwn(domain: Publisher, { policy, owner, ignored }: ValidPolicy): Seen {
  const expected = mendDmarc(ignored, policy.sp).record;
  const faults = ignored.map((record) => `At _dmarc.${domain.name}, ${lookalikeFault(record)}.`);
  const warnings = [...faults, `Remove it, or change it to: ${expected}`];
  const detail = [validDetail(domain.name, owner, policy), ...warnings].join(" ");
  return { state: "verified", detail, expected, found: shown(ignored), warnings };
}

function validDetail(name: string, owner: string, { p, sp, strictDkim }: DmarcPolicy): string {
  const applies =
    owner === name
      ? `The policy p=${p} is published at _dmarc.${name}.`
      : `${name} has no DMARC record of its own; the one at _dmarc.${owner} applies, with the policy ${sp} for names below ${owner}.`;
  const strict = strictDkim
    ? [`With adkim=s, mail from addresses below ${name} will not align with our signatures.`]
    : [];
  return [applies, ...strict].join(" ");
}

interface Ignored {
  owner: string;
  lookalikes: string[];
}

async function missing(domain: Publisher, { resolver }: CheckContext, { owner, lookalikes }: Ignored): Promise<Seen> {
  const { name, value: expected } = dmarcRecord(domain);
  const lookalike = lookalikes[0];
  if (lookalike !== undefined) {
    const fault = `The record at _dmarc.${owner} is no DMARC record: ${lookalikeFault(lookalike)}.`;
    return { ...corrected(fault, lookalikes), ...placeOf(domain, owner) };
  }
  const slips = ["dmarc", "_dmarc._dmarc"];
  const elsewhere = await misplaced(resolver, { label: "_dmarc", domain: domain.name, slips, isIt: looksLikeDmarc });
  if (elsewhere) {
    const { record } = mendDmarc(elsewhere.found);
    const detail = `${elsewhere.sentence} The value: ${record}`;
    return { state: "failed", detail, expected: record, found: shown(elsewhere.found), foundAt: elsewhere.at };
  }
  const detail = `There is no DMARC record at ${name}. Add a TXT record with the value ${expected}.`;
  return { state: "failed", detail, expected, found: [] };
}

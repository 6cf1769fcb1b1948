/**
 * DMARC: a valid policy applies to the domain (RFC 7489 §6.6.3).
 * Decides which record applies, the domain's own or the organisational domain's; dmarc-record.ts reads it.
 */
import type { Trouble } from "../dns/resolver.ts";
import type { Check, CheckContext, Publisher, Seen } from "./check.ts";
import { shown, troubled } from "./check.ts";
import { type DmarcPolicy, isDmarc, lookalikeFault, looksLikeDmarc, readDmarc } from "./dmarc-record.ts";
import { misplaced, organisationalDomain } from "./misplaced.ts";
import { dmarcRecord } from "./records.ts";

export const checkDmarc: Check = async (domain, context) => {
  const own = await policyAt(domain.name, context);
  if (own.type !== "none") return result(domain, { ...own, owner: domain.name });
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
    const detail = `There are ${records.length} DMARC records at ${place}, so receivers use none of them. Keep one`;
    return { type: "invalid", detail, found: records };
  }
  const read = readDmarc(record);
  return read.type === "valid" ? { ...read, found: records } : { ...read, found: records };
}

type Applied = Exclude<PolicyAt, { type: "none" }> & { owner: string; ignored?: string[] };

function result(domain: Publisher, applied: Applied): Seen {
  const { value: expected } = dmarcRecord(domain);
  const place = `_dmarc.${applied.owner}`;
  switch (applied.type) {
    case "trouble":
      return troubled(`the TXT record of ${place}`, applied.trouble, expected);
    case "invalid":
      return {
        state: "failed",
        detail: `${applied.detail} (record at ${place}; a valid one is “${expected}”).`,
        expected,
        found: shown(applied.found),
      };
    case "valid": {
      const detail = validDetail(domain.name, applied.owner, applied.policy);
      const ignored = applied.ignored?.map((record) => `At _dmarc.${domain.name}, ${lookalikeFault(record)}.`) ?? [];
      return { state: "verified", detail: [detail, ...ignored].join(" "), expected, found: shown(applied.found) };
    }
  }
}

function validDetail(name: string, owner: string, policy: DmarcPolicy): string {
  const applies =
    owner === name
      ? `The policy p=${policy.p} is published at _dmarc.${name}.`
      : `${name} has no DMARC record of its own; the one at _dmarc.${owner} applies, with the policy ${policy.sp} for names below ${owner}.`;
  const strict = policy.strictDkim
    ? [`With adkim=s, mail from addresses below ${name} will not align with our signatures.`]
    : [];
  return [applies, ...strict, ...policy.notes].join(" ");
}

interface Ignored {
  owner: string;
  lookalikes: string[];
}

async function missing(domain: Publisher, { resolver }: CheckContext, { owner, lookalikes }: Ignored): Promise<Seen> {
  const { name, value: expected } = dmarcRecord(domain);
  const failed = (detail: string, found: string[]): Seen => ({
    state: "failed",
    detail,
    expected,
    found: shown(found),
  });
  const lookalike = lookalikes[0];
  if (lookalike !== undefined) {
    return failed(`The record at _dmarc.${owner} is no DMARC record: ${lookalikeFault(lookalike)}.`, lookalikes);
  }
  const elsewhere = await misplaced(resolver, { label: "_dmarc", domain: domain.name, isIt: looksLikeDmarc });
  if (elsewhere) return failed(elsewhere.sentence, elsewhere.found);
  return failed(`There is no DMARC record at ${name}. Add a TXT record with the value ${expected}.`, []);
}

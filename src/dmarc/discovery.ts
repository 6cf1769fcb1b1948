/**
 * Finds the DMARC record that applies to a domain (RFC 9989 §4.10.1): its own, that of its organisational domain, or that of its
 * public suffix.
 */
import type { Resolver } from "../dns/resolver.ts";
import { appliedPolicy, type DmarcRecord, type Policy } from "./record.ts";
import { organisationalDomain, type WalkStep, walkTree } from "./tree-walk.ts";

export type Discovery =
  | {
      type: "found";
      /** The domain that publishes the record. */
      owner: string;
      record: DmarcRecord;
      /** The record as it is published. */
      text: string;
      /** Which of its policies is for the domain: np is for one that does not exist. */
      tag: "p" | "sp" | "np";
      /** The policy of that tag. */
      requested: Policy;
      /** What receivers apply to a message that fails; null where they do no DMARC processing. */
      applied: Policy | null;
      steps: WalkStep[];
    }
  /** Receivers do not apply DMARC to the domain. */
  | { type: "none"; steps: WalkStep[] }
  | { type: "failure"; domain: string; code: string };

/** Never rejects. */
export async function discoverPolicy(domain: string, resolver: Pick<Resolver, "txt" | "mx">): Promise<Discovery> {
  const isOwn = (step: WalkStep): boolean => step.domain === domain && step.record !== null;
  const { steps, failure } = await walkTree(domain, resolver, isOwn);
  if (failure !== null) return { type: "failure", ...failure };
  const step = steps.find(isOwn) ?? inheritedFrom(domain, steps);
  if (step === undefined || step.record === null) return { type: "none", steps };
  const { record, domain: owner, texts } = step;
  const tag = owner === domain ? "p" : await subdomainTag(domain, record, resolver);
  const requested = record[tag];
  const applied = record.isApplied ? appliedPolicy(record, requested) : null;
  return { type: "found", owner, record, text: texts[0] ?? "", tag, requested, applied, steps };
}

/** The step of the organisational domain, or of the public suffix where that one has no record. */
function inheritedFrom(domain: string, steps: WalkStep[]): WalkStep | undefined {
  const organisation = organisationalDomain(domain, steps);
  const published = steps.filter(({ record }) => record !== null);
  return published.find((step) => step.domain === organisation) ?? published.find(({ record }) => record?.psd === "y");
}

/** A domain does not exist if a query for it returns NXDOMAIN (RFC 9989 §3.2.14, RFC 8020); asked only where it matters. */
async function subdomainTag(
  domain: string,
  { sp, np }: DmarcRecord,
  resolver: Pick<Resolver, "mx">,
): Promise<"sp" | "np"> {
  if (sp === np) return "sp";
  return (await resolver.mx(domain)).type === "nxdomain" ? "np" : "sp";
}

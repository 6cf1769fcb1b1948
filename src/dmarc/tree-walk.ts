/**
 * The DNS tree walk (RFC 9989 §4.10): from a domain towards the root in at most eight queries, and the organisational domain that it
 * shows. No list of public suffixes takes part.
 */
import type { Resolver } from "../dns/resolver.ts";
import { type DmarcRecord, isDmarc, readDmarc } from "./record.ts";

/** What `_dmarc.DOMAIN` publishes. */
export interface WalkStep {
  domain: string;
  /** The record of the domain; null where there is none, or several, which receivers discard. */
  record: DmarcRecord | null;
  /** The DMARC records at the name. */
  texts: string[];
  /** All other texts there. */
  others: string[];
}

/** The steps from the domain on; `failure`: the query that failed, where the walk ended. */
export interface Walk {
  steps: WalkStep[];
  failure: { domain: string; code: string } | null;
}

/** After the first query, only the last labels are asked for. */
const LABELS_MAX = 7;

/** The domains that a walk queries, the longest first: at most eight. */
export function walkTargets(domain: string): string[] {
  const labels = domain.split(".");
  const above = labels.slice(Math.max(1, labels.length - LABELS_MAX));
  return [domain, ...above.map((_, i) => above.slice(i).join("."))];
}

/**
 * Walks from a domain (A-labels) until a record has psd=y or psd=n, or `isEnough` is true for a step. A failed query ends the walk.
 * At a top-level domain it counts as no record where one was found below: what it might say changes nothing then.
 */
export async function walkTree(
  domain: string,
  resolver: Pick<Resolver, "txt">,
  isEnough: (step: WalkStep) => boolean = () => false,
): Promise<Walk> {
  const steps: WalkStep[] = [];
  for (const target of walkTargets(domain)) {
    const answer = await resolver.txt(`_dmarc.${target}`);
    if (answer.type === "failure") {
      const isHarmless = !target.includes(".") && steps.some(({ record }) => record !== null);
      return { steps, failure: isHarmless ? null : { domain: target, code: answer.code } };
    }
    const step = stepOf(target, answer.type === "found" ? answer.records : []);
    steps.push(step);
    if ((step.record !== null && step.record.psd !== "u") || isEnough(step)) break;
  }
  return { steps, failure: null };
}

function stepOf(domain: string, found: string[]): WalkStep {
  const texts = found.filter(isDmarc);
  const [text] = texts;
  const record = text === undefined || texts.length > 1 ? null : readDmarc(text);
  return { domain, record, texts, others: found.filter((each) => !isDmarc(each)) };
}

/** The organisational domain of the domain whose walk has these steps (RFC 9989 §4.10.2). */
export function organisationalDomain(domain: string, steps: WalkStep[]): string {
  const published = steps.flatMap((step) => (step.record === null ? [] : [{ ...step, psd: step.record.psd }]));
  const own = published.find(({ psd }) => psd === "n");
  if (own !== undefined) return own.domain;
  const suffix = published.find((step) => step.psd === "y" && step.domain !== domain);
  if (suffix !== undefined) return labelBelow(domain, suffix.domain);
  return published.at(-1)?.domain ?? domain;
}

/** The name with one label more than `suffix`, of which `domain` is a subdomain. */
function labelBelow(domain: string, suffix: string): string {
  const count = suffix.split(".").length + 1;
  return domain.split(".").slice(-count).join(".");
}

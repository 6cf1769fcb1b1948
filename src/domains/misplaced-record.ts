/**
 * Finds a missing record at the names where DNS panels and users publish it by mistake, and explains the correction. The
 * check has already failed at this point, so failed lookups here change nothing.
 */
import { getDomain } from "tldts";
import type { Resolver } from "../dns/resolver.ts";

/** A record that is missing at `LABEL.DOMAIN`, and how to recognize it at another name. */
export interface MissingRecord {
  /** The labels in front of the domain, such as `_dmarc`; empty for the domain itself. */
  label: string;
  domain: string;
  /** Labels that users enter instead by mistake. */
  mistakenLabels: string[];
  matches: (record: string) => boolean;
  /** Replaces `matches` under the mistaken labels, where it would match unrelated records. */
  isOwn?: (record: string) => boolean;
  type?: "TXT" | "MX";
}

export interface MisplacedRecord {
  /** The name that publishes the record. */
  at: string;
  /** What was found and how to fix it. */
  sentence: string;
  found: string[];
}

interface Candidate {
  name: string;
  sentence: string;
  matches: (record: string) => boolean;
}

/** The registered domain by the public suffix list, which is usually the zone of a DNS panel; null for a public suffix. */
export function registeredDomain(name: string): string | null {
  return getDomain(name, { allowPrivateDomains: true });
}

/** A label that no zone defines: a record found there comes from a wildcard. */
const UNUSED_LABEL = "_postrider-unused";

/** Searches under the name with the zone appended twice, the domain itself, its parent, and the mistaken labels. */
export async function findMisplacedRecord(resolver: Resolver, record: MissingRecord): Promise<MisplacedRecord | null> {
  const lookUp = async (name: string): Promise<string[]> => lookUpRecords(resolver, name, record.type ?? "TXT");
  const results = await Promise.all(
    candidates(record).map(async ({ name, sentence, matches }) => {
      return { at: name, sentence, found: (await lookUp(name)).filter(matches) };
    }),
  );
  const misplaced = results.find(({ found }) => found.length > 0);
  if (misplaced === undefined) return null;
  const wildcard = await lookUp(`${UNUSED_LABEL}.${record.domain}`);
  return misplaced.found.every((text) => wildcard.includes(text)) ? null : misplaced;
}

async function lookUpRecords(resolver: Resolver, name: string, type: "TXT" | "MX"): Promise<string[]> {
  if (type === "TXT") {
    const answer = await resolver.txt(name);
    return answer.type === "found" ? answer.records : [];
  }
  const answer = await resolver.mx(name);
  return answer.type === "found" ? answer.records.map(({ preference, exchange }) => `${preference} ${exchange}`) : [];
}

function candidates({ label, domain, mistakenLabels, matches, isOwn = matches }: MissingRecord): Candidate[] {
  const right = label === "" ? domain : `${label}.${domain}`;
  const registered = registeredDomain(domain) ?? domain;
  const doubled = [...new Set([domain, registered])].map((zone) => ({
    name: `${right}.${zone}`,
    sentence: `The record is at ${right}.${zone} instead of ${right}: the DNS panel appended the zone ${zone} automatically. Enter ${panelName(right, zone)} as the name instead.`,
    matches,
  }));
  const moved = (name: string, what: string, test = matches): Candidate => ({
    name,
    sentence: `The record is at ${name}${what}. Move it to the name ${right} (${panelName(right, registered)} in a panel that appends ${registered}).`,
    matches: test,
  });
  const apex = label === "" ? [] : [moved(domain, " itself")];
  const parent =
    label === "" || registered === domain ? [] : [moved(`${label}.${registered}`, `, which applies to ${registered}`)];
  const mistaken = mistakenLabels.map((mistake) => moved(`${mistake}.${domain}`, "", isOwn));
  return [...doubled, ...apex, ...parent, ...mistaken];
}

/** The name to enter in a panel that appends the zone. */
function panelName(name: string, zone: string): string {
  return name === zone ? "“@”, or nothing," : `“${name.slice(0, -(zone.length + 1))}”`;
}

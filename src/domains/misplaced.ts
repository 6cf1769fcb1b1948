/**
 * Where a record stands when the DNS panel or its user put it in the wrong place.
 * Decides on a sentence only: the check has failed already when this is asked, so DNS trouble here changes nothing.
 */
import { getDomain } from "tldts";
import type { Resolver } from "../dns/resolver.ts";

/** A TXT record that was missing at `LABEL.DOMAIN`, and how to know it again elsewhere. */
export interface MissingRecord {
  /** What stands before the domain's name, such as `_dmarc`. */
  label: string;
  domain: string;
  isIt: (record: string) => boolean;
}

export interface Misplaced {
  /** What was seen and what to type instead. */
  sentence: string;
  found: string[];
}

/** The domain under which names are registered, as mailauth finds it for DMARC (RFC 7489 §3.2); null for none. */
export function organisationalDomain(name: string): string | null {
  return getDomain(name, { allowPrivateDomains: true });
}

/** Looks for the record with the zone's name doubled, at the domain itself, and at the parent. */
export async function misplaced(resolver: Resolver, record: MissingRecord): Promise<Misplaced | null> {
  const places = await Promise.all(
    wrongPlaces(record).map(async ({ name, sentence }) => {
      const answer = await resolver.txt(name);
      const found = answer.type === "found" ? answer.records.filter(record.isIt) : [];
      return { sentence, found };
    }),
  );
  return places.find((place) => place.found.length > 0) ?? null;
}

function wrongPlaces({ label, domain }: MissingRecord): { name: string; sentence: string }[] {
  const right = `${label}.${domain}`;
  const organisation = organisationalDomain(domain) ?? domain;
  const zones = [...new Set([domain, organisation])];
  const doubled = zones.map((zone) => ({
    name: `${right}.${zone}`,
    sentence: `The record stands at ${right}.${zone}: the DNS panel appended the zone ${zone} by itself. Type “${within(right, zone)}” as the name instead.`,
  }));
  const apex = {
    name: domain,
    sentence: `The record stands at ${domain} itself: move it to the name ${right} (“${within(right, organisation)}” in a panel that appends ${organisation}).`,
  };
  const parent = {
    name: `${label}.${organisation}`,
    sentence: `The record stands at ${label}.${organisation}, which speaks for ${organisation}: move it to ${right} (“${within(right, organisation)}” in a panel that appends ${organisation}).`,
  };
  return [...doubled, apex, ...(organisation === domain ? [] : [parent])];
}

function within(name: string, zone: string): string {
  return name.slice(0, -(zone.length + 1));
}

/**
 * Where a record stands when the DNS panel or its user put it in the wrong place.
 * Decides on a place and a sentence with both names: the check has failed already when this is asked, so DNS trouble here
 * changes nothing.
 */
import { getDomain } from "tldts";
import type { Resolver } from "../dns/resolver.ts";

/** A record that was missing at `LABEL.DOMAIN`, and how to know it again elsewhere. */
export interface MissingRecord {
  /** What stands before the domain's name, such as `_dmarc`; empty for the domain itself. */
  label: string;
  domain: string;
  /** Labels that are typed in its place by mistake. */
  slips: string[];
  isIt: (record: string) => boolean;
  /** What is asked for under the slips, where `isIt` would match records of others. */
  isOurs?: (record: string) => boolean;
  type?: "TXT" | "MX";
}

export interface Misplaced {
  /** The name at which it stands. */
  at: string;
  /** What was seen and what to type instead. */
  sentence: string;
  found: string[];
}

interface Place {
  name: string;
  sentence: string;
  isIt: (record: string) => boolean;
}

/** The domain under which names are registered, as mailauth finds it for DMARC (RFC 7489 §3.2); null for none. */
export function organisationalDomain(name: string): string | null {
  return getDomain(name, { allowPrivateDomains: true });
}

/** A label that nobody uses: what is found there stands everywhere, by a wildcard. */
const UNUSED_LABEL = "_postrider-unused";

/** Looks for the record with the zone's name doubled, at the domain itself, at the parent, and under mistaken labels. */
export async function misplaced(resolver: Resolver, record: MissingRecord): Promise<Misplaced | null> {
  const look = async (name: string): Promise<string[]> => recordsAt(resolver, name, record.type ?? "TXT");
  const seen = await Promise.all(
    wrongPlaces(record).map(async ({ name, sentence, isIt }) => {
      return { at: name, sentence, found: (await look(name)).filter(isIt) };
    }),
  );
  const place = seen.find(({ found }) => found.length > 0);
  if (place === undefined) return null;
  const everywhere = await look(`${UNUSED_LABEL}.${record.domain}`);
  return place.found.every((text) => everywhere.includes(text)) ? null : place;
}

async function recordsAt(resolver: Resolver, name: string, type: "TXT" | "MX"): Promise<string[]> {
  if (type === "TXT") {
    const answer = await resolver.txt(name);
    return answer.type === "found" ? answer.records : [];
  }
  const answer = await resolver.mx(name);
  return answer.type === "found" ? answer.records.map(({ preference, exchange }) => `${preference} ${exchange}`) : [];
}

function wrongPlaces({ label, domain, slips, isIt, isOurs = isIt }: MissingRecord): Place[] {
  const right = label === "" ? domain : `${label}.${domain}`;
  const organisation = organisationalDomain(domain) ?? domain;
  const doubled = [...new Set([domain, organisation])].map((zone) => ({
    name: `${right}.${zone}`,
    sentence: `The record stands at ${right}.${zone} instead of ${right}: the DNS panel appended the zone ${zone} by itself. Type ${typed(right, zone)} as the name instead.`,
    isIt,
  }));
  const moved = (name: string, what: string, test = isIt): Place => ({
    name,
    sentence: `The record stands at ${name}${what}: move it to the name ${right} (${typed(right, organisation)} in a panel that appends ${organisation}).`,
    isIt: test,
  });
  const apex = label === "" ? [] : [moved(domain, " itself")];
  const parent =
    label === "" || organisation === domain
      ? []
      : [moved(`${label}.${organisation}`, `, which speaks for ${organisation}`)];
  const mistaken = slips.map((slip) => moved(`${slip}.${domain}`, "", isOurs));
  return [...doubled, ...apex, ...parent, ...mistaken];
}

/** What to type into a panel that appends the zone. */
function typed(name: string, zone: string): string {
  return name === zone ? "“@”, or nothing," : `“${name.slice(0, -(zone.length + 1))}”`;
}

/** A record as the forms of DNS panels ask for it: its name relative to the zone, and the priority of an MX record apart. */
import { registeredDomain } from "./misplaced-record.ts";
import type { RecordToPublish } from "./records.ts";

export interface RecordFields {
  /** The name without the zone; `@` for the zone itself. */
  relativeName: string;
  /** The preference of an MX record; null for other types. */
  priority: number | null;
  /** The rest of the value: the host of an MX record, all of it for other types. */
  value: string;
}

/**
 * The zone in which a domain's records are usually published: the registered domain by the public suffix list. A subdomain can
 * also be a separate zone, which only its owner knows for certain.
 */
export const zoneOf = (domain: string): string => registeredDomain(domain) ?? domain;

export function fieldsOf(
  { type, name, value }: Pick<RecordToPublish, "type" | "name" | "value">,
  zone: string,
): RecordFields {
  const relativeName = nameIn(name, zone);
  const [, priority, host] = type === "MX" ? (/^(\d+) (.*)$/.exec(value) ?? []) : [];
  if (priority === undefined || host === undefined) return { relativeName, priority: null, value };
  return { relativeName, priority: Number(priority), value: host };
}

/** The name relative to the zone. A name outside of the zone remains as it is. */
export function nameIn(name: string, zone: string): string {
  if (name === zone) return "@";
  return name.endsWith(`.${zone}`) ? name.slice(0, -(zone.length + 1)) : name;
}

/**
 * Decides how many reports a domain stores in a day (UTC). Each network is limited to a part of them. A network whose reports were
 * stored on an earlier day also has reserved places, so made-up reports from new networks cannot displace it. Kept as an entry of the key-value store for each domain and kind of report. The task that reads
 * incoming mail runs on one node, and is its only writer.
 */
import { ipv6Groups } from "../../lib/ip-address.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";

/** For the reports of all networks, and of them for one network (/24, of IPv6 /48). Receivers send one a day, some one an hour. */
export const SHARED_PLACES = 500;
export const NETWORK_SHARE_MAX = 50;
/** For each known reporter. */
export const RESERVED_PLACES = 5;
/** Known reporters of a domain. Ten receivers send most of its reports. Those known first stay, as long as they report. */
export const KNOWN_MAX = 100;
/** A reporter is known for so long after its last report. */
const KNOWN_FOR_DAYS = 35;

export interface PlaceRequest {
  domainId: string;
  kind: "dmarc" | "tls";
  /** Of the client. */
  ip: string;
  nowMs: number;
}

/** `share_used`: its network has used its share of the day; `day_full`: all networks together have. */
export type Place = { type: "free"; take: () => Promise<void> } | { type: "none"; because: "share_used" | "day_full" };

interface Entry {
  day: number;
  /** Places taken on that day, by network. */
  shared: Record<string, number>;
  reserved: Record<string, number>;
  /** The networks that have reported, wide enough for all hosts of a large receiver. */
  reporters: Record<string, Reporter>;
}

interface Reporter {
  firstDay: number;
  lastDay: number;
}

type Store = Pick<KeyValueStore, "readValue" | "writeValue">;

export class ReportPlaces {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Looks for a place, which is taken once the report is stored. Rejects with SpoolUnavailable. */
  async find({ domainId, kind, ip, nowMs }: PlaceRequest): Promise<Place> {
    const name = `report-places ${kind} ${domainId}`;
    const entry = ofDay(await readEntry(this.#store, name), Math.floor(nowMs / DAY_MS));
    const [network, wide] = [networkOf(ip, 3), networkOf(ip, 2)];
    const taking = (taken: Partial<Entry>): Place => ({
      type: "free",
      take: () => this.#store.writeValue(name, JSON.stringify({ ...withReporter(entry, wide), ...taken })),
    });
    const reserved = entry.reserved[wide] ?? 0;
    if (isKnown(entry, wide) && reserved < RESERVED_PLACES)
      return taking({ reserved: { ...entry.reserved, [wide]: reserved + 1 } });
    const own = entry.shared[network] ?? 0;
    if (own >= NETWORK_SHARE_MAX) return { type: "none", because: "share_used" };
    if (sumOf(entry.shared) >= SHARED_PLACES) return { type: "none", because: "day_full" };
    return taking({ shared: { ...entry.shared, [network]: own + 1 } });
  }
}

const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The counts of another day are over, and who has not reported for long is forgotten. */
function ofDay(entry: Entry, day: number): Entry {
  const recent = Object.entries(entry.reporters).filter(([, { lastDay }]) => Math.abs(day - lastDay) <= KNOWN_FOR_DAYS);
  const counts = entry.day === day ? entry : EMPTY;
  return { day, shared: counts.shared, reserved: counts.reserved, reporters: Object.fromEntries(recent) };
}

function isKnown({ day, reporters }: Entry, wide: string): boolean {
  const reporter = reporters[wide];
  return reporter !== undefined && reporter.firstDay !== day;
}

function withReporter(entry: Entry, wide: string): Entry {
  const { day, reporters } = entry;
  const firstDay = reporters[wide]?.firstDay;
  if (firstDay === undefined && Object.keys(reporters).length >= KNOWN_MAX) return entry;
  return { ...entry, reporters: { ...reporters, [wide]: { firstDay: firstDay ?? day, lastDay: day } } };
}

const EMPTY: Entry = { day: 0, shared: {}, reserved: {}, reporters: {} };

/** A damaged entry counts from zero again. */
async function readEntry(store: Pick<Store, "readValue">, name: string): Promise<Entry> {
  const text = await store.readValue(name);
  if (text === null) return EMPTY;
  try {
    return { ...EMPTY, ...(JSON.parse(text) as Partial<Entry>) };
  } catch {
    return EMPTY;
  }
}

/** With 3 parts /24, and of IPv6 /48: what one owner usually has. With 2, /16 and /32. */
const networkOf = (ip: string, parts: 2 | 3): string => {
  const groups = ipv6Groups(ip);
  return groups === null ? ip.split(".").slice(0, parts).join(".") : groups.slice(0, parts).join(":");
};

/**
 * Counts the reports that come to a domain's report addresses and are not stored, with their reason and their newest senders. Kept as
 * an entry of the key-value store for each domain. The task that reads incoming mail runs on one node, and is its only writer.
 */
import { DAY_MS } from "../../lib/units.ts";
import { UNREAD_REASONS } from "../../message/reports/unreadable-report.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";

/** The last two: see report-places.ts. */
export const REFUSAL_REASONS = [...UNREAD_REASONS, "share_used", "day_full"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

const NEWEST_MAX = 20;
const SENDER_LENGTH_MAX = 320;
/** How long refusals are shown. */
export const REFUSALS_SHOWN_MS = 35 * DAY_MS;

export interface RefusedReport {
  atMs: number;
  reason: RefusalReason;
  /** The envelope sender; "" for the null sender. */
  sender: string;
  ip: string;
}

export interface Refusals {
  /** Of the last 35 days. */
  total: number;
  /** The most frequent first. */
  reasons: { reason: RefusalReason; reports: number }[];
  newest: RefusedReport[];
}

interface Entry {
  /** Refused reports by day and reason. */
  days: Record<string, Record<string, number>>;
  newest: RefusedReport[];
}

const EMPTY: Entry = { days: {}, newest: [] };
const entryOf = (domainId: string): string => `report-intake ${domainId}`;
const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);

type Store = Pick<KeyValueStore, "readValue" | "writeValue">;

export class ReportIntake {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Counts a report that is not stored. Rejects with SpoolUnavailable. */
  async refuse(domainId: string, refused: RefusedReport): Promise<void> {
    const entry = await readEntry(this.#store, domainId);
    const today = dayOf(refused.atMs);
    const recent = Object.entries(entry.days).filter(([day]) => isShown(Number(day), refused.atMs));
    const counts = entry.days[today] ?? {};
    const days = {
      ...Object.fromEntries(recent),
      [today]: { ...counts, [refused.reason]: (counts[refused.reason] ?? 0) + 1 },
    };
    const newest = [{ ...refused, sender: refused.sender.slice(0, SENDER_LENGTH_MAX) }, ...entry.newest];
    const counted: Entry = { days, newest: newest.slice(0, NEWEST_MAX) };
    await this.#store.writeValue(entryOf(domainId), JSON.stringify(counted));
  }
}

const isShown = (day: number, nowMs: number): boolean => Math.abs(dayOf(nowMs) - day) * DAY_MS <= REFUSALS_SHOWN_MS;

/** The reports of the last 35 days that were not stored. */
export async function readRefusals(
  store: Pick<Store, "readValue">,
  domainId: string,
  nowMs: number,
): Promise<Refusals> {
  const { days, newest } = await readEntry(store, domainId);
  const sums = new Map<string, number>();
  for (const [day, counts] of Object.entries(days)) {
    if (!isShown(Number(day), nowMs)) continue;
    for (const [reason, count] of Object.entries(counts)) sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  const reasons = REFUSAL_REASONS.map((reason) => ({ reason, reports: sums.get(reason) ?? 0 }))
    .filter(({ reports }) => reports > 0)
    .sort((one, other) => other.reports - one.reports);
  return {
    total: reasons.reduce((total, { reports }) => total + reports, 0),
    reasons,
    newest: newest.filter(({ atMs }) => isShown(dayOf(atMs), nowMs)),
  };
}

/** A damaged entry counts from zero again. */
async function readEntry(store: Pick<Store, "readValue">, domainId: string): Promise<Entry> {
  const text = await store.readValue(entryOf(domainId));
  if (text === null) return EMPTY;
  try {
    return { ...EMPTY, ...(JSON.parse(text) as Partial<Entry>) };
  } catch {
    return EMPTY;
  }
}

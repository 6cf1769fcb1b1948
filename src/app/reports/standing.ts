/**
 * How this server stands at a receiver: what the receiver requires, beside what its own mail of 7 and 30 days, the receiver's DMARC reports
 * and the last preflight show.
 */
import { shareText } from "../../lib/share-text.ts";
import { DAY_MS } from "../../lib/units.ts";
import { type Measure, type Requirement, requirementsOf } from "../../receivers/requirements.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import { countsIn, newCounts, type ReceiverCounts, readStoredResults } from "../../spool/port/receiver-results.ts";
import type { DmarcTotals, SenderReports } from "../../spool/port/sender-reports.ts";
import { readPreflights, type StoredPreflight } from "./preflight.ts";
import type { ReceiverReport } from "./receivers.ts";

export interface Standing {
  week: ReceiverCounts;
  month: ReceiverCounts;
  /** As the receiver has reported on messages of the last month; null without a report. */
  dmarc: DmarcTotals | null;
  rules: MeasuredRule[];
}

export interface MeasuredRule extends Requirement {
  state: "met" | "not_met" | "unknown";
  /** What shows it; null where nothing does. */
  shown: string | null;
  /** The id of a message that does not meet it; null where none is known. */
  example: string | null;
}

export interface StandingSources {
  spool: Pick<KeyValueStore, "readLiveNodeValues"> & Pick<SenderReports, "reportedWeeks" | "weekReports">;
  registry: Pick<Registry, "accounts" | "domains">;
  nowMs: number;
}

const MONTH_DAYS = 30;
/** Verified domains whose reports are read. */
const DOMAINS_MAX = 50;
/** Messages without authentication that forwarding explains. */
const UNAUTHENTICATED_MAX = 0.01;

/** Rejects with TooManyReports if too many reports wait. */
export async function readStanding(
  { name, profile }: Pick<ReceiverReport, "name" | "profile">,
  sources: StandingSources,
): Promise<Standing> {
  const { spool, nowMs } = sources;
  const [stored, preflights, dmarc] = await Promise.all([
    readStoredResults(spool, MONTH_DAYS),
    readPreflights(spool),
    dmarcTotals(profile?.reportsAs ?? [], sources),
  ]);
  const countsOf = (days: number): ReceiverCounts => countsIn(stored, { nowMs, days }).get(name) ?? newCounts();
  const counts = countsOf(MONTH_DAYS);
  const rules = requirementsOf(name).map((rule) => measured(rule, { counts, dmarc, preflights }));
  return { week: countsOf(7), month: counts, dmarc, rules };
}

async function dmarcTotals(
  orgs: readonly string[],
  { spool, registry, nowMs }: StandingSources,
): Promise<DmarcTotals | null> {
  if (orgs.length === 0) return null;
  const names = new Set(orgs.map((org) => org.toLowerCase()));
  const total = { reports: 0, messages: 0, failed: 0, failedOurs: 0 };
  for (const { accountId, name } of await verifiedDomains(registry)) {
    const weeks = await spool.reportedWeeks(accountId, name);
    for (const { weekMs, dmarc } of weeks) {
      if (dmarc.reports === 0 || weekMs < nowMs - MONTH_DAYS * DAY_MS) continue;
      const { receivers } = await spool.weekReports(accountId, name, weekMs);
      for (const each of receivers.filter(({ org }) => names.has(org.toLowerCase())))
        for (const field of ["reports", "messages", "failed", "failedOurs"] as const) total[field] += each[field];
    }
  }
  return total.reports === 0 ? null : total;
}

async function verifiedDomains(registry: StandingSources["registry"]): Promise<{ accountId: string; name: string }[]> {
  const found: { accountId: string; name: string }[] = [];
  for (const { id } of await registry.accounts()) {
    if (found.length >= DOMAINS_MAX) break;
    found.push(...(await registry.domains(id)).filter(({ verified }) => verified));
  }
  return found.slice(0, DOMAINS_MAX);
}

interface Evidence {
  counts: ReceiverCounts;
  dmarc: DmarcTotals | null;
  preflights: readonly StoredPreflight[];
}

type Shown = Pick<MeasuredRule, "state" | "shown" | "example">;

const UNKNOWN: Shown = { state: "unknown", shown: null, example: null };

function measured(rule: Requirement, evidence: Evidence): MeasuredRule {
  return { ...rule, ...(rule.measure === undefined ? UNKNOWN : MEASURES[rule.measure](evidence, rule)) };
}

const MEASURES: Readonly<Record<Measure, (evidence: Evidence, rule: Requirement) => Shown>> = {
  tls({ counts: { delivered, withoutTls, examples } }) {
    if (delivered === 0) return UNKNOWN;
    const shown = `${shareText(withoutTls, delivered)} of ${delivered} messages were delivered without TLS`;
    return { state: withoutTls === 0 ? "met" : "not_met", shown, example: examples.without_tls ?? null };
  },
  authentication({ counts: { examples }, dmarc }) {
    if (dmarc === null || dmarc.messages === 0) return UNKNOWN;
    const { messages, failedOurs } = dmarc;
    const shown = `${shareText(failedOurs, messages)} of ${messages} reported messages were from this server and failed DMARC`;
    const state = failedOurs / messages > UNAUTHENTICATED_MAX ? "not_met" : "met";
    return { state, shown, example: examples.authentication ?? null };
  },
  // Many receivers return no complaints, so that there are none proves nothing.
  complaints({ counts: { complaints, delivered, examples } }, { shareMax = 1 }) {
    if (complaints === 0) return UNKNOWN;
    const shown = `complaints about ${shareText(complaints, delivered)} of ${delivered} messages came back`;
    const state = complaints / delivered < shareMax ? "met" : "not_met";
    return { state, shown, example: examples.complaint ?? null };
  },
  reverse_name({ preflights }) {
    const addresses = preflights.flatMap((each) => each.addresses).filter(({ address }) => address !== null);
    if (addresses.length === 0) return UNKNOWN;
    const unnamed = addresses.filter(({ ptr }) => ptr === null).map(({ address }) => address);
    const shown = unnamed.length === 0 ? "all sending addresses have one" : `${unnamed.join(", ")} has none`;
    return { state: unnamed.length === 0 ? "met" : "not_met", shown, example: null };
  },
};

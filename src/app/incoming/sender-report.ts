/**
 * Decides whether a report that came in is stored, and which of its sources are ours. Nothing proves who has sent a report, so it is
 * stored only for the domain whose report address it came to.
 */
import { walkTargets } from "../../dmarc/tree-walk.ts";
import { isGeneratedSelector } from "../../domains/dkim-key.ts";
import { canonicalAddress } from "../../lib/ip-address.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { DmarcReport } from "../../message/reports/dmarc-report.ts";
import { type DmarcRow, passedDmarc } from "../../message/reports/dmarc-rows.ts";
import type { ReportIdentity } from "../../message/reports/report-identity.ts";
import type { SenderReport } from "../../message/reports/sender-report.ts";
import {
  type Ours,
  type ReportEffect,
  ROWS_STORED_MAX,
  type SourceRow,
  type SourcesReport,
} from "../../spool/port/sender-reports.ts";

/** Receivers report on the day before, and some of them days later. */
const AGE_MS_MAX = 35 * DAY_MS;
/** Clocks differ, and a report may be sent before the end of its period. */
const AHEAD_MS_MAX = 2 * DAY_MS;

export interface ReportContext {
  /** The bound domain that the report address is of, and its account. */
  accountId: string;
  domain: string;
  /** The addresses that the service sends from. */
  sendingIps: readonly string[];
  nowMs: number;
}

/** `other_domain`: the report is about another domain than that of its address. `other_time`: it is old, or about the future. */
export type IgnoredReport = { type: "none"; because: "other_domain" | "other_time" };

/** Returns what is to be stored of a report. */
export function reportEffect({ type, report }: SenderReport, context: ReportContext): ReportEffect | IgnoredReport {
  const { accountId, domain } = context;
  if (!isAbout(report, domain)) return { type: "none", because: "other_domain" };
  if (!isRecent(report, context.nowMs)) return { type: "none", because: "other_time" };
  return type === "tls"
    ? { type: "tls_report", accountId, domain, report }
    : { type: "dmarc_report", accountId, domain, report: sourcesReport(report, context) };
}

/**
 * Reports are about the domain that publishes the record (RFC 9990), which a subdomain without one inherits: any domain of its tree
 * walk but a top-level domain. So it does not matter which of them the receiver found, by the walk or by a list of public suffixes.
 */
function isAbout({ domain: reported }: ReportIdentity, domain: string): boolean {
  return reported === domain || (reported.includes(".") && walkTargets(domain).includes(reported));
}

const isRecent = ({ beginMs, endMs }: ReportIdentity, nowMs: number): boolean =>
  beginMs >= nowMs - AGE_MS_MAX && endMs <= nowMs + AHEAD_MS_MAX;

function sourcesReport({ rows, omitted, ...report }: DmarcReport, context: ReportContext): SourcesReport {
  const addresses = new Set(context.sendingIps.map(canonicalAddress));
  const joined = rows.flatMap(({ signatures, ...row }): SourceRow[] => {
    const ip = canonicalAddress(row.ip);
    return ip === null ? [] : [{ ...row, ip, ours: oursOf({ ip, signatures }, { ...context, addresses }) }];
  });
  const failedFirst = joined.sort(
    (one, other) => Number(passedDmarc(one)) - Number(passedDmarc(other)) || other.messages - one.messages,
  );
  const left = { ...omitted };
  for (const row of failedFirst.slice(ROWS_STORED_MAX)) {
    left.messages += row.messages;
    if (!passedDmarc(row)) left.failed += row.messages;
  }
  return { ...report, rows: failedFirst.slice(0, ROWS_STORED_MAX), omitted: left };
}

function oursOf(
  { ip, signatures }: Pick<DmarcRow, "ip" | "signatures">,
  { addresses, domain }: { addresses: ReadonlySet<string | null>; domain: string },
): Ours {
  if (addresses.has(ip)) return "address";
  const isSigned = signatures.some((each) => each.domain === domain && isGeneratedSelector(each.selector));
  return isSigned ? "signature" : "no";
}

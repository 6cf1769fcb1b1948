/**
 * Reads a TLS report (RFC 8460 §4): how often a sender could, and could not, deliver to a domain over TLS. What it says is the claim
 * of its sender.
 */
import { isOfReportShape } from "./json-shape.ts";
import { boundedPeriod, boundedText, domainText, organisation, type ReportIdentity } from "./report-identity.ts";
import { UnreadableReport } from "./unreadable-report.ts";

export interface TlsReport extends ReportIdentity {
  /** Sessions over all policies of the domain. */
  succeeded: number;
  failed: number;
  failures: TlsFailure[];
}

/** Failed sessions with the same cause. */
interface TlsFailure {
  /** `sts`, `tlsa` or `no-policy-found`, or another word of the report. */
  policyType: string;
  /** As RFC 8460 §4.3 names it, such as `certificate-expired`. */
  resultType: string;
  /** The host of the domain; empty if the report has none. */
  mx: string;
  sessions: number;
}

/** JSON takes several times its length in memory. Real reports have some kilobytes. */
export const JSON_LENGTH_MAX = 4 * 1024 * 1024;
export const FAILURES_MAX = 200;
/** Of a report, and of a policy. */
const EXAMINED_MAX = 1000;
const COUNT_MAX = 1e9;

type Fields = Readonly<Record<string, unknown>>;

/** Throws UnreadableReport if the text is no report, or is about several domains. */
export function readTlsReport(json: string): TlsReport {
  const report = fieldsOf(parsed(json));
  const range = fieldsOf(report["date-range"]);
  const period = boundedPeriod(timeOf(range["start-datetime"]), timeOf(range["end-datetime"]));
  const policies = listOf(report.policies);
  const domains = new Set(policies.map(({ policy }) => domainText(fieldsOf(policy)["policy-domain"])));
  const [domain = ""] = domains;
  const identity = {
    org: organisation(report["organization-name"], report["contact-info"]),
    reportId: boundedText(report["report-id"]),
    domain,
  };
  if (domains.size > 1) throw new UnreadableReport("several_domains");
  if (period === null || Object.values(identity).includes("")) throw new UnreadableReport("incomplete");
  const sum = (name: string): number =>
    policies.reduce((total, { summary }) => total + countOf(fieldsOf(summary)[name]), 0);
  return {
    ...identity,
    ...period,
    succeeded: sum("total-successful-session-count"),
    failed: sum("total-failure-session-count"),
    failures: failuresOf(policies),
  };
}

/** The failures with the most sessions first. */
function failuresOf(policies: readonly Fields[]): TlsFailure[] {
  const failures = new Map<string, TlsFailure>();
  for (const { policy, "failure-details": details } of policies) {
    const policyType = wordOf(fieldsOf(policy)["policy-type"]);
    for (const detail of listOf(details)) {
      const resultType = wordOf(detail["result-type"]);
      const mx = domainText(detail["receiving-mx-hostname"]);
      const key = JSON.stringify([policyType, resultType, mx]);
      const failure = failures.get(key) ?? { policyType, resultType, mx, sessions: 0 };
      failure.sessions += countOf(detail["failed-session-count"]);
      failures.set(key, failure);
    }
  }
  return [...failures.values()]
    .filter(({ sessions }) => sessions > 0)
    .sort((one, other) => other.sessions - one.sessions)
    .slice(0, FAILURES_MAX);
}

function parsed(json: string): unknown {
  if (json.length > JSON_LENGTH_MAX) throw new UnreadableReport("too_large");
  if (!isOfReportShape(json)) throw new UnreadableReport("too_complex");
  try {
    return JSON.parse(json);
  } catch {
    throw new UnreadableReport("not_well_formed");
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.slice(0, EXAMINED_MAX).map(fieldsOf) : []);

const timeOf = (value: unknown): number => (typeof value === "string" ? Date.parse(value) : Number.NaN);

/** A registered word of RFC 8460. */
const wordOf = (value: unknown): string =>
  typeof value === "string" && /^[a-z][a-z-]{1,59}$/i.test(value) ? value.toLowerCase() : "unknown";

/** Some senders write numbers as texts. */
function countOf(value: unknown): number {
  const count = typeof value === "string" ? Number(value) : value;
  return typeof count === "number" && Number.isInteger(count) && count > 0 ? Math.min(count, COUNT_MAX) : 0;
}

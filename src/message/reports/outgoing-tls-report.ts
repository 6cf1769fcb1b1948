/** Builds the TLS report on the sessions with a recipient domain (RFC 8460 §4), and reads where the domain wants it (§3). */

/** Sessions with the same outcome; see spool/port/tls-sessions.ts. */
export interface ReportedSessions {
  policyType: string;
  /** Empty for successful sessions. */
  resultType: string;
  mx: string;
  receivingIp: string;
  sendingIp: string;
  sessions: number;
}

/** The MTA-STS policy that applied. */
interface AppliedSts {
  mode: string;
  mx: readonly string[];
  maxAgeS: number;
}

export interface OutgoingTlsReport {
  /** The recipient domain. */
  domain: string;
  /** The sender of the report. */
  submitter: string;
  contact: string;
  reportId: string;
  beginMs: number;
  /** Exclusive. */
  endMs: number;
  sessions: readonly ReportedSessions[];
  /** Null if it is no longer known, or there is none. */
  sts: AppliedSts | null;
}

/** RFC 3339 without a fraction, as RFC 8460's examples have it. */
const secondsText = (atMs: number): string => new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z");

export function tlsReportJson(report: OutgoingTlsReport): string {
  const { domain, submitter, contact, reportId, beginMs, endMs, sessions } = report;
  const types = [...new Set(sessions.map(({ policyType }) => policyType))];
  return JSON.stringify({
    "organization-name": submitter,
    "date-range": { "start-datetime": secondsText(beginMs), "end-datetime": secondsText(endMs - 1000) },
    "contact-info": contact,
    "report-id": reportId,
    policies: types.map((type) => ({
      policy: { "policy-type": type, ...(type === "sts" ? stsFields(report.sts) : {}), "policy-domain": domain },
      ...resultsOf(sessions.filter(({ policyType }) => policyType === type)),
    })),
  });
}

function stsFields(sts: AppliedSts | null) {
  if (sts === null) return {};
  const { mode, mx, maxAgeS } = sts;
  const lines = ["version: STSv1", `mode: ${mode}`, ...mx.map((host) => `mx: ${host}`), `max_age: ${maxAgeS}`];
  return { "policy-string": lines, "mx-host": mx };
}

function resultsOf(sessions: readonly ReportedSessions[]) {
  const failures = sessions.filter(({ resultType }) => resultType !== "");
  const sum = (rows: readonly ReportedSessions[]): number => rows.reduce((total, row) => total + row.sessions, 0);
  return {
    summary: {
      "total-successful-session-count": sum(sessions) - sum(failures),
      "total-failure-session-count": sum(failures),
    },
    ...(failures.length === 0 ? {} : { "failure-details": failures.map(failureDetail) }),
  };
}

function failureDetail({ resultType, mx, receivingIp, sendingIp, sessions }: ReportedSessions) {
  return {
    "result-type": resultType,
    ...(sendingIp === "" ? {} : { "sending-mta-ip": sendingIp }),
    ...(mx === "" ? {} : { "receiving-mx-hostname": mx }),
    ...(receivingIp === "" ? {} : { "receiving-ip": receivingIp }),
    "failed-session-count": sessions,
  };
}

/** RFC 8460 §5.1. */
export function tlsReportFilename({ submitter, domain, beginMs, endMs }: OutgoingTlsReport): string {
  const seconds = (atMs: number): number => Math.floor(atMs / 1000);
  return `${submitter}!${domain}!${seconds(beginMs)}!${seconds(endMs) - 1}.json.gz`;
}

/** RFC 8460 §5.3. */
export const tlsReportSubject = ({ domain, submitter, reportId }: OutgoingTlsReport): string =>
  `Report Domain: ${domain} Submitter: ${submitter} Report-ID: <${reportId}>`;

export type ReportTarget = { type: "mailto"; address: string } | { type: "https"; url: string };

/** A domain may name several; each costs a message or a request. */
const TARGETS_MAX = 3;
const RECORD = /^v=TLSRPTv1\s*;(.*)$/s;

/** Where a domain wants its reports, from the TXT records of `_smtp._tls.DOMAIN`. Empty unless exactly one is a TLSRPT record. */
export function reportTargets(texts: readonly string[]): ReportTarget[] {
  const records = texts.flatMap((text) => RECORD.exec(text)?.[1] ?? []);
  const [record = ""] = records.length === 1 ? records : [];
  const [, list = ""] = /(?:^|;)\s*rua\s*=\s*([^;]*)/.exec(record) ?? [];
  const targets = list.split(",").flatMap((uri) => targetOf(uri.trim()) ?? []);
  return targets.slice(0, TARGETS_MAX);
}

function targetOf(uri: string): ReportTarget | null {
  if (/^https:\/\/[^\s]{1,1000}$/i.test(uri)) return { type: "https", url: uri };
  const [, encoded = ""] = /^mailto:([^\s?!]{1,320})(?:[?!].*)?$/i.exec(uri) ?? [];
  return encoded === "" ? null : mailtoOf(encoded);
}

function mailtoOf(encoded: string): ReportTarget | null {
  try {
    return { type: "mailto", address: decodeURIComponent(encoded) };
  } catch {
    return null;
  }
}

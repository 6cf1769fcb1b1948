/** Reports of receivers, as the spool stores them. */
import { DAY_MS } from "../../src/lib/units.ts";
import type { ReportEffect, SourceRow } from "../../src/spool/port/sender-reports.ts";

export const MONDAY_MS = Date.UTC(2026, 2, 2);
export const REPORTED_AT_MS = MONDAY_MS + DAY_MS + 3_600_000;
const [ACCOUNT, DOMAIN] = ["acc_default", "shop.example"];

interface Changes {
  accountId?: string;
  domain?: string;
  org?: string;
  reportId?: string;
  beginMs?: number;
}

const identity = ({ org = "mail.example", reportId = "r-1", beginMs = MONDAY_MS }: Changes) => ({
  org,
  reportId,
  domain: DOMAIN,
  beginMs,
  endMs: beginMs + DAY_MS - 1000,
});

export const source = (parts: Partial<SourceRow> = {}): SourceRow => ({
  ip: "203.0.113.7",
  ours: "no",
  messages: 1,
  disposition: "none",
  dkim: false,
  spf: false,
  headerFrom: DOMAIN,
  ...parts,
});

export const dmarcEffect = (rows: SourceRow[] = [source()], changes: Changes = {}): ReportEffect => {
  const { accountId = ACCOUNT, domain = DOMAIN } = changes;
  const report = { ...identity(changes), policy: "none", rows, omitted: { messages: 0, failed: 0 } } as const;
  return { type: "dmarc_report", accountId, domain, report };
};

export const tlsEffect = (
  failures: [resultType: string, mx: string, sessions: number][] = [],
  changes: Changes = {},
) => {
  const { accountId = ACCOUNT, domain = DOMAIN } = changes;
  const details = failures.map(([resultType, mx, sessions]) => ({ policyType: "sts", resultType, mx, sessions }));
  const failed = failures.reduce((sum, [, , sessions]) => sum + sessions, 0);
  const report = { ...identity(changes), succeeded: 10, failed, failures: details };
  return { type: "tls_report", accountId, domain, report } satisfies ReportEffect;
};

/** Two sources that are not ours, and two that are. */
export const SOURCES: SourceRow[] = [
  source({ messages: 400, disposition: "reject" }),
  source({ messages: 12, disposition: "quarantine", headerFrom: "news.shop.example" }),
  source({ ip: "192.0.2.1", ours: "address", messages: 5000, dkim: true, spf: true }),
  source({ ip: "192.0.2.1", ours: "address", messages: 3 }),
  source({ ip: "2001:db8::1", ours: "signature", messages: 7, dkim: true }),
];

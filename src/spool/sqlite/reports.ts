/**
 * What people watch, read from the spool's file: the queue by destination and what happened over time. Runs on a
 * connection and a thread of its own (reports-thread.ts).
 */
import type { Database } from "better-sqlite3";
import type { Activity, ActivityFilter, Slot, WaitingDomain, WaitingMail } from "../reports.ts";
import { middleMs } from "./activity.ts";
import { prepareFind } from "./find.ts";

/** Recipients of one account looked at to tell why a domain's mail waits. */
const REASONS_LOOKED_AT = 50;

export function prepareReports(db: Database) {
  const content = db
    .prepare<[string, string], Buffer>(
      "SELECT content FROM contents WHERE seq = (SELECT seq FROM messages WHERE id = ? AND account_id = ?)",
    )
    .pluck();
  return {
    find: prepareFind(db),
    contentOf: ({ accountId, messageId }: { accountId: string; messageId: string }): Buffer | null =>
      content.get(messageId, accountId) ?? null,
    activity: prepareActivityRead(db),
    waiting: prepareWaiting(db),
  };
}

type Counts = Omit<Slot, "atMs" | "p50Ms" | "p95Ms">;
const NOTHING: Counts = { messages: 0, recipients: 0, delivered: 0, failed: 0, unknown: 0, deferred: 0 };

interface Histogram {
  bucket: number;
  recipients: number;
}

function prepareActivityRead(db: Database) {
  const ofAccounts = "SELECT id FROM accounts WHERE @accountId IS NULL OR id = @accountId";
  // Numbers come as floating point: the cast makes the division one of whole numbers.
  const counts = db.prepare<ActivityFilter, Counts & { atMs: number }>(
    `SELECT CAST(minute_ms / @stepMs AS INTEGER) * @stepMs AS atMs, sum(messages) AS messages, sum(recipients) AS recipients,
            sum(delivered) AS delivered, sum(failed) AS failed, sum(unknown) AS unknown, sum(deferred) AS deferred
       FROM activity WHERE account_id IN (${ofAccounts}) AND minute_ms >= @sinceMs AND minute_ms < @untilMs GROUP BY 1`,
  );
  const times = db.prepare<ActivityFilter, Histogram & { atMs: number }>(
    `SELECT CAST(slot_ms / @stepMs AS INTEGER) * @stepMs AS atMs, bucket, sum(recipients) AS recipients
       FROM delivery_times WHERE account_id IN (${ofAccounts}) AND slot_ms >= @sinceMs AND slot_ms < @untilMs
       GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  return (filter: ActivityFilter): Activity => {
    const taken = new Map<number, Histogram[]>();
    const all = new Map<number, number>();
    for (const { atMs, bucket, recipients } of times.iterate(filter)) {
      const list = taken.get(atMs) ?? [];
      list.push({ bucket, recipients });
      taken.set(atMs, list);
      all.set(bucket, (all.get(bucket) ?? 0) + recipients);
    }
    const slots = counts.all(filter).map((row) => ({ ...row, ...percentiles(taken.get(row.atMs) ?? []) }));
    const total = { ...NOTHING };
    for (const slot of slots) for (const name of Object.keys(NOTHING) as (keyof Counts)[]) total[name] += slot[name];
    const histogram = [...all].map(([bucket, recipients]) => ({ bucket, recipients }));
    return { slots, total: { ...total, ...percentiles(histogram.sort((a, b) => a.bucket - b.bucket)) } };
  };
}

function percentiles(histogram: Histogram[]): { p50Ms: number | null; p95Ms: number | null } {
  const total = histogram.reduce((sum, { recipients }) => sum + recipients, 0);
  const at = (share: number): number | null => {
    let seen = 0;
    for (const { bucket, recipients } of histogram) {
      seen += recipients;
      if (seen >= total * share) return middleMs(bucket);
    }
    return null;
  };
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}

interface LaneRow {
  account_id: string;
  domain: string;
  waiting: number;
  due: number;
  nextMs: number | null;
}

interface ReasonRow {
  reason: string | null;
  smtp: string | null;
}

function prepareWaiting(db: Database) {
  const lanes = db.prepare<{ accountId: string | null; nowMs: number }, LaneRow>(
    `SELECT account_id, domain, count(*) AS waiting, sum(next_attempt_at_ms <= @nowMs) AS due,
            min(next_attempt_at_ms) AS nextMs
       FROM recipients INDEXED BY recipients_waiting
       WHERE state = 'pending' AND account_id IN (SELECT id FROM accounts WHERE @accountId IS NULL OR id = @accountId)
       GROUP BY account_id, domain`,
  );
  const marked = db.prepare<{ accountId: string | null }, { domain: string; count: number }>(
    `SELECT domain, count(*) AS count FROM recipients INDEXED BY recipients_marked
       WHERE state = 'marked' AND (@accountId IS NULL OR account_id = @accountId) GROUP BY domain`,
  );
  const unknown = db
    .prepare<{ accountId: string | null }, number>(
      `SELECT count(*) FROM recipients INDEXED BY recipients_unknown
         WHERE state = 'unknown' AND account_id IN (SELECT id FROM accounts WHERE @accountId IS NULL OR id = @accountId)`,
    )
    .pluck();
  const oldest = db
    .prepare<{ accountId: string | null }, number | null>(
      `SELECT created_at_ms FROM messages WHERE seq = (SELECT min(seq) FROM (
         SELECT min(seq) AS seq FROM recipients INDEXED BY recipients_waiting
           WHERE state = 'pending' AND account_id IN (SELECT id FROM accounts WHERE @accountId IS NULL OR id = @accountId)
         UNION ALL
         SELECT min(seq) FROM recipients INDEXED BY recipients_marked
           WHERE state = 'marked' AND (@accountId IS NULL OR account_id = @accountId)))`,
    )
    .pluck();
  // The ones tried last wait longest: their reasons are the newest.
  const reasons = db.prepare<[string, string, number], ReasonRow>(
    `SELECT reason, smtp FROM recipients INDEXED BY recipients_waiting
       WHERE state = 'pending' AND account_id = ? AND domain = ? ORDER BY next_attempt_at_ms DESC LIMIT ?`,
  );
  const paused = db.prepare<[], { domain: string; at_ms: number }>("SELECT domain, at_ms FROM paused_domains");

  return ({ accountId, nowMs, limit }: { accountId: string | null; nowMs: number; limit: number }): WaitingMail => {
    const pausedAt = new Map(paused.all().map((row) => [row.domain, row.at_ms]));
    const found = new Map<string, WaitingDomain>();
    const accounts = new Map<string, string[]>();
    const of = (domain: string): WaitingDomain => {
      const known = found.get(domain);
      if (known !== undefined) return known;
      const pausedAtMs = pausedAt.get(domain) ?? null;
      const fresh = { domain, waiting: 0, due: 0, nextAttemptAtMs: null, reason: null, smtp: null, pausedAtMs };
      found.set(domain, fresh);
      return fresh;
    };
    for (const lane of lanes.iterate({ accountId, nowMs })) {
      const waiting = of(lane.domain);
      waiting.waiting += lane.waiting;
      waiting.due += lane.due;
      waiting.nextAttemptAtMs = Math.min(waiting.nextAttemptAtMs ?? Number.POSITIVE_INFINITY, lane.nextMs ?? 0);
      accounts.set(lane.domain, [...(accounts.get(lane.domain) ?? []), lane.account_id]);
    }
    for (const { domain, count } of marked.iterate({ accountId })) {
      of(domain).waiting += count;
      of(domain).due += count;
    }
    // A paused domain is shown also while nothing waits for it: only a person resumes it. To one account that would
    // tell of others' mail.
    if (accountId === null) for (const domain of pausedAt.keys()) of(domain);
    const all = [...found.values()].sort((a, b) => b.waiting - a.waiting || a.domain.localeCompare(b.domain));
    const domains = all.slice(0, limit).map((waiting) => {
      const rows = (accounts.get(waiting.domain) ?? [])
        .slice(0, 10)
        .flatMap((id) => reasons.all(id, waiting.domain, REASONS_LOOKED_AT));
      return { ...waiting, ...commonest(rows) };
    });
    const sum = all.reduce((total, { waiting }) => total + waiting, 0);
    return {
      domains,
      waiting: sum,
      unknown: unknown.get({ accountId }) ?? 0,
      oldestAtMs: oldest.get({ accountId }) ?? null,
    };
  };
}

/** The commonest reason, with the newest words that came with it. */
function commonest(rows: ReasonRow[]): Pick<WaitingDomain, "reason" | "smtp"> {
  const counts = new Map<string | null, number>();
  for (const { reason } of rows) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [reason = null] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  const smtp = rows.find((row) => row.reason === reason)?.smtp ?? null;
  return { reason, smtp: smtp === null ? null : JSON.parse(smtp) };
}

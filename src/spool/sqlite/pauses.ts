/**
 * A person's hand on a whole destination: paused recipient domains, and making all that waits for one due. A paused
 * domain is to the claim as one that is full. The caller holds the transaction.
 */
import type { Database } from "better-sqlite3";
import type { ClaimRequest, PausedDomain, SpoolEvent } from "../spool.ts";
import { type DamageLog, unlessDamaged } from "./damage.ts";
import type { Lanes } from "./lanes.ts";
import type { Written } from "./writer.ts";

interface WaitingRow {
  seq: number;
  position: number;
  attempts: number;
}

export function preparePauses(db: Database, lanes: Lanes, log: DamageLog) {
  const paused = db.prepare<[], string>("SELECT domain FROM paused_domains").pluck();
  const pause = db.prepare("INSERT OR IGNORE INTO paused_domains (domain, at_ms) VALUES (?, ?)");
  const resume = db.prepare("DELETE FROM paused_domains WHERE domain = ?");
  const later = db.prepare<[string, string, number, number], WaitingRow>(
    `SELECT seq, position, attempts FROM recipients
       WHERE state = 'pending' AND account_id = ? AND domain = ? AND next_attempt_at_ms > ?
       ORDER BY next_attempt_at_ms LIMIT ?`,
  );
  const setDue = db.prepare(
    "UPDATE recipients SET next_attempt_at_ms = @nowMs, updated_at_ms = @nowMs WHERE seq = @seq AND position = @position",
  );
  const touch = db.prepare("UPDATE messages SET updated_at_ms = ? WHERE seq = ?");
  const addEvent = db.prepare(
    `INSERT INTO events (seq, position, number, event) VALUES (@seq, @position,
       (SELECT coalesce(max(number), 0) + 1 FROM events WHERE seq = @seq AND position = @position), @event)`,
  );
  /** As committed; each claim asks for them. */
  let closed: Record<string, 0> = {};

  function loadPauses(): void {
    const domains = unlessDamaged(() => paused.all(), null, { log, place: "the paused domains" });
    if (domains !== null) closed = Object.fromEntries(domains.map((domain) => [domain, 0]));
  }

  loadPauses();
  return {
    loadPauses,
    /** The request with nothing allowed for paused domains. */
    withoutPaused: (request: ClaimRequest): ClaimRequest => ({
      ...request,
      allowance: { ...request.allowance, ...closed },
    }),
    writes: {
      pauseDomain({ domain, atMs }: { domain: string; atMs: number }): Written<void> {
        pause.run(domain, atMs);
        return { value: undefined, committed: loadPauses };
      },
      resumeDomain(domain: string): Written<boolean> {
        return { value: resume.run(domain).changes === 1, committed: loadPauses };
      },
      retryDomain(args: { accountId: string; domain: string; nowMs: number; limit: number }): Written<number> {
        const { accountId, domain, nowMs } = args;
        const rows = later.all(accountId, domain, nowMs, args.limit);
        for (const { seq, position, attempts } of rows) {
          setDue.run({ nowMs, seq, position });
          touch.run(nowMs, seq);
          const event: SpoolEvent = {
            at_ms: nowMs,
            type: "retried",
            attempt: attempts,
            reason: null,
            tries: [],
            next_attempt_at_ms: nowMs,
          };
          addEvent.run({ seq, position, event: JSON.stringify(event) });
        }
        const committed = (): void => {
          if (rows.length > 0) lanes.dueAgain(accountId, domain, nowMs);
        };
        return { value: rows.length, committed };
      },
    },
  };
}

export function preparePauseReads(db: Database) {
  const paused = db.prepare<[], PausedDomain>("SELECT domain, at_ms AS atMs FROM paused_domains ORDER BY domain");
  return { pausedDomains: () => paused.all() };
}

/**
 * Operator actions on a recipient domain: pausing it, and making all that waits for it due, but what is damaged. A paused
 * domain is to the claim as one that is full. The caller holds the transaction.
 */
import type { Database } from "better-sqlite3";
import type { ClaimRequest } from "../port/mail.ts";
import type { PausedDomain } from "../port/operations.ts";
import type { SpoolEvent } from "../port/results.ts";
import type { FairScheduler } from "../scheduler/fair-scheduler.ts";
import { DamagedMessages, type DamageLog, unlessDamaged } from "./damage.ts";
import { HistoryWriter } from "./history-writer.ts";
import type { Rebuilding } from "./rebuilding.ts";
import { prepareAttempts } from "./soundness.ts";
import type { Written } from "./written.ts";

interface Place {
  seq: number;
  position: number;
}

export interface PauseParts {
  scheduler: FairScheduler;
  damage: DamageLog;
  rebuilding: Rebuilding;
}

export function preparePauses(db: Database, { scheduler, damage, rebuilding }: PauseParts) {
  const paused = db.prepare<[], string>("SELECT domain FROM paused_domains").pluck();
  const pause = db.prepare("INSERT OR IGNORE INTO paused_domains (domain, at_ms) VALUES (?, ?)");
  const resume = db.prepare("DELETE FROM paused_domains WHERE domain = ?");
  // From the index alone: the rows of the recipients may be damaged.
  const later = db.prepare<[string, string, number, number], Place>(
    `SELECT seq, position FROM recipients INDEXED BY recipients_waiting
       WHERE state = 'pending' AND account_id = ? AND domain = ? AND next_attempt_at_ms > ?
       ORDER BY next_attempt_at_ms LIMIT ?`,
  );
  const attemptsOf = prepareAttempts(db);
  const setDue = db.prepare(
    "UPDATE recipients SET next_attempt_at_ms = @nowMs, updated_at_ms = @nowMs WHERE seq = @seq AND position = @position",
  );
  const touch = db.prepare("UPDATE messages SET updated_at_ms = ? WHERE seq = ?");
  const history = new HistoryWriter(db, damage);
  const damaged = new DamagedMessages(damage, { place: (seq) => `the message in row ${seq}, which waits`, rebuilding });
  /** As committed; each claim asks for them. */
  let closed: Record<string, 0> = {};

  function loadPauses(): void {
    const domains = unlessDamaged(() => paused.all(), null, { log: damage, place: "the paused domains" });
    if (domains !== null) closed = Object.fromEntries(domains.map((domain) => [domain, 0]));
  }

  function setDueNow({ seq, position }: Place, nowMs: number): void {
    setDue.run({ nowMs, seq, position });
    touch.run(nowMs, seq);
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
        const places = later.all(accountId, domain, nowMs, args.limit + damaged.size);
        const rows = damaged.readEach(places, (place) => ({ ...place, attempts: attemptsOf(place) }));
        history.look(rows);
        for (const { seq, position, attempts } of rows) {
          damaged.attempt(seq, () => setDueNow({ seq, position }, nowMs));
          const event: SpoolEvent = {
            at_ms: nowMs,
            type: "retried",
            attempt: attempts,
            reason: null,
            tries: [],
            next_attempt_at_ms: nowMs,
          };
          history.add(seq, position, JSON.stringify(event));
        }
        const committed = (): void => {
          damaged.clear();
          history.clear();
          if (rows.length > 0) scheduler.dueAgain(accountId, domain, nowMs);
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

/**
 * The waiting mail: mark, settle, release, and the two ways back into the queue (recovery at start, a person's retry);
 * the claim is claims.ts's. The caller holds the transaction; what must follow a commit is returned as `committed`.
 */
import type { Database } from "better-sqlite3";
import { type Refusal, refusalsIn, refusedAddress } from "../../message/suppression.ts";
import type { GivenBack, Mark, Settlement, SpoolEvent } from "../spool.ts";
import { prepareClaim } from "./claims.ts";
import type { Lanes } from "./lanes.ts";
import type { Leases } from "./leases.ts";
import { prepareRefusals } from "./refusals.ts";
import type { Written } from "./writer.ts";

export function prepareQueue(db: Database, lanes: Lanes, leases: Leases) {
  const seqOf = db.prepare<[string], number>("SELECT seq FROM messages WHERE id = ?").pluck();
  const accountOf = db.prepare<[number], string>("SELECT account_id FROM messages WHERE seq = ?").pluck();
  const allLanes = db.prepare<[], { account_id: string; domain: string; due_ms: number }>(
    `SELECT account_id, domain, min(next_attempt_at_ms) AS due_ms FROM recipients
       WHERE state = 'pending' GROUP BY account_id, domain`,
  );
  const setMarked = db.prepare(
    `UPDATE recipients SET state = 'marked', next_attempt_at_ms = NULL, mark = ?
       WHERE seq = ? AND position = ? AND state IN ('pending', 'marked')`,
  );
  const setSettled = db.prepare(
    `UPDATE recipients SET state = ?, reason = ?, attempts = attempts + ?, next_attempt_at_ms = ?, updated_at_ms = ?,
       smtp = coalesce(?, CASE WHEN ? <> 'unknown' THEN smtp END), mark = NULL
       WHERE seq = ? AND position = ? AND state IN ('pending', 'marked')`,
  );
  const attemptsOf = db
    .prepare<[number, number], number>("SELECT attempts FROM recipients WHERE seq = ? AND position = ?")
    .pluck();
  const domainOf = db
    .prepare<[number, number], string>("SELECT domain FROM recipients WHERE seq = ? AND position = ?")
    .pluck();
  const addressOf = db.prepare<[number, number], { account_id: string; email: string; domain: string }>(
    "SELECT account_id, email, domain FROM recipients WHERE seq = ? AND position = ?",
  );
  const released = db.prepare<
    [number, number],
    { account_id: string; domain: string; attempts: number; next_attempt_at_ms: number | null }
  >("SELECT account_id, domain, attempts, next_attempt_at_ms FROM recipients WHERE seq = ? AND position = ?");
  const refusals = prepareRefusals(db);
  const touch = db.prepare("UPDATE messages SET updated_at_ms = ? WHERE seq = ?");
  const addEvent = db.prepare(
    `INSERT INTO events (seq, position, number, event) VALUES (?, ?,
       (SELECT coalesce(max(number), 0) + 1 FROM events WHERE seq = ? AND position = ?), ?)`,
  );
  const marked = db.prepare<[], { seq: number; position: number; attempts: number; mark: string }>(
    "SELECT seq, position, attempts, mark FROM recipients WHERE state = 'marked'",
  );
  const held = db.prepare<
    [string, string],
    { seq: number; position: number; email: string; domain: string; attempts: number }
  >(
    `SELECT seq, position, email, domain, attempts FROM recipients
       WHERE seq = (SELECT seq FROM messages WHERE id = ? AND account_id = ?) AND state IN ('pending', 'unknown')`,
  );
  const liftDeadline = db.prepare("UPDATE messages SET deadline_ms = NULL WHERE seq = ? AND deadline_ms <= ?");
  const setDue = db.prepare(
    `UPDATE recipients SET state = 'pending', next_attempt_at_ms = ?, updated_at_ms = ?
       WHERE seq = ? AND position = ? AND state IN ('pending', 'unknown')`,
  );

  function record(seq: number, position: number, event: SpoolEvent): void {
    addEvent.run(seq, position, seq, position, JSON.stringify(event));
  }

  /** What a settlement says of the address itself: a delivery proves it, some refusals speak against it. */
  function learn(seq: number, { position, result }: Settlement, refusal: Refusal | null): void {
    if (result !== "delivered" && refusal === null) return;
    const r = addressOf.get(seq, position);
    if (r === undefined) return;
    const address = refusedAddress(r.email, r.domain);
    if (refusal === null) refusals.clear(r.account_id, address);
    else refusals.add(r.account_id, address, refusal);
  }

  function seqOfMessage(messageId: string): number {
    const seq = seqOf.get(messageId);
    if (seq === undefined) throw new Error(`no message ${messageId} in the spool`);
    return seq;
  }

  /** What fell due while it had to wait for the lease is looked for anew, however long it has been due. */
  function endLease(seq: number, positions: number[]): void {
    const again = leases.end(seq, positions);
    if (again.length === 0) return;
    const accountId = accountOf.get(seq);
    if (accountId === undefined) return;
    for (const domain of again) lanes.dueAgain(accountId, domain, 0);
  }

  /** Reads from the index when each lane falls due: at start, and after another process wrote. */
  function loadLanes(): void {
    for (const row of allLanes.iterate()) lanes.dueAgain(row.account_id, row.domain, row.due_ms);
  }

  return {
    loadLanes,
    claim: prepareClaim(db, lanes, leases),

    mark(mark: Mark): Written<void> {
      const seq = seqOfMessage(mark.messageId);
      const evidence = JSON.stringify({ at_ms: mark.atMs, mx: mark.mx, ip: mark.ip });
      for (const position of mark.positions) {
        const { changes } = setMarked.run(evidence, seq, position);
        if (changes !== 1) throw new Error(`recipient ${position} of ${mark.messageId} cannot be marked: it is final`);
      }
      return { value: undefined };
    },

    settle(args: { messageId: string; atMs: number; settlements: Settlement[] }): Written<void> {
      const seq = seqOfMessage(args.messageId);
      const refused = refusalsIn(args.settlements, args.atMs);
      for (const [i, s] of args.settlements.entries()) {
        const smtp = s.smtp === null ? null : JSON.stringify(s.smtp);
        const told = [s.result, s.reason, s.untried ? 0 : 1, s.nextAttemptAtMs, args.atMs, smtp, s.result];
        const { changes } = setSettled.run(...told, seq, s.position);
        if (changes === 0) continue;
        learn(seq, s, refused[i] ?? null);
        const expired = s.outcome === "deferred" && s.result === "failed";
        record(seq, s.position, {
          at_ms: args.atMs,
          type: expired ? "expired" : s.outcome,
          attempt: attemptsOf.get(seq, s.position) ?? 0,
          reason: s.reason,
          tries: s.tries,
          next_attempt_at_ms: s.nextAttemptAtMs,
        });
      }
      touch.run(args.atMs, seq);
      return {
        value: undefined,
        committed: () => {
          const accountId = accountOf.get(seq);
          for (const s of args.settlements) {
            if (s.nextAttemptAtMs === null || accountId === undefined) continue;
            const domain = domainOf.get(seq, s.position);
            if (domain !== undefined) lanes.dueAgain(accountId, domain, s.nextAttemptAtMs);
          }
          endLease(
            seq,
            args.settlements.map((s) => s.position),
          );
        },
      };
    },

    release({ messageId, positions, destination }: GivenBack): void {
      const seq = seqOfMessage(messageId);
      for (const position of positions) {
        const r = released.get(seq, position);
        if (r === undefined) continue;
        const acceptedMs = r.attempts === 0 ? r.next_attempt_at_ms : null;
        lanes.givenBack(
          { accountId: r.account_id, domain: r.domain },
          { destination: destination ?? null, acceptedMs },
        );
      }
      endLease(seq, positions);
    },

    recover(args: { nowMs: number; result: "unknown" | "pending" }): Written<number> {
      const rows = marked.all();
      for (const row of rows) {
        const { mx, ip } = JSON.parse(row.mark) as { mx: string; ip: string | null };
        const nextMs = args.result === "pending" ? args.nowMs : null;
        const reason = "interrupted_after_final_dot";
        setSettled.run(args.result, reason, 1, nextMs, args.nowMs, null, args.result, row.seq, row.position);
        touch.run(args.nowMs, row.seq);
        const error = "Postrider stopped before the reply to the final dot arrived";
        record(row.seq, row.position, {
          at_ms: args.nowMs,
          type: "recovered",
          attempt: row.attempts + 1,
          reason,
          tries: [{ mx, ip, tls: null, stage: "final_dot", reply: null, error, note: null, policy: null }],
          next_attempt_at_ms: nextMs,
        });
      }
      return { value: rows.length, committed: loadLanes };
    },

    retry(args: { accountId: string; messageId: string; email?: string; nowMs: number }): Written<number> {
      const rows = held
        .all(args.messageId, args.accountId)
        .filter((row) => args.email === undefined || row.email === args.email);
      for (const row of rows) {
        setDue.run(args.nowMs, args.nowMs, row.seq, row.position);
        liftDeadline.run(row.seq, args.nowMs);
        touch.run(args.nowMs, row.seq);
        record(row.seq, row.position, {
          at_ms: args.nowMs,
          type: "retried",
          attempt: row.attempts,
          reason: null,
          tries: [],
          next_attempt_at_ms: args.nowMs,
        });
      }
      return {
        value: rows.length,
        committed: () => {
          // Someone waits for it, as for new mail.
          for (const row of rows) lanes.due(args.accountId, row.domain, args.nowMs);
        },
      };
    },
  };
}

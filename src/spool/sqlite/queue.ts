/**
 * The waiting mail: mark, settle, release, and the two ways back into the queue (recovery at start, a person's retry);
 * the claim is claims.ts's. The caller holds the transaction; what must follow a commit is returned as `committed`.
 */
import type { Database } from "better-sqlite3";
import { categoryOfReason } from "../../message/category.ts";
import { refusedAddress } from "../../message/suppression.ts";
import type { GivenBack, Mark, SpoolEvent } from "../spool.ts";
import type { ActivityLog } from "./activity.ts";
import { type ClaimParts, prepareClaim } from "./claims.ts";
import type { Envelope, Leased } from "./leases.ts";
import { prepareRefusals } from "./refusals.ts";
import type { Stored, StoredSettlements } from "./wire.ts";
import type { Written } from "./writer.ts";

export interface QueueParts extends ClaimParts {
  activity: ActivityLog;
}

export function prepareQueue(db: Database, { activity, ...parts }: QueueParts) {
  const { lanes, leases, newcomers } = parts;
  const envelope = db.prepare<[string], Envelope>(
    "SELECT seq, account_id AS accountId, created_at_ms AS createdAtMs FROM messages WHERE id = ?",
  );
  const allLanes = db.prepare<[], { account_id: string; domain: string; due_ms: number }>(
    `SELECT account_id, domain, min(next_attempt_at_ms) AS due_ms FROM recipients
       WHERE state = 'pending' GROUP BY account_id, domain`,
  );
  const setMarked = db.prepare(
    `UPDATE recipients SET state = 'marked', next_attempt_at_ms = NULL, mark = ?
       WHERE seq = ? AND position = ? AND state IN ('pending', 'marked')`,
  );
  const setSettled = db.prepare(
    `UPDATE recipients SET state = ?, reason = ?, category = ?, attempts = attempts + ?, next_attempt_at_ms = ?, updated_at_ms = ?,
       smtp = coalesce(?, CASE WHEN ? <> 'unknown' THEN smtp END), mark = NULL
       WHERE seq = ? AND position = ? AND state IN ('pending', 'marked')`,
  );
  const recipient = db.prepare<[number, number], Leased>(
    "SELECT email, domain, attempts FROM recipients WHERE seq = ? AND position = ?",
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

  /** As `record`, of a settlement that is the recipient's attempt of this number. */
  function recordAttempt(seq: number, s: Stored, { atMs, attempt }: { atMs: number; attempt: number }): void {
    const type = s.outcome === "deferred" && s.result === "failed" ? "expired" : s.outcome;
    const why = `"reason":${JSON.stringify(s.reason)},"category":${JSON.stringify(s.category)}`;
    const began = `{"at_ms":${atMs},"type":"${type}","attempt":${attempt},${why}`;
    const event = `${began},"tries":${s.tries},"next_attempt_at_ms":${s.nextAttemptAtMs}}`;
    addEvent.run(seq, s.position, seq, s.position, event);
  }

  /** What a settlement says of the address itself: a delivery proves it, some refusals speak against it. */
  function learn(accountId: string, { email, domain }: Leased, { result, refusal }: Stored): void {
    if (result !== "delivered" && refusal === null) return;
    const address = refusedAddress(email, domain);
    if (refusal === null) refusals.clear(accountId, address);
    else refusals.add(accountId, address, refusal);
  }

  function envelopeOf(messageId: string): Envelope {
    const found = leases.envelopeOf(messageId) ?? envelope.get(messageId);
    if (found === undefined) throw new Error(`no message ${messageId} in the spool`);
    return found;
  }

  const recipientOf = (seq: number, position: number): Leased | undefined =>
    leases.leasedRecipient(seq, position) ?? recipient.get(seq, position);

  /** A newcomer is not leased: what is marked or settled all the same may be one no more. */
  function forgetUnless(areLeased: boolean): void {
    if (!areLeased) newcomers.clear();
  }

  /** What fell due while it had to wait for the lease is looked for anew, however long it has been due. */
  function endLease({ seq, accountId }: Envelope, positions: number[]): void {
    for (const domain of leases.end(seq, positions)) lanes.dueAgain(accountId, domain, 0);
  }

  /** Reads from the index when each lane falls due: at start, and after another process wrote. */
  function loadLanes(): void {
    for (const row of allLanes.iterate()) lanes.dueAgain(row.account_id, row.domain, row.due_ms);
  }

  return {
    loadLanes,
    claim: prepareClaim(db, parts),

    mark(mark: Mark): Written<void> {
      const { seq } = envelopeOf(mark.messageId);
      const areLeased = leases.holds(seq, mark.positions);
      const evidence = JSON.stringify({ at_ms: mark.atMs, mx: mark.mx, ip: mark.ip });
      for (const position of mark.positions) {
        const { changes } = setMarked.run(evidence, seq, position);
        if (changes !== 1) throw new Error(`recipient ${position} of ${mark.messageId} cannot be marked: it is final`);
      }
      return { value: undefined, committed: () => forgetUnless(areLeased) };
    },

    settle({ messageId, atMs, settlements }: StoredSettlements): Written<void> {
      const message = envelopeOf(messageId);
      const { seq, accountId } = message;
      const positions = settlements.map(({ position }) => position);
      const areLeased = leases.holds(seq, positions);
      const dueAgain: { domain: string; dueMs: number }[] = [];
      for (const s of settlements) {
        const { position, result, reason, category, nextAttemptAtMs: dueMs, smtp } = s;
        const r = recipientOf(seq, position);
        const counts = s.untried ? 0 : 1;
        const { changes } = setSettled.run(result, reason, category, counts, dueMs, atMs, smtp, result, seq, position);
        if (r === undefined || changes === 0) continue;
        activity.settled(message, atMs, result);
        learn(accountId, r, s);
        recordAttempt(seq, s, { atMs, attempt: r.attempts + counts });
        if (dueMs !== null) dueAgain.push({ domain: r.domain, dueMs });
      }
      touch.run(atMs, seq);
      return {
        value: undefined,
        committed: () => {
          for (const { domain, dueMs } of dueAgain) lanes.dueAgain(accountId, domain, dueMs);
          endLease(message, positions);
          forgetUnless(areLeased);
        },
      };
    },

    release({ messageId, positions, destination }: GivenBack): void {
      const message = envelopeOf(messageId);
      const { seq } = message;
      for (const position of positions) {
        const r = released.get(seq, position);
        if (r === undefined) continue;
        const acceptedMs = r.attempts === 0 ? r.next_attempt_at_ms : null;
        if (acceptedMs !== null) newcomers.forget({ accountId: r.account_id, domain: r.domain, acceptedMs });
        lanes.givenBack(
          { accountId: r.account_id, domain: r.domain },
          { destination: destination ?? null, acceptedMs },
        );
      }
      endLease(message, positions);
    },

    recover(args: { nowMs: number; result: "unknown" | "pending" }): Written<number> {
      const rows = marked.all();
      for (const row of rows) {
        const { mx, ip } = JSON.parse(row.mark) as { mx: string; ip: string | null };
        const nextMs = args.result === "pending" ? args.nowMs : null;
        const reason = "interrupted_after_final_dot";
        const category = categoryOfReason(reason);
        setSettled.run(args.result, reason, category, 1, nextMs, args.nowMs, null, args.result, row.seq, row.position);
        touch.run(args.nowMs, row.seq);
        const error = "Postrider stopped before the reply to the final dot arrived";
        record(row.seq, row.position, {
          at_ms: args.nowMs,
          type: "recovered",
          attempt: row.attempts + 1,
          reason,
          category,
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
          newcomers.clear();
        },
      };
    },
  };
}

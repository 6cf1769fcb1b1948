/**
 * The waiting mail: mark, settle, release, and the two ways back into the queue (recovery at start, a person's retry);
 * the claim is claims.ts's. The caller holds the transaction; what must follow a commit is returned as `committed`.
 */
import type { Database } from "better-sqlite3";
import { categoryOfReason } from "../../message/classify.ts";
import { refusalKey } from "../../message/suppression.ts";
import type { Mark, ReleasedJob } from "../port/mail.ts";
import type { SpoolEvent } from "../port/results.ts";
import type { ActivityLog } from "./activity.ts";
import { type ClaimParts, prepareClaim } from "./claims.ts";
import type { StoredSettlement, StoredSettlements } from "./codec.ts";
import { isDamage, isObject, RowDamaged, readTwice, soundJson, unlessDamaged } from "./damage.ts";
import { prepareDeadlines } from "./deadlines.ts";
import { HistoryWriter } from "./history-writer.ts";
import type { Leased, LeasedMessage } from "./leases.ts";
import type { Rebuilding } from "./rebuilding.ts";
import type { RecipientRow, Recovering } from "./recipient-row.ts";
import { prepareRefusals } from "./refusal-history.ts";
import { prepareReleased } from "./released.ts";
import { prepareSoundness } from "./soundness.ts";
import { prepareWaitingLanes } from "./waiting-lanes.ts";
import type { Written } from "./written.ts";

export interface QueueParts extends Omit<ClaimParts, "indexDamaged"> {
  activity: ActivityLog;
  rebuilding: Rebuilding;
}

interface MarkedRow {
  account_id: string;
  attempts: number;
  mark: string;
  /** When its age or the sender's own limit is over. */
  until_ms: number;
}

const isMark = (value: unknown): value is { mx: string; ip: string | null } =>
  isObject(value) && typeof value.mx === "string" && (value.ip === null || typeof value.ip === "string");

/** That the dot was about to leave is known all the same: the state says so. */
const UNREADABLE_MARK = { mx: "(the stored mark is damaged)", ip: null };

/** What became of a write that met damage; `postponed` where an index cannot be rebuilt yet. */
export type Aftermath = "repaired" | "postponed" | "quarantined";

export function prepareQueue(db: Database, { activity, ...parts }: QueueParts) {
  const { scheduler, leases, hotQueue, quarantine, damage, rebuilding } = parts;
  const soundness = prepareSoundness(db);
  const waitingLanes = prepareWaitingLanes(db, parts);
  /** Found by a claim, which runs inside a transaction: an index is rebuilt outside of one. */
  let isIndexDamaged = false;
  const envelope = db.prepare<[string], LeasedMessage>(
    "SELECT seq, account_id AS accountId, created_at_ms AS createdAtMs FROM messages WHERE id = ?",
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
    { domain: string; attempts: number; next_attempt_at_ms: number | null }
  >("SELECT domain, attempts, next_attempt_at_ms FROM recipients WHERE seq = ? AND position = ?");
  const refusals = prepareRefusals(db, damage);
  const touch = db.prepare("UPDATE messages SET updated_at_ms = ? WHERE seq = ?");
  const history = new HistoryWriter(db, damage);
  const marked = db.prepare<[], RecipientRow>(
    "SELECT seq, position FROM recipients INDEXED BY recipients_marked WHERE state = 'marked'",
  );
  const markedRow = db.prepare<[number, number], MarkedRow>(
    `SELECT r.account_id, r.attempts, r.mark, min(m.expires_at_ms, coalesce(m.deadline_ms, m.expires_at_ms)) AS until_ms
       FROM recipients r JOIN messages m USING (seq) WHERE seq = ? AND position = ?`,
  );
  const seqOf = db
    .prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?")
    .pluck();
  const held = db.prepare<
    [string, string],
    { seq: number; position: number; email: string; domain: string; attempts: number }
  >(
    `SELECT seq, position, email, domain, attempts FROM recipients
       WHERE seq = (SELECT seq FROM messages WHERE id = ? AND account_id = ?) AND state IN ('pending', 'unknown')`,
  );
  const liftDeadline = prepareDeadlines(db);
  const setDue = db.prepare(
    `UPDATE recipients SET state = 'pending', next_attempt_at_ms = ?, updated_at_ms = ?
       WHERE seq = ? AND position = ? AND state IN ('pending', 'unknown')`,
  );

  const record = (seq: number, position: number, event: SpoolEvent): void =>
    history.add(seq, position, JSON.stringify(event));

  /** As `record`, of a settlement that is the recipient's attempt of this number. */
  function recordAttempt(seq: number, s: StoredSettlement, { atMs, attempt }: { atMs: number; attempt: number }): void {
    const type = s.outcome === "deferred" && s.result === "failed" ? "expired" : s.outcome;
    const why = `"reason":${JSON.stringify(s.reason)},"category":${JSON.stringify(s.category)}`;
    const began = `{"at_ms":${atMs},"type":"${type}","attempt":${attempt},${why}`;
    const event = `${began},"tries":${s.tries},"next_attempt_at_ms":${s.nextAttemptAtMs}}`;
    history.add(seq, s.position, event);
  }

  /** What a settlement says of the address itself: a delivery proves it, some refusals speak against it. */
  function learn(accountId: string, { email, domain }: Leased, { result, refusal }: StoredSettlement): void {
    if (result !== "delivered" && refusal === null) return;
    const address = refusalKey(email, domain);
    if (refusal === null) refusals.clear(accountId, address);
    else refusals.add(accountId, address, refusal);
  }

  function envelopeOf(messageId: string): LeasedMessage {
    const found = leases.envelopeOf(messageId) ?? envelope.get(messageId);
    if (found === undefined) throw new Error(`no message ${messageId} in the spool`);
    return found;
  }

  const recipientOf = (seq: number, position: number): Leased | undefined =>
    leases.leasedRecipient(seq, position) ?? recipient.get(seq, position);

  /** A newcomer is not leased: what is marked or settled all the same may be one no more. */
  function forgetUnless(areLeased: boolean): void {
    if (!areLeased) hotQueue.clear();
  }

  /** What fell due while it had to wait for the lease is looked for anew, however long it has been due. */
  function endLease({ seq, accountId }: LeasedMessage, positions: number[]): void {
    for (const domain of leases.end(seq, positions)) scheduler.dueAgain(accountId, domain, 0);
  }

  const dueAgain = (accountId: string, domain: string, dueMs: number): void =>
    scheduler.dueAgain(accountId, domain, dueMs);
  const loadLanes = (): void => waitingLanes.load(dueAgain);

  /** Outside of any transaction, after a claim or a settlement: repairs what they found. */
  function mend(): void {
    history.clear();
    quarantine.confirm();
    if (!isIndexDamaged && !rebuilding.isDueAgain) return;
    isIndexDamaged = false;
    if (rebuilding.indexes() || rebuilding.indexesAgain()) loadLanes();
  }

  /** Settles a recipient that the last run left marked. Its row, or its mark, may be damaged. */
  function recoverOne({ seq, position }: RecipientRow, args: Recovering): void {
    const row = markedRow.get(seq, position);
    if (row === undefined) throw new RowDamaged("the index lists a marked recipient that is missing");
    const mark = soundJson(row.mark, isMark) ?? UNREADABLE_MARK;
    // Pending, it would be failed for the time alone.
    const result = args.nowMs < row.until_ms ? args.result : "unknown";
    const nextMs = result === "pending" ? args.nowMs : null;
    const reason = "interrupted_after_final_dot";
    const category = categoryOfReason(reason);
    setSettled.run(result, reason, category, 1, nextMs, args.nowMs, null, result, seq, position);
    touch.run(args.nowMs, seq);
    const error = "Postrider stopped before the reply to the final dot arrived";
    record(seq, position, {
      at_ms: args.nowMs,
      type: "recovered",
      attempt: row.attempts + 1,
      reason,
      category,
      tries: [
        { mx: mark.mx, ip: mark.ip, tls: null, stage: "final_dot", reply: null, error, note: null, policy: null },
      ],
      next_attempt_at_ms: nextMs,
    });
    activity.recovered(row.account_id, { nowMs: args.nowMs, result });
  }

  const readMarked = (): RecipientRow[] => damage.passing("the index of marked recipients", () => marked.all(), []);

  /** Messages with marked recipients that the next start has to look at again. */
  const unrecoverable = new Set<number>();

  /** Throws where the transaction must be done again, without this message. */
  function recoverOrSetAside(place: RecipientRow, args: Recovering): void {
    try {
      recoverOne(place, args);
    } catch (error) {
      // Else it may be an index that cannot be changed.
      if (!isDamage(error) || !rebuilding.hasTriedIndexes) throw error;
      unrecoverable.add(place.seq);
      quarantine.suspect({ seq: place.seq, part: "mark", error });
      damage.avoid();
      throw error;
    }
  }

  /** Takes the message out of quarantine where it can be read again; throws the damage where it cannot. */
  function unquarantine(args: { accountId: string; messageId: string }): number | null {
    const seq = seqOf.get(args.messageId, args.accountId);
    if (seq === undefined || !quarantine.has(seq)) return null;
    soundness.checkRows(seq);
    soundness.content(seq);
    quarantine.remove(seq);
    return seq;
  }

  waitingLanes.open(dueAgain, () => marked.all());
  const indexDamaged = (): void => {
    isIndexDamaged = true;
  };
  return {
    loadLanes,
    mend,
    claim: prepareClaim(db, { ...parts, indexDamaged }),
    releaseQuarantined: prepareReleased(db, { ...parts, recoverOne, marked: readMarked }),

    /** The content as accepted; where it is damaged, the message leaves the queue and the damage is thrown. */
    content(messageId: string): Buffer {
      // Not by its id where that can be helped: the index of ids may be damaged.
      const { seq } = leases.envelopeOf(messageId) ?? {};
      try {
        return readTwice(() => soundness.content(seq ?? envelopeOf(messageId).seq));
      } catch (error) {
        if (seq !== undefined && isDamage(error)) {
          quarantine.suspect({ seq, part: "content", error, ...leases.laneOf(seq) });
        }
        throw error;
      }
    },

    /** A write about a message has met damage: in its own rows, or in an index. The lease ends with the quarantine. */
    afterDamage(messageId: string, positions: number[], error: unknown): Aftermath {
      const { seq } = leases.envelopeOf(messageId) ?? {};
      if (seq === undefined) return "quarantined";
      const lane = leases.laneOf(seq);
      let own = error;
      try {
        soundness.checkRows(seq);
        if (rebuilding.indexes()) {
          loadLanes();
          return "repaired";
        }
        if (rebuilding.isPostponed) return "postponed";
      } catch (found) {
        if (!isDamage(found)) throw found;
        own = found;
      }
      quarantine.suspect({ seq, part: "settlement", error: own, ...lane });
      leases.end(seq, positions);
      return "quarantined";
    },

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
          for (const { domain, dueMs } of dueAgain) scheduler.dueAgain(accountId, domain, dueMs);
          endLease(message, positions);
          forgetUnless(areLeased);
        },
      };
    },

    release({ messageId, positions, destination: name }: ReleasedJob): void {
      const message = envelopeOf(messageId);
      const { seq, accountId } = message;
      const destination = name ?? null;
      for (const position of positions) {
        const r = unlessDamaged(() => released.get(seq, position), undefined, { log: damage, place: "recipients" });
        const domain = r?.domain ?? leases.leasedRecipient(seq, position)?.domain;
        if (domain === undefined) continue;
        const acceptedMs = r?.attempts === 0 ? r.next_attempt_at_ms : null;
        if (acceptedMs !== null) hotQueue.forget({ accountId, domain, acceptedMs });
        scheduler.givenBack({ accountId, domain }, { destination, acceptedMs });
      }
      endLease(message, positions);
    },

    recover(args: Recovering): Written<number> {
      quarantine.at(args.nowMs);
      quarantine.forgetGone();
      const places = readMarked().filter(({ seq }) => !unrecoverable.has(seq));
      for (const place of places) recoverOrSetAside(place, args);
      return { value: places.length, committed: loadLanes };
    },

    retry(args: { accountId: string; messageId: string; email?: string; nowMs: number }): Written<number> {
      const back = unquarantine(args);
      const rows = held
        .all(args.messageId, args.accountId)
        .filter((row) => args.email === undefined || row.email === args.email);
      for (const row of rows) {
        setDue.run(args.nowMs, args.nowMs, row.seq, row.position);
        liftDeadline(row.seq, args.nowMs, (run) => history.run(row.seq, run));
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
          if (back !== null) quarantine.released(back);
          // Someone waits for it, as for new mail.
          for (const row of rows) scheduler.due(args.accountId, row.domain, args.nowMs);
          hotQueue.clear();
        },
      };
    },
  };
}

/**
 * The claim: which waiting messages are leased next. Turns and shares are lanes.ts's, limits are rooms.ts's; here a place
 * becomes a message, by one look into the recipients_waiting index.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { Claim, ClaimRequest, Work } from "../spool.ts";
import { type Account, type Group, type Lane, type Lanes, laneOf } from "./lanes.ts";
import type { Leases } from "./leases.ts";
import type { Newcomers } from "./newcomers.ts";
import { Rooms } from "./rooms.ts";

interface WaitingRow {
  seq: number;
  position: number;
}

interface WorkRow {
  position: number;
  email: string;
  attempts: number;
  category: Category | null;
  smtp: string | null;
}

interface MessageRow {
  id: string;
  account_id: string;
  domain_id: string;
  sender: string;
  created_at_ms: number;
  expires_at_ms: number;
  deadline_ms: number | null;
  size_bytes: number;
}

/** A message that is to be claimed, and the lane it is in. */
interface Pick {
  seq: number;
  lane: Lane;
}

/** Works taken in one turn before the next account has its own. */
const TURN_WORKS = 4;

export interface ClaimParts {
  lanes: Lanes;
  leases: Leases;
  newcomers: Newcomers;
}

export function prepareClaim(db: Database, { lanes, leases, newcomers }: ClaimParts): (request: ClaimRequest) => Claim {
  const waiting = db.prepare<[string, string, number, number], WaitingRow & { dueMs: number }>(
    `SELECT seq, position, next_attempt_at_ms AS dueMs FROM recipients
       WHERE state = 'pending' AND account_id = ? AND domain = ? AND next_attempt_at_ms BETWEEN ? AND ?
       ORDER BY next_attempt_at_ms, seq`,
  );
  const acceptedAt = db.prepare<[string, string, number], WaitingRow>(
    `SELECT seq, position FROM recipients
       WHERE state = 'pending' AND account_id = ? AND domain = ? AND next_attempt_at_ms = ?
       ORDER BY seq DESC`,
  );
  const later = db
    .prepare<[string, string, number], number>(
      `SELECT next_attempt_at_ms FROM recipients
         WHERE state = 'pending' AND account_id = ? AND domain = ? AND next_attempt_at_ms > ?
         ORDER BY next_attempt_at_ms LIMIT 1`,
    )
    .pluck();
  const workRows = db.prepare<[number, string, number], WorkRow>(
    `SELECT position, email, attempts, category, smtp FROM recipients
       WHERE seq = ? AND domain = ? AND state = 'pending' AND next_attempt_at_ms <= ?`,
  );
  const message = db.prepare<[number], MessageRow>(
    `SELECT id, account_id, domain_id, sender, created_at_ms, expires_at_ms, deadline_ms, size_bytes
       FROM messages WHERE seq = ?`,
  );

  const othersVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
  let seenVersion = othersVersion.get();

  /** Another process may have changed what memory holds of the newcomers. */
  function forgetChanged(): void {
    const version = othersVersion.get();
    if (version !== seenVersion) newcomers.clear();
    seenVersion = version;
  }

  /** The message of this lane that has been due for longest; `isLast` when no other is due. Leased ones do not count. */
  function oldest(lane: Lane, nowMs: number): { seq: number | null; isLast: boolean } {
    const { account, domain } = lane;
    let seq: number | null = null;
    for (const row of waiting.iterate(account.id, domain, lane.takenToMs, nowMs)) {
      if (row.seq === seq || leases.covers(row.seq, row.position, domain)) continue;
      if (seq !== null) return { seq, isLast: false };
      seq = row.seq;
      lane.takenToMs = row.dueMs;
    }
    return { seq, isLast: true };
  }

  function takeOldest(lane: Lane, nowMs: number): Pick | null {
    const { seq, isLast } = oldest(lane, nowMs);
    const nextMs = isLast ? (later.get(lane.account.id, lane.domain, nowMs) ?? null) : nowMs;
    lanes.served(lane, nextMs);
    return seq === null ? null : { seq, lane };
  }

  function takeNewest(from: { account: Account; only?: Group }, rooms: Rooms): Pick | null {
    for (;;) {
      const fresh = lanes.newest(from, rooms);
      if (fresh === null) return null;
      const { lane, acceptedMs } = fresh;
      const known = newcomers.newest({ accountId: lane.account.id, domain: lane.domain, acceptedMs });
      const seq = known === "unknown" ? readNewest(lane, acceptedMs) : known;
      if (seq !== "none") return { seq, lane };
      lanes.forget(fresh);
    }
  }

  function readNewest(lane: Lane, acceptedMs: number): number | "none" {
    for (const { seq, position } of acceptedAt.iterate(lane.account.id, lane.domain, acceptedMs)) {
      if (!leases.covers(seq, position, lane.domain)) return seq;
    }
    return "none";
  }

  /** The message whose place it is in this turn; null when the place has come to nothing. */
  function pick(turn: Group, nowMs: number, rooms: Rooms): Pick | null {
    const { account } = turn;
    const share = lanes.nextShare(turn);
    if (share !== "oldest_of_group") {
      const newest = takeNewest(share === "newest" ? { account } : { account, only: turn }, rooms);
      if (newest !== null) return newest;
    }
    const lane = laneOf(turn, rooms);
    return lane === null ? null : takeOldest(lane, nowMs);
  }

  function lease(seq: number, domain: string, nowMs: number): Work {
    const work = newcomers.take(seq, domain) ?? readWork(seq, domain, nowMs);
    leases.take(seq, work);
    return work;
  }

  function readWork(seq: number, domain: string, nowMs: number): Work {
    const m = message.get(seq);
    if (m === undefined) throw new Error(`recipients without their message in the spool (seq ${seq})`);
    const rows = workRows.all(seq, domain, nowMs);
    return {
      messageId: m.id,
      accountId: m.account_id,
      domainId: m.domain_id,
      domain,
      from: m.sender,
      createdAtMs: m.created_at_ms,
      expiresAtMs: m.expires_at_ms,
      ...(m.deadline_ms === null ? {} : { deadlineMs: m.deadline_ms }),
      sizeBytes: m.size_bytes,
      recipients: rows.map((row) => ({ ...row, smtp: row.smtp === null ? null : JSON.parse(row.smtp) })),
    };
  }

  /** The works of one turn, `most` at most. */
  function serve(turn: Group, { nowMs, most, rooms }: { nowMs: number; most: number; rooms: Rooms }): Work[] {
    const works: Work[] = [];
    for (let places = Math.min(TURN_WORKS, most); places > 0 && laneOf(turn, rooms) !== null; places -= 1) {
      const picked = pick(turn, nowMs, rooms);
      if (picked === null) continue;
      rooms.take(picked.lane);
      works.push(lease(picked.seq, picked.lane.domain, nowMs));
    }
    lanes.endTurn(turn);
    return works;
  }

  return (request) => {
    forgetChanged();
    const { nowMs, limit } = request;
    const rooms = new Rooms(request);
    const works: Work[] = [];
    const nextTurns = (): Group[] => lanes.turns(nowMs, limit - works.length, rooms);
    for (let turns = nextTurns(); turns.length > 0; turns = nextTurns()) {
      for (const turn of turns) works.push(...serve(turn, { nowMs, most: limit - works.length, rooms }));
    }
    const isMore = lanes.turns(nowMs, 1, rooms).length > 0;
    return { works, nextDueMs: isMore ? nowMs : lanes.nextDueMs() };
  };
}

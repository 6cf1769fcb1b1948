/**
 * The claim: which waiting messages are leased next. Turns and shares are lanes.ts's, limits are rooms.ts's; here a place
 * becomes a message, by one look into the recipients_waiting index. A message that cannot be read is set aside, and the claim
 * goes on with the others.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { SmtpRecord } from "../../message/outcome.ts";
import type { Claim, ClaimRequest, Work } from "../port/mail.ts";
import { Rooms } from "../scheduler/claim-budget.ts";
import { type Account, type Group, type Lane, type Lanes, laneOf } from "../scheduler/fair-scheduler.ts";
import type { Newcomers } from "../scheduler/hot-queue.ts";
import { type DamageLog, domainOf, isDamage, isReply, RowDamaged, readTwice, soundJson } from "./damage.ts";
import type { Leases } from "./leases.ts";
import type { Quarantine } from "./quarantine.ts";

interface WaitingRow {
  seq: number;
  position: number;
}

export interface WorkRow {
  position: number;
  email: string;
  attempts: number;
  reason: string | null;
  category: Category | null;
  smtp: string | null;
}

export interface MessageRow {
  id: string;
  account_id: string;
  domain_id: string;
  sender: string;
  created_at_ms: number;
  expires_at_ms: number;
  deadline_ms: number | null;
  size_bytes: number;
}

export const MESSAGE_ROW = `
  SELECT id, account_id, domain_id, sender, created_at_ms, expires_at_ms, deadline_ms, size_bytes FROM messages
    WHERE seq = ?`;

/** Damaged messages found in one claim before it ends early. */
const DAMAGED_MAX = 100;

/** How soon a claim that found damage and no work asks for the next one. */
const AFTER_DAMAGE_MS = 1000;

/** How long a lane is left alone whose part of the index cannot be read. */
const UNREADABLE_LANE_MS = 60_000;

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
  quarantine: Quarantine;
  damage: DamageLog;
  /** Called when the recipients_waiting index cannot be read in some place. */
  indexDamaged: () => void;
}

export function prepareClaim(db: Database, parts: ClaimParts): (request: ClaimRequest) => Claim {
  const { lanes, leases, newcomers, quarantine } = parts;
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
    `SELECT position, email, attempts, reason, category, smtp FROM recipients
       WHERE seq = ? AND domain = ? AND state = 'pending' AND next_attempt_at_ms <= ?`,
  );
  const message = db.prepare<[number], MessageRow>(MESSAGE_ROW);

  const othersVersion = db.prepare<[], number>("PRAGMA data_version").pluck();
  let seenVersion = othersVersion.get();

  /** Another process may have changed what memory holds of the newcomers. */
  function forgetChanged(): void {
    const version = othersVersion.get();
    if (version !== seenVersion) newcomers.clear();
    seenVersion = version;
  }

  /** Whether a due recipient is not for this claim. */
  const isTaken = ({ seq, position }: WaitingRow, domain: string): boolean =>
    quarantine.has(seq) || leases.covers(seq, position, domain);

  /** The message of this lane that has been due for longest; `isLast` when no other is due. Taken ones do not count. */
  function oldest(lane: Lane, nowMs: number): { seq: number | null; isLast: boolean } {
    const { account, domain } = lane;
    let seq: number | null = null;
    for (const row of waiting.iterate(account.id, domain, lane.takenToMs, nowMs)) {
      if (row.seq === seq || isTaken(row, domain)) continue;
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
    for (const row of acceptedAt.iterate(lane.account.id, lane.domain, acceptedMs)) {
      if (!isTaken(row, lane.domain)) return row.seq;
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
    const work = newcomers.take(seq, domain) ?? readTwice(() => readWork(seq, domain, nowMs));
    leases.take(seq, work);
    return work;
  }

  function readWork(seq: number, domain: string, nowMs: number): Work {
    const m = message.get(seq);
    if (m === undefined) throw new RowDamaged("the message of these recipients is missing");
    const rows = workRows.all(seq, domain, nowMs);
    checkMessage(m);
    checkRecipients(rows, domain);
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
      recipients: rows.map((row) => ({ ...row, smtp: row.smtp === null ? null : replyOf(row.smtp) })),
    };
  }

  /** As `lease`; null for a message that cannot be read. */
  function leaseSound({ seq, lane }: Pick, nowMs: number): Work | null {
    try {
      return lease(seq, lane.domain, nowMs);
    } catch (error) {
      if (!isDamage(error)) throw error;
      const { account, domain } = lane;
      quarantine.suspect({ seq, part: "message", error, lane: { accountId: account.id, domain } });
      return null;
    }
  }

  /** As `pick`; null as well where the index cannot be read. */
  function pickReadable(turn: Group, nowMs: number, rooms: Rooms): Pick | null {
    try {
      return pick(turn, nowMs, rooms);
    } catch (error) {
      if (!isDamage(error)) throw error;
      parts.damage.note("the index of waiting recipients", error);
      parts.indexDamaged();
      // A group may have other lanes in sound places, but which lane failed is not known.
      for (const lane of [...turn.lanes]) lanes.served(lane, nowMs + UNREADABLE_LANE_MS);
      return null;
    }
  }

  /** Adds the works of one turn, until there are `limit`. */
  function serve(turn: Group, works: Work[], { nowMs, limit, rooms }: Filling): void {
    const places = Math.min(TURN_WORKS, limit - works.length);
    // Others of this round have taken what was left: the account's turn is still to come.
    if (places === 0 || laneOf(turn, rooms) === null) return;
    for (let place = 0; place < places && laneOf(turn, rooms) !== null; place += 1) {
      const picked = pickReadable(turn, nowMs, rooms);
      if (picked === null) continue;
      const work = leaseSound(picked, nowMs);
      if (work === null) continue;
      rooms.take(picked.lane);
      works.push(work);
    }
    lanes.endTurn(turn);
  }

  /** Adds works until nothing is due or admitted; returns when to ask again. */
  function fill(works: Work[], filling: Filling): number | null {
    const { nowMs, limit, rooms } = filling;
    const isEnough = (): boolean => quarantine.suspects > DAMAGED_MAX;
    const nextTurns = (): Group[] => (isEnough() ? [] : lanes.turns(nowMs, limit - works.length, rooms));
    for (let turns = nextTurns(); turns.length > 0; turns = nextTurns()) {
      for (const turn of turns) serve(turn, works, filling);
    }
    if (works.length === 0 && quarantine.suspects > 0) return nowMs + AFTER_DAMAGE_MS;
    const isMore = lanes.turns(nowMs, 1, rooms).length > 0;
    return isMore ? nowMs : lanes.nextDueMs();
  }

  function takeBack({ messageId, accountId, domain, recipients }: Work): void {
    const { seq } = leases.envelopeOf(messageId) ?? {};
    if (seq === undefined) return;
    const positions = recipients.map(({ position }) => position);
    leases.end(seq, positions);
    lanes.givenBack({ accountId, domain }, { destination: null, acceptedMs: null });
  }

  return (request) => {
    forgetChanged();
    const { nowMs, limit } = request;
    const works: Work[] = [];
    quarantine.at(nowMs);
    try {
      return { works, nextDueMs: fill(works, { nowMs, limit, rooms: new Rooms(request) }) };
    } catch (error) {
      // The caller never learns of these works: nobody else would end their leases.
      for (const work of works) takeBack(work);
      throw error;
    }
  };
}

interface Filling {
  nowMs: number;
  limit: number;
  rooms: Rooms;
}

/** Throws where what an attempt needs of the message is not as acceptance stores it. */
export function checkMessage(m: MessageRow): void {
  const ids = [m.id, m.account_id, m.domain_id];
  if (!ids.every((id) => typeof id === "string")) throw new RowDamaged("an id of the message is not text");
  const numbers = [m.created_at_ms, m.expires_at_ms, m.deadline_ms ?? 0, m.size_bytes];
  if (!numbers.every(Number.isInteger)) throw new RowDamaged("a time or size of the message is not a number");
  if (domainOf(m.sender) === null) throw new RowDamaged("the sender is not an email address");
}

/** The same for its recipients at a domain. */
export function checkRecipients(rows: WorkRow[], domain: string): void {
  if (rows.length === 0) throw new RowDamaged("the index lists recipients that are not waiting");
  for (const { email, attempts, position } of rows) {
    if (domainOf(email) !== domain) throw new RowDamaged(`recipient ${position} is not an address at its domain`);
    if (!Number.isInteger(attempts)) throw new RowDamaged(`recipient ${position} has no number of attempts`);
  }
}

function replyOf(stored: string): SmtpRecord {
  const reply = soundJson(stored, isReply);
  if (reply === null) throw new RowDamaged("a recipient's last reply cannot be decoded");
  return reply;
}

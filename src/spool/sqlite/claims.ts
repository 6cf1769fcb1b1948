/**
 * The claim: which waiting messages are leased next. Turns and shares are lanes.ts's, limits are rooms.ts's; here a place
 * becomes a message, by one look into the recipients_waiting index. A message that cannot be read is set aside, and the claim
 * goes on with the others.
 */
import type { Database } from "better-sqlite3";
import type { Category } from "../../message/category.ts";
import type { SmtpRecord } from "../../message/outcome.ts";
import type { Claim, ClaimRequest, DeliveryJob } from "../port/mail.ts";
import { ClaimBudget } from "../scheduler/claim-budget.ts";
import { type Account, type FairScheduler, type Group, type Lane, laneOf } from "../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../scheduler/hot-queue.ts";
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
  scheduler: FairScheduler;
  leases: Leases;
  hotQueue: HotQueue;
  quarantine: Quarantine;
  damage: DamageLog;
  /** Called when the recipients_waiting index cannot be read in some place. */
  indexDamaged: () => void;
}

export function prepareClaim(db: Database, parts: ClaimParts): (request: ClaimRequest) => Claim {
  const { scheduler, leases, hotQueue, quarantine } = parts;
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
    if (version !== seenVersion) hotQueue.clear();
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
    scheduler.served(lane, nextMs);
    return seq === null ? null : { seq, lane };
  }

  function takeNewest(from: { account: Account; only?: Group }, budget: ClaimBudget): Pick | null {
    for (;;) {
      const fresh = scheduler.newest(from, budget);
      if (fresh === null) return null;
      const { lane, acceptedMs } = fresh;
      const known = hotQueue.newest({ accountId: lane.account.id, domain: lane.domain, acceptedMs });
      const seq = known === "unknown" ? readNewest(lane, acceptedMs) : known;
      if (seq !== "none") return { seq, lane };
      scheduler.forget(fresh);
    }
  }

  function readNewest(lane: Lane, acceptedMs: number): number | "none" {
    for (const row of acceptedAt.iterate(lane.account.id, lane.domain, acceptedMs)) {
      if (!isTaken(row, lane.domain)) return row.seq;
    }
    return "none";
  }

  /** The message whose place it is in this turn; null when the place has come to nothing. */
  function pick(turn: Group, nowMs: number, budget: ClaimBudget): Pick | null {
    const { account } = turn;
    const share = scheduler.nextShare(turn);
    if (share !== "oldest_of_group") {
      const newest = takeNewest(share === "newest" ? { account } : { account, only: turn }, budget);
      if (newest !== null) return newest;
    }
    const lane = laneOf(turn, budget);
    return lane === null ? null : takeOldest(lane, nowMs);
  }

  function lease(seq: number, domain: string, nowMs: number): DeliveryJob {
    const job = hotQueue.take(seq, domain) ?? readTwice(() => readWork(seq, domain, nowMs));
    leases.take(seq, job);
    return job;
  }

  function readWork(seq: number, domain: string, nowMs: number): DeliveryJob {
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
  function leaseSound({ seq, lane }: Pick, nowMs: number): DeliveryJob | null {
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
  function pickReadable(turn: Group, nowMs: number, budget: ClaimBudget): Pick | null {
    try {
      return pick(turn, nowMs, budget);
    } catch (error) {
      if (!isDamage(error)) throw error;
      parts.damage.note("the index of waiting recipients", error);
      parts.indexDamaged();
      // A group may have other lanes in sound places, but which lane failed is not known.
      for (const lane of [...turn.scheduler]) scheduler.served(lane, nowMs + UNREADABLE_LANE_MS);
      return null;
    }
  }

  /** Adds the works of one turn, until there are `limit`. */
  function serve(turn: Group, jobs: DeliveryJob[], { nowMs, limit, budget }: Filling): void {
    const places = Math.min(TURN_WORKS, limit - jobs.length);
    // Others of this round have taken what was left: the account's turn is still to come.
    if (places === 0 || laneOf(turn, budget) === null) return;
    for (let place = 0; place < places && laneOf(turn, budget) !== null; place += 1) {
      const picked = pickReadable(turn, nowMs, budget);
      if (picked === null) continue;
      const job = leaseSound(picked, nowMs);
      if (job === null) continue;
      budget.take(picked.lane);
      jobs.push(job);
    }
    scheduler.endTurn(turn);
  }

  /** Adds works until nothing is due or admitted; returns when to ask again. */
  function fill(jobs: DeliveryJob[], filling: Filling): number | null {
    const { nowMs, limit, budget } = filling;
    const isEnough = (): boolean => quarantine.suspects > DAMAGED_MAX;
    const nextTurns = (): Group[] => (isEnough() ? [] : scheduler.turns(nowMs, limit - jobs.length, budget));
    for (let turns = nextTurns(); turns.length > 0; turns = nextTurns()) {
      for (const turn of turns) serve(turn, jobs, filling);
    }
    if (jobs.length === 0 && quarantine.suspects > 0) return nowMs + AFTER_DAMAGE_MS;
    const isMore = scheduler.turns(nowMs, 1, budget).length > 0;
    return isMore ? nowMs : scheduler.nextDueMs();
  }

  function takeBack({ messageId, accountId, domain, recipients }: DeliveryJob): void {
    const { seq } = leases.envelopeOf(messageId) ?? {};
    if (seq === undefined) return;
    const positions = recipients.map(({ position }) => position);
    leases.end(seq, positions);
    scheduler.givenBack({ accountId, domain }, { destination: null, acceptedMs: null });
  }

  return (request) => {
    forgetChanged();
    const { nowMs, limit } = request;
    const jobs: DeliveryJob[] = [];
    quarantine.at(nowMs);
    try {
      return { jobs, nextDueMs: fill(jobs, { nowMs, limit, budget: new ClaimBudget(request) }) };
    } catch (error) {
      // The caller never learns of these works: nobody else would end their leases.
      for (const job of jobs) takeBack(job);
      throw error;
    }
  };
}

interface Filling {
  nowMs: number;
  limit: number;
  budget: ClaimBudget;
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

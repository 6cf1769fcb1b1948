/**
 * The end of a quarantine without an operator, for messages that were found whole again. What waited is due as before; a
 * recipient whose attempt ended in its mark is settled as a start would do it. So is one whose message an operator has
 * released: the command line is another process, which does not know what is in an attempt. The caller holds the transaction.
 */
import type { Database } from "better-sqlite3";
import type { FairScheduler } from "../scheduler/fair-scheduler.ts";
import type { HotQueue } from "../scheduler/hot-queue.ts";
import { type DamageLog, isDamage } from "./damage.ts";
import type { Leases } from "./leases.ts";
import type { Quarantine } from "./quarantine.ts";
import type { RecipientRow, Recovering } from "./recipient-row.ts";
import type { Written } from "./written.ts";

/** A message that is found damaged soon after its release is the operator's: else it would go in and out for ever. */
const AGAIN_AFTER_MS = 86_400_000;

interface OpenRow extends RecipientRow {
  domain: string;
  state: "pending" | "marked";
}

export interface ReleaseParts {
  scheduler: FairScheduler;
  leases: Leases;
  hotQueue: HotQueue;
  quarantine: Quarantine;
  damage: DamageLog;
  recoverOne: (place: RecipientRow, args: Recovering) => void;
  /** Every marked recipient. */
  marked: () => RecipientRow[];
}

export interface Release {
  /** Ids of the messages that are out of quarantine. */
  released: string[];
  /** Whether recipients may be due now. */
  isChanged: boolean;
}

export interface Releasing extends Recovering {
  seqs: number[];
}

interface Released {
  seq: number;
  messageId: string;
  accountId: string;
  open: OpenRow[];
}

export function prepareReleased(db: Database, parts: ReleaseParts): (args: Releasing) => Written<Release> {
  const { scheduler, leases, hotQueue, quarantine, damage } = parts;
  const names = db.prepare<[number], { messageId: string; accountId: string }>(
    "SELECT id AS messageId, account_id AS accountId FROM messages WHERE seq = ?",
  );
  const openRows = db.prepare<[number], OpenRow>(
    "SELECT seq, position, domain, state FROM recipients WHERE seq = ? AND state IN ('pending', 'marked')",
  );
  /** By the wall clock. */
  const releasedAtMs = new Map<number, number>();
  /** Messages that cannot be changed, until the transaction is committed without them. */
  const stuck = new Set<number>();

  const isHeld = (seq: number): boolean => quarantine.has(seq) && !releasedAtMs.has(seq) && !stuck.has(seq);

  /** Messages out of quarantine with a marked recipient in no attempt. */
  function leftMarked(): number[] {
    const places = parts.marked().filter(({ seq, position }) => !leases.holds(seq, [position]));
    const seqs = new Set(places.map(({ seq }) => seq));
    return [...seqs].filter((seq) => !quarantine.has(seq) && !stuck.has(seq));
  }

  function forgetOld(nowMs: number): void {
    for (const [seq, atMs] of releasedAtMs) {
      if (Math.abs(nowMs - atMs) >= AGAIN_AFTER_MS) releasedAtMs.delete(seq);
    }
  }

  function release(seq: number, args: Recovering): Released[] {
    const named = names.get(seq);
    if (named === undefined) return [];
    const open = openRows.all(seq);
    for (const { position, state } of open) {
      if (state === "marked" && !leases.holds(seq, [position])) parts.recoverOne({ seq, position }, args);
    }
    quarantine.remove(seq);
    return [{ seq, ...named, open }];
  }

  /** As `release`. Throws where it meets damage: the transaction must be done again, without what is damaged. */
  function releaseOrPass(seq: number, args: Recovering): Released[] {
    const { avoided } = damage;
    try {
      return release(seq, args);
    } catch (error) {
      if (isDamage(error) && damage.avoided === avoided) {
        stuck.add(seq);
        damage.avoid();
      }
      throw error;
    }
  }

  return ({ seqs, ...args }) => {
    forgetOld(args.nowMs);
    const left = leftMarked().flatMap((seq) => releaseOrPass(seq, args));
    const released = seqs.filter(isHeld).flatMap((seq) => releaseOrPass(seq, args));
    const committed = (): void => {
      stuck.clear();
      for (const { seq } of released) {
        releasedAtMs.set(seq, args.nowMs);
        quarantine.released(seq);
      }
      for (const { accountId, open } of [...left, ...released]) {
        for (const { domain } of open) scheduler.dueAgain(accountId, domain, 0);
      }
      hotQueue.clear();
    };
    const ids = released.map(({ messageId }) => messageId);
    return { value: { released: ids, isChanged: left.length + released.length > 0 }, committed };
  };
}

/**
 * Releases quarantined messages that were found readable again, without an operator. Their pending recipients are due as
 * before; a recipient whose attempt ended at its mark is settled as at a start. The same is done for messages that an
 * operator has released: the command line is another process and does not know the leases. The caller holds the transaction.
 */

import type { Database } from "better-sqlite3";
import { DAY_MS } from "../../../../lib/units.ts";
import type { RecipientKey } from "../../session.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { isDamage } from "../files/damage.ts";
import type { RecoverArgs, Recovery } from "../mail/recovery.ts";

/** A message found damaged again within this time is left to the operator. Otherwise it would go in and out for ever. */
const AGAIN_AFTER_MS = DAY_MS;

interface OpenRow extends RecipientKey {
  domain: string;
  isMarked: number;
}

export interface ReleaseArgs extends RecoverArgs {
  /** The messages to release. */
  seqs: number[];
}

export interface ReleaseResult {
  /** The ids of the messages released from quarantine. */
  released: string[];
  /** Whether recipients may be due now. */
  isChanged: boolean;
}

interface ReleasedMessage {
  seq: number;
  messageId: string;
  accountId: string;
  open: OpenRow[];
}

type ReleaseParts = Pick<WriterParts, "scheduler" | "hotQueue" | "leases" | "quarantine" | "damage"> & {
  recovery: Recovery;
};

export class QuarantineRelease {
  readonly #parts: ReleaseParts;
  readonly #message;
  readonly #open;
  /** When each message was released last, by the wall clock. */
  readonly #releasedAtMs = new Map<number, number>();
  /** Messages that cannot be changed. They are left out until the transaction has committed. */
  readonly #failed = new Set<number>();

  constructor(db: Database, parts: ReleaseParts) {
    this.#parts = parts;
    this.#message = db.prepare<[number], { messageId: string; accountId: string }>(
      "SELECT id AS messageId, account_id AS accountId FROM messages WHERE seq = ?",
    );
    this.#open = db.prepare<[number], OpenRow>(
      "SELECT seq, position, domain, mark IS NOT NULL AS isMarked FROM work WHERE seq = ?",
    );
  }

  release({ seqs, ...args }: ReleaseArgs): Written<ReleaseResult> {
    this.#forgetOld(args.nowMs);
    const settled = this.#leftMarked().flatMap((seq) => this.#releaseOne(seq, args));
    const released = seqs.filter((seq) => this.#mayRelease(seq)).flatMap((seq) => this.#releaseOne(seq, args));
    const committed = (): void => {
      this.#failed.clear();
      for (const { seq } of released) {
        this.#releasedAtMs.set(seq, args.nowMs);
        this.#parts.quarantine.released(seq);
      }
      this.#schedule([...settled, ...released]);
    };
    const ids = released.map(({ messageId }) => messageId);
    return { value: { released: ids, isChanged: settled.length + released.length > 0 }, committed };
  }

  #mayRelease(seq: number): boolean {
    return this.#parts.quarantine.has(seq) && !this.#releasedAtMs.has(seq) && !this.#failed.has(seq);
  }

  /** Returns messages outside quarantine with a marked recipient that is not leased. */
  #leftMarked(): number[] {
    const { recovery, leases, quarantine } = this.#parts;
    const marked = recovery.marked().filter((key) => !leases.isLeased(key));
    const seqs = new Set(marked.map(({ seq }) => seq));
    return [...seqs].filter((seq) => !quarantine.has(seq) && !this.#failed.has(seq));
  }

  #forgetOld(nowMs: number): void {
    for (const [seq, atMs] of this.#releasedAtMs) {
      if (Math.abs(nowMs - atMs) >= AGAIN_AFTER_MS) this.#releasedAtMs.delete(seq);
    }
  }

  /** Throws if it meets damage: the transaction must be repeated, and leaves the message out then. */
  #releaseOne(seq: number, args: RecoverArgs): ReleasedMessage[] {
    const { damage } = this.#parts;
    const { avoided } = damage;
    try {
      return this.#change(seq, args);
    } catch (error) {
      if (isDamage(error) && damage.avoided === avoided) {
        this.#failed.add(seq);
        damage.avoid();
      }
      throw error;
    }
  }

  #change(seq: number, args: RecoverArgs): ReleasedMessage[] {
    const { recovery, leases, quarantine } = this.#parts;
    const message = this.#message.get(seq);
    if (message === undefined) return [];
    const open = this.#open.all(seq);
    for (const { position, isMarked } of open) {
      const key = { seq, position };
      if (isMarked === 1 && !leases.isLeased(key)) recovery.recoverOne(key, args);
    }
    quarantine.remove(seq);
    return [{ seq, ...message, open }];
  }

  #schedule(messages: ReleasedMessage[]): void {
    const { scheduler, hotQueue } = this.#parts;
    for (const { accountId, open } of messages) {
      for (const { domain } of open) scheduler.schedule(accountId, domain, 0);
    }
    hotQueue.clear();
  }
}

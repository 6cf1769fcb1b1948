/**
 * The queue of pending recipients, as the writer uses it: claims, attempts, recovery and retries over one shared state, and
 * the handling of damage that they meet. Each operation has its own file.
 */

import type { Database } from "better-sqlite3";
import type { Lease, Mark, MarkResult, RecipientsRef, ReleasedJob } from "../../../port/mail.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import type { WriterParts } from "../connection/writer-parts.ts";
import { isDamage, readTwice } from "../files/damage.ts";
import { type FirstPart, Soundness } from "../files/soundness.ts";
import { QuarantineRelease, type ReleaseArgs, type ReleaseResult } from "../quarantine/quarantine-release.ts";
import { Attempts } from "./attempts.ts";
import { Claims, type ExpiredClaimRequest, type OwnedClaim, type OwnedClaimRequest } from "./claims.ts";
import { DomainQueueLoader } from "./domain-queue-loader.ts";
import type { StoredSettlements } from "./mail-codec.ts";
import { type RecoverArgs, Recovery } from "./recovery.ts";

/** What became of a write that met damage; `postponed` if an index cannot be rebuilt yet. */
export type Aftermath = "repaired" | "postponed" | "quarantined";

export interface LeasedRecipients extends RecipientsRef {
  lease: Lease;
}

export class Queue {
  readonly #parts: WriterParts;
  readonly #soundness: Soundness;
  readonly #loader: DomainQueueLoader;
  readonly #attempts: Attempts;
  readonly #recovery: Recovery;
  readonly #claims: Claims;
  readonly #quarantineRelease: QuarantineRelease;
  /** Set by a claim, which runs inside a transaction: an index is rebuilt outside of one. */
  #isIndexDamaged = false;

  constructor(db: Database, parts: WriterParts) {
    this.#parts = parts;
    this.#soundness = new Soundness(db);
    const shared = { ...parts, soundness: this.#soundness };
    this.#loader = new DomainQueueLoader(db, parts);
    this.#attempts = new Attempts(db, shared);
    this.#recovery = new Recovery(db, shared);
    const indexDamaged = (): void => {
      this.#isIndexDamaged = true;
    };
    this.#claims = new Claims(db, { ...parts, indexDamaged });
    this.#quarantineRelease = new QuarantineRelease(db, { ...parts, recovery: this.#recovery });
    this.#loader.open(() => this.#recovery.checkIndex());
  }

  /** Reads again when each domain queue falls due. */
  loadQueues(): void {
    this.#loader.load();
  }

  claim(request: OwnedClaimRequest): OwnedClaim {
    return this.#claims.claim(request);
  }

  claimExpired(request: ExpiredClaimRequest): OwnedClaim {
    return this.#claims.claimExpired(request);
  }

  mark(mark: Mark): Written<MarkResult> {
    return this.#attempts.mark(mark);
  }

  settle(settlements: StoredSettlements): Written<"settled" | "lease_lost"> {
    return this.#attempts.settle(settlements);
  }

  release(job: ReleasedJob): void {
    this.#attempts.release(job);
  }

  recover(args: RecoverArgs): Written<number> {
    const committed = (): void => {
      this.#parts.leases.endExpired();
      this.#parts.hotQueue.clear();
      this.loadQueues();
    };
    return { value: this.#recovery.recover(args), committed };
  }

  /** Lets the leases of a claimant expire; `recover` ends them. Returns the last epoch that has expired. */
  expireLeases(owner: string): number {
    return this.#parts.leases.expire(owner);
  }

  releaseQuarantined(args: ReleaseArgs): Written<ReleaseResult> {
    return this.#quarantineRelease.release(args);
  }

  /** Returns the first part of the content. If it is damaged, a leased message is quarantined and the damage is thrown. */
  content(messageId: string): FirstPart {
    return this.#readContent(messageId, (seq) => this.#soundness.firstPart(seq));
  }

  /** As `content`, for a later part. */
  contentPart({ messageId, part }: { messageId: string; part: number }): Buffer {
    return this.#readContent(messageId, (seq) => this.#soundness.part(seq, part));
  }

  #readContent<T>(messageId: string, read: (seq: number) => T): T {
    const { leases, quarantine } = this.#parts;
    // By its row if possible: the index of ids may be damaged.
    const { seq } = leases.messageOf(messageId) ?? {};
    try {
      return readTwice(() => read(seq ?? this.#attempts.messageOf(messageId).seq));
    } catch (error) {
      if (seq !== undefined && isDamage(error)) {
        quarantine.suspect({ seq, part: "content", error, queue: leases.queueOf(seq) });
      }
      throw error;
    }
  }

  /**
   * Handles the damage that a write about a message met, in the message's rows or in an index. A message whose rows are
   * damaged is quarantined, and the lease of the recipients ends.
   */
  afterDamage({ messageId, positions, lease }: LeasedRecipients, error: unknown): Aftermath {
    const { leases, quarantine, rebuilding } = this.#parts;
    const { seq } = leases.messageOf(messageId) ?? {};
    if (seq === undefined) return "quarantined";
    const queue = leases.queueOf(seq);
    let ownError = error;
    try {
      this.#soundness.checkRows(seq);
      if (rebuilding.indexes()) {
        this.loadQueues();
        return "repaired";
      }
      if (rebuilding.isPostponed) return "postponed";
    } catch (found) {
      if (!isDamage(found)) throw found;
      ownError = found;
    }
    quarantine.suspect({ seq, part: "settlement", error: ownError, queue });
    leases.end(lease, seq, positions);
    return "quarantined";
  }

  /** After each batch, outside of any transaction: commits quarantines and rebuilds damaged indexes. */
  mend(): void {
    const { quarantine, rebuilding } = this.#parts;
    quarantine.confirm();
    if (!this.#isIndexDamaged && !rebuilding.isDueAgain) return;
    this.#isIndexDamaged = false;
    if (rebuilding.indexes() || rebuilding.indexesAgain()) this.loadQueues();
  }
}

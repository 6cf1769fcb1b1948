/**
 * One claimant of an open spool: leases due recipients, and marks, settles and releases what it has leased. The facade is
 * one, and may have others beside it on the same writer. leases.ts, in the writer, decides which leases hold.
 */

import { newId } from "../../../../lib/new-id.ts";
import type {
  Claim,
  Claimant,
  ClaimRequest,
  DeliveryJob,
  ExpiredRequest,
  Lease,
  Mark,
  MarkResult,
  ReleasedJob,
  Settlement,
} from "../../../port/mail.ts";
import type { WriterClient } from "../connection/writer-client.ts";
import { claimOf, sentMark, sentSettlements } from "./mail-codec.ts";

export interface ClaimantEvents {
  /** Results of a message were stored. */
  settled: (messageId: string) => void;
  /** Recipients may have become due. */
  due: () => void;
}

export class SqliteClaimant implements Claimant {
  readonly #owner = newId("claimant");
  readonly #writer: WriterClient;
  readonly #events: ClaimantEvents;
  /** The last epoch whose leases have expired. */
  #expiredThrough = 0;

  constructor(writer: WriterClient, events: ClaimantEvents) {
    this.#writer = writer;
    this.#events = events;
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    const owner = this.#owner;
    return claimOf(await this.#writer.request("claim", { ...request, owner }), owner);
  }

  async claimExpired(request: ExpiredRequest): Promise<DeliveryJob[]> {
    const owner = this.#owner;
    return claimOf(await this.#writer.request("claimExpired", { ...request, owner }), owner).jobs;
  }

  mark(mark: Mark): Promise<MarkResult> {
    return this.#writer.request("mark", sentMark(mark));
  }

  leaseIsCurrent({ owner, epoch }: Lease): boolean {
    return owner === this.#owner && epoch > this.#expiredThrough;
  }

  async settle(
    messageId: string,
    atMs: number,
    settlements: Settlement[],
    lease: Lease,
  ): Promise<"settled" | "lease_lost"> {
    const stored = await this.#writer.request("settle", sentSettlements(messageId, atMs, settlements, lease));
    if (stored === "settled") this.#events.settled(messageId);
    this.#events.due();
    return stored;
  }

  async release(job: ReleasedJob): Promise<void> {
    await this.#writer.request("release", job);
    this.#events.due();
  }

  async recover(nowMs: number, result: "unknown" | "pending"): Promise<number> {
    const recovered = await this.#writer.request("recover", { nowMs, result });
    this.#events.due();
    return recovered;
  }

  /** Lets all leases that it has expire, as those of a claimant that has ended. A later claim begins new ones. */
  async expireLeases(): Promise<void> {
    this.#expiredThrough = await this.#writer.request("expireLeases", this.#owner);
  }
}

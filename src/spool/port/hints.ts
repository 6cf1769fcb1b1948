/**
 * Hints between acceptance and delivery, which otherwise meet in the spool alone. They save time and carry no state: every
 * message is accepted and delivered just the same if a hint is never given, comes late, or is wrong.
 */
import type { NewMessage } from "./mail.ts";

/** From acceptance to delivery: a hint only. Delivery signs a message when it sends it, whether or not it was prepared. */
export interface SignAhead {
  /**
   * Call when a message is about to be stored: an idle signing thread may sign it meanwhile. Returns at once and never throws. A
   * message that is not stored in the end costs one unused signature.
   */
  prepare(message: Pick<NewMessage, "id" | "domainId" | "content">): void;
}

/** From acceptance to delivery: a hint only. Delivery works without it, as if no send were waiting. */
export interface AcceptLoad {
  /** Sends that wait to be stored at this moment. */
  readonly waiting: number;
}

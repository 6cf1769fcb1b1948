/**
 * Hints between acceptance and delivery beside the spool. They change when work is done, never what is stored: either side works
 * the same if a hint is never given, comes late, or is wrong. A message reaches delivery only through the spool.
 */
import type { NewMessage } from "./mail.ts";

/**
 * From acceptance to delivery, a hint only: lets delivery sign a message while it is being stored, so that the signature is ready
 * when the message is claimed. A message reaches delivery only through the spool.
 */
export interface SignAhead {
  /** Call before the commit, which may still fail: that costs one unused signature. Returns at once and never throws. */
  prepare(message: NewMessage): void;
}

/**
 * From acceptance to delivery, a hint only: lets delivery begin fewer attempts while many clients wait for their 202. Delivery works
 * without it as if no send were waiting.
 */
export interface AcceptLoad {
  /** Sends that wait for their commit now. */
  readonly waiting: number;
}

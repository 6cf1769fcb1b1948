/**
 * Hints that acceptance and delivery give each other beside the spool. They change when work is done, never what is stored:
 * either side works without them, and a message reaches delivery through the spool alone.
 */
import type { NewMessage } from "./mail.ts";

/** Lets delivery sign a message while it is being stored, so that the signature is ready when the message is claimed. */
export interface SignAhead {
  /** Called before the commit, which may still fail. Must not throw. */
  prepare(message: NewMessage): void;
}

/** Lets delivery begin fewer attempts while many clients wait for their 202. */
export interface AcceptLoad {
  /** Sends that wait for their commit now. */
  readonly waiting: number;
}

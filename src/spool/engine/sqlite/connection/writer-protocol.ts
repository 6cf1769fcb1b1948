/**
 * The messages between the facade and the writer.
 */
import { errorText } from "../../../../lib/error-text.ts";
import { MessageDamaged } from "../../../port/errors.ts";
import type { Damage } from "../../../port/store.ts";
import type { FirstPart } from "../files/soundness.ts";
import { isUnavailable } from "./database.ts";
import { addLarge } from "./transferred-bytes.ts";
import type { Request } from "./writer-operations.ts";

export type Reply = { ok: true; value: unknown } | Failure;

export interface Failure {
  ok: false;
  unavailable: boolean;
  /** Set if a stored part of the message concerned cannot be read. */
  damaged?: true;
  error: string;
}

/** The replies to a batch as they cross the port: the values in the order of the requests, and failures by index. */
export interface Replies {
  values: unknown[];
  failures: Map<number, Failure>;
}

export interface WriterReplies {
  type: "replies";
  replies: Replies;
  /** How long each COMMIT of the batch took. */
  syncsMs?: number[];
  damage?: Damage[];
  /** The accounts with new events. */
  events?: string[];
}

export type FromWriter =
  | { type: "ready" }
  | { type: "refused"; error: string }
  | WriterReplies
  /** Another process has committed: recipients may be due. */
  | { type: "due" };

export type ToWriter = { type: "batch"; requests: Request[] } | { type: "close" };

export const failed = (error: unknown): Failure =>
  error instanceof MessageDamaged
    ? damaged(error)
    : { ok: false, unavailable: isUnavailable(error), error: errorText(error) };

/** The reply about a message whose stored parts cannot be read. */
export const damaged = (error: unknown): Failure => ({
  ok: false,
  unavailable: false,
  damaged: true,
  error: errorText(error),
});

/** A batch's replies, ready to be posted. */
export function sentReplies(replies: Reply[]): Replies {
  const sent: Replies = { values: [], failures: new Map() };
  for (const [i, reply] of replies.entries()) {
    sent.values.push(reply.ok ? reply.value : undefined);
    if (!reply.ok) sent.failures.set(i, reply);
  }
  return sent;
}

/** Returns the ArrayBuffers of large contents in the replies, to be transferred with them. */
export function transferOf({ values }: Replies): ArrayBuffer[] {
  const transfer: ArrayBuffer[] = [];
  for (const value of values) {
    if (value instanceof Uint8Array) addLarge(transfer, value);
    else if (typeof value === "object" && value !== null && "first" in value)
      addLarge(transfer, (value as FirstPart).first);
  }
  return transfer;
}

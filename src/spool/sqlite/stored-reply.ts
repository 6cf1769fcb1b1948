/**
 * A peer's reply as it was stored, for those who show many of them.
 */
import type { SmtpRecord } from "../../message/outcome.ts";
import { isReply, soundJson } from "./damage.ts";

/** Characters of a peer's words in a list, where many messages are shown. */
export const LISTED_LENGTH_MAX = 500;

/** A stored reply, its words cut to `lengthMax` characters, the last then "…". Null also for one that cannot be decoded. */
export function storedReply(json: string | null, lengthMax: number): SmtpRecord | null {
  if (json === null) return null;
  const reply = soundJson(json, isReply);
  if (reply === null) return null;
  if (reply.message.length <= lengthMax) return reply;
  // The last code unit may be the first half of a character.
  return { ...reply, message: `${reply.message.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…` };
}

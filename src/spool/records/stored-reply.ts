/**
 * Decodes a stored SMTP reply, shortened for lists of many messages.
 */
import type { SmtpRecord } from "../../message/result/outcome.ts";
import { isReply, soundJson } from "./stored-json.ts";

/** The most characters of a reply's text in a list of messages. */
export const LISTED_LENGTH_MAX = 500;

/** Returns a stored reply with its text cut to `lengthMax` characters, ending in "…". Null if it cannot be decoded. */
export function storedReply(json: string | null, lengthMax: number): SmtpRecord | null {
  const reply = json === null ? null : soundJson(json, isReply);
  return reply === null ? null : shortenedReply(reply, lengthMax);
}

/** As `storedReply`, of a decoded reply. */
export function shortenedReply(reply: SmtpRecord, lengthMax: number): SmtpRecord {
  if (reply.message.length <= lengthMax) return reply;
  // The last code unit may be the first half of a character.
  return { ...reply, message: `${reply.message.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, "")}…` };
}

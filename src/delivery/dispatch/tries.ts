/**
 * How much of an attempt's tries is stored: a number for each recipient, and a total length for all recipients. Peers and zones
 * decide how many tries there are and how long their texts are; they must not be able to fill the spool. The first and the last
 * tries are kept; the decisive reply is stored in full beside them.
 */
import type { HostAttempt } from "../../message/result/outcome.ts";

const TRIES_MAX = 20;
const TRIES_FIRST = 10;

/** Of an error and of a note, in characters: longer ones repeat a peer's text. */
const TEXT_LENGTH_MAX = 500;

/** Of the replies of one attempt, in characters, and of one recipient's share. */
const LENGTH_MAX = 256 * 1024;
const LENGTH_PER_RECIPIENT_MAX = 16 * 1024;
/** This much of a reply is stored even where the limit is reached. */
const REPLY_LENGTH_MIN = 200;

/** A recipient's tries. */
export interface BoundedTries {
  tries: HostAttempt[];
  /** How many are omitted after the first ones. */
  omittedTries: number;
}

/** Adds a try of one of an attempt's `recipients`. Replies are truncated at once, because an attempt may last an hour. */
export function addTry(target: BoundedTries, attempted: HostAttempt, recipients: number): void {
  target.tries.push(isTooLong(attempted) ? withShortTexts(attempted) : attempted);
  if (target.tries.length > TRIES_MAX) {
    target.tries.splice(TRIES_FIRST, 1);
    target.omittedTries += 1;
  }
  target.tries = bounded(target.tries, recipients);
}

/** The tries as they are stored: a note on the first one after the omitted ones gives their number. */
export function storedTries({ tries, omittedTries }: BoundedTries): HostAttempt[] {
  if (omittedTries === 0) return tries;
  return tries.with(TRIES_FIRST, afterOmitted(tries[TRIES_FIRST] as HostAttempt, omittedTries));
}

function bounded(tries: HostAttempt[], recipients: number): HostAttempt[] {
  const lengthMax = Math.min(LENGTH_PER_RECIPIENT_MAX, Math.floor(LENGTH_MAX / recipients));
  return lengthOf(tries) <= lengthMax ? tries : shortened(tries, lengthMax);
}

function isTooLong({ error, note }: HostAttempt): boolean {
  return (error?.length ?? 0) > TEXT_LENGTH_MAX || (note?.length ?? 0) > TEXT_LENGTH_MAX;
}

function withShortTexts(attempted: HostAttempt): HostAttempt {
  const few = (words: string | null): string | null => (words === null ? null : truncate(words, TEXT_LENGTH_MAX));
  return { ...attempted, error: few(attempted.error), note: few(attempted.note) };
}

function afterOmitted(attempted: HostAttempt, leftOut: number): HostAttempt {
  const gap = `${leftOut} tries before this one are left out`;
  return { ...attempted, note: attempted.note === null ? gap : `${gap}; ${attempted.note}` };
}

function lengthOf(tries: readonly HostAttempt[]): number {
  return tries.reduce((sum, { reply }) => sum + (reply?.message.length ?? 0), 0);
}

/** The tries with the newest replies in full as far as they fit. */
function shortened(tries: readonly HostAttempt[], lengthMax: number): HostAttempt[] {
  let left = lengthMax;
  return tries.toReversed().map(shorten).toReversed();

  function shorten(attempted: HostAttempt): HostAttempt {
    const { reply } = attempted;
    if (reply === null) return attempted;
    left -= reply.message.length;
    if (left >= 0) return attempted;
    return { ...attempted, reply: { ...reply, message: truncate(reply.message, REPLY_LENGTH_MIN) } };
  }
}

function truncate(text: string, lengthMax: number): string {
  // Half a surrogate pair is not a character.
  if (text.length <= lengthMax) return text;
  const begin = text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/u, "");
  // A slice keeps the whole text in memory; a copy does not.
  return Buffer.from(`${begin}…`).toString();
}

/**
 * How much of an attempt's tries is stored: a number for each recipient, and a length for all recipients together. Peers
 * and zones decide how many tries there are and what they say; the spool must not grow by it. The first tries and the last
 * ones are kept; the decisive reply is stored whole beside them.
 */
import type { HostAttempt } from "../../message/outcome.ts";

const TRIES_MAX = 20;
const TRIES_FIRST = 10;

/** Of an error and of a note: longer ones repeat what a peer said. */
const WORDS_MAX = 500;

/** Of the texts of one attempt's tries, in characters, and of one recipient's part. */
const LENGTH_MAX = 256 * 1024;
const LENGTH_PER_RECIPIENT_MAX = 16 * 1024;
/** However little is left, so much of a reply is stored. */
const REPLY_LENGTH_MIN = 200;

/** A recipient's tries. */
export interface KeptTries {
  tries: HostAttempt[];
  /** How many are left out behind the first ones. */
  triesLeftOut: number;
}

/** Enters a try of one of `recipients` that an attempt has. Replies are cut at once: an attempt may last for an hour. */
export function keepTry(kept: KeptTries, attempted: HostAttempt, recipients: number): void {
  kept.tries.push(isWordy(attempted) ? inFewWords(attempted) : attempted);
  if (kept.tries.length > TRIES_MAX) {
    kept.tries.splice(TRIES_FIRST, 1);
    kept.triesLeftOut += 1;
  }
  kept.tries = bounded(kept.tries, recipients);
}

/** The tries as they are stored: the first one behind those that were left out says so. */
export function storedTries({ tries, triesLeftOut }: KeptTries): HostAttempt[] {
  if (triesLeftOut === 0) return tries;
  return tries.with(TRIES_FIRST, afterGap(tries[TRIES_FIRST] as HostAttempt, triesLeftOut));
}

function bounded(tries: HostAttempt[], recipients: number): HostAttempt[] {
  const lengthMax = Math.min(LENGTH_PER_RECIPIENT_MAX, Math.floor(LENGTH_MAX / recipients));
  return lengthOf(tries) <= lengthMax ? tries : shortened(tries, lengthMax);
}

function isWordy({ error, note }: HostAttempt): boolean {
  return (error?.length ?? 0) > WORDS_MAX || (note?.length ?? 0) > WORDS_MAX;
}

function inFewWords(attempted: HostAttempt): HostAttempt {
  const few = (words: string | null): string | null => (words === null ? null : cut(words, WORDS_MAX));
  return { ...attempted, error: few(attempted.error), note: few(attempted.note) };
}

function afterGap(attempted: HostAttempt, leftOut: number): HostAttempt {
  const gap = `${leftOut} tries before this one are left out`;
  return { ...attempted, note: attempted.note === null ? gap : `${gap}; ${attempted.note}` };
}

function lengthOf(tries: readonly HostAttempt[]): number {
  return tries.reduce((sum, { reply }) => sum + (reply?.message.length ?? 0), 0);
}

/** The newest replies whole as far as they fit. */
function shortened(tries: readonly HostAttempt[], lengthMax: number): HostAttempt[] {
  let left = lengthMax;
  return tries.toReversed().map(shorten).toReversed();

  function shorten(attempted: HostAttempt): HostAttempt {
    const { reply } = attempted;
    if (reply === null) return attempted;
    left -= reply.message.length;
    if (left >= 0) return attempted;
    return { ...attempted, reply: { ...reply, message: cut(reply.message, REPLY_LENGTH_MIN) } };
  }
}

function cut(text: string, lengthMax: number): string {
  // Half of a surrogate pair is no character.
  if (text.length <= lengthMax) return text;
  const begin = text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/u, "");
  // A slice keeps the whole text in memory; a copy does not.
  return Buffer.from(`${begin}…`).toString();
}

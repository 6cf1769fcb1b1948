/** How long a receiver wants no mail after a reply: as long as the reply says, an operator, or its profile. */
import type { ReceiverProfile } from "./profiles.ts";

/** A receiver that asks for more is probed after this time all the same: one with a profile, and any other. */
const PAUSE_MAX_S = { known: 6 * 3600, other: 3600 };

/** Such as "try again in 15 minutes", "retry after 300 seconds" and "please wait 2 hours". */
const TOLD =
  /\b(?:again|retry|wait|back)\b[^\d.]{0,24}(\d{1,6}) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/iu;

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

export interface PauseSources {
  profiles: readonly ReceiverProfile[];
  /** What an operator has set; null for nothing. */
  setSeconds: number | null;
}

export interface PauseAfter {
  seconds: number;
  /** After the first such reply, not only once several have closed the destination. */
  atOnce: boolean;
}

/** Returns null where none of them says anything. `text` is of a refusal for rate or reputation, of a bounded length. */
export function pauseAfter(text: string, { profiles, setSeconds }: PauseSources): PauseAfter | null {
  const isKnown = profiles.length > 0;
  const told = toldSeconds(text, isKnown ? PAUSE_MAX_S.known : PAUSE_MAX_S.other) ?? setSeconds;
  // Elsewhere one of several recipient domains may write the reply, and must not stop the mail of the others.
  if (told !== null) return { seconds: told, atOnce: isKnown || setSeconds !== null };
  const lower = text.toLowerCase();
  const pauses = profiles.flatMap(({ pauses: each = [] }) => each);
  const meant = pauses.filter(({ after }) => after.some((part) => lower.includes(part)));
  const [longest] = meant.sort((a, b) => b.seconds - a.seconds);
  return longest === undefined ? null : { seconds: longest.seconds, atOnce: longest.onceClosed !== true };
}

function toldSeconds(text: string, mostSeconds: number): number | null {
  const [, count, unit = ""] = TOLD.exec(text) ?? [];
  if (count === undefined) return null;
  const seconds = Number(count) * (SECONDS[unit.charAt(0).toLowerCase()] ?? 1);
  return seconds > 0 ? Math.min(seconds, mostSeconds) : null;
}

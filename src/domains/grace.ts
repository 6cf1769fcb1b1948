/**
 * What to say of a domain that may still send although a check of it fails: domains/standing.ts gives a day to mend it.
 */
import { rfc3339 } from "../lib/clock.ts";
import { CHECK_NAMES, type Domain, type DomainCheck } from "../spool/port/domains.ts";
import { GRACE_MS } from "./standing.ts";

/** When a failing check stops counting as verified unless it is fixed; null when it does not fail. */
export function graceEndMs({ standing, failedSinceMs }: DomainCheck): number | null {
  return standing && failedSinceMs !== null ? failedSinceMs + GRACE_MS : null;
}

/** A sentence for each check of a verified domain that is in its grace at `nowMs`. */
export function graceSentences({ verified, checks }: Pick<Domain, "verified" | "checks">, nowMs: number): string[] {
  if (!verified) return [];
  return CHECK_NAMES.flatMap((name) => {
    const endMs = graceEndMs(checks[name]);
    if (endMs === null) return [];
    // Past its end it still stands where nobody could look since.
    const end = endMs > nowMs ? `at ${rfc3339(endMs)}` : "at the next look";
    return [
      `${name} first failed at ${rfc3339(endMs - GRACE_MS)}, and stops counting as verified ${end} unless it is fixed.`,
    ];
  });
}

/** Describes the grace period of a verified domain whose check fails; verification-state.ts grants it. */
import { rfc3339 } from "../lib/clock.ts";
import { CHECK_NAMES, type Domain, type DomainCheck } from "../spool/port/domains.ts";
import { GRACE_PERIOD_MS } from "./verification-state.ts";

/** When a failing check stops counting as verified unless it is fixed; null when it is not failing. */
export function gracePeriodEndMs({ standing, failedSinceMs }: DomainCheck): number | null {
  return standing && failedSinceMs !== null ? failedSinceMs + GRACE_PERIOD_MS : null;
}

/** One sentence for each check of a verified domain that is in its grace period at `nowMs`. */
export function describeGracePeriods(
  { verified, checks }: Pick<Domain, "verified" | "checks">,
  nowMs: number,
): string[] {
  if (!verified) return [];
  return CHECK_NAMES.flatMap((name) => {
    const endMs = gracePeriodEndMs(checks[name]);
    if (endMs === null) return [];
    // A check past its end still counts until it runs again.
    const end = endMs > nowMs ? `at ${rfc3339(endMs)}` : "at the next check";
    return [
      `${name} first failed at ${rfc3339(endMs - GRACE_PERIOD_MS)}, and stops counting as verified ${end} unless it is fixed.`,
    ];
  });
}

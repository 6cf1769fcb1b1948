/** How the commands of domains show a return path. */
import { gracePeriodEndMs } from "../domains/grace-period.ts";
import { rfc3339 } from "../lib/clock.ts";
import { RETURN_PATH_CHECK_NAMES } from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import { stateWord } from "./check-text.ts";

/** What `domains verify` says about the return path, in a line; none if it is off. */
export function returnPathLines(path: ReturnPath | null): string[] {
  if (path === null) return [];
  const { domain, active } = path;
  if (!active) {
    return [`The return path of ${domain} is not active: the envelope sender of messages is their From address.`];
  }
  return [`The return path of ${domain} is ${[ACTIVE, ...failingChecks(path)].join(": ")}.`];
}

const ACTIVE = "active";

/** The cell of `domains list`. */
export function returnPathText(path: ReturnPath | null): string {
  if (path === null) return "off";
  if (path.active) return [ACTIVE, ...failingChecks(path)].join(": ");
  const states = RETURN_PATH_CHECK_NAMES.map((name) => `${name} ${stateWord(path.checks[name])}`);
  return `not active: ${states.join(", ")}`;
}

/** The checks in their grace period, as one text; none if no check fails. */
function failingChecks({ checks }: ReturnPath): string[] {
  const failing = RETURN_PATH_CHECK_NAMES.flatMap((name) => {
    const endMs = gracePeriodEndMs(checks[name]);
    return endMs === null ? [] : [`${name} failed (counts until ${rfc3339(endMs)})`];
  });
  return failing.length === 0 ? [] : [failing.join(", ")];
}

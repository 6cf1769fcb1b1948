/** How the commands of domains show a return path. */
import { gracePeriodEndMs } from "../domains/grace-period.ts";
import { rfc3339 } from "../lib/clock.ts";
import { RETURN_PATH_CHECK_NAMES } from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import { checkJson, stateWord } from "./check-text.ts";

/** The return path in the JSON of `domains verify`; null if it is off. */
export function returnPathJson(path: ReturnPath | null) {
  if (path === null) return null;
  const checks = RETURN_PATH_CHECK_NAMES.map((name) => [name, checkJson(path.checks[name])]);
  return { active: path.active, checks: Object.fromEntries(checks) };
}

/** As returnPathJson, for `domains list`: the states of the checks alone. */
export function returnPathStates(path: ReturnPath | null) {
  if (path === null) return null;
  const states = RETURN_PATH_CHECK_NAMES.map((name) => [name, path.checks[name].state]);
  return { active: path.active, checks: Object.fromEntries(states) };
}

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

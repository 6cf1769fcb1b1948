/** The problems of a thing that a request names and that its account does not have, or that cannot be changed in this way. */
import { Problem } from "../response/problems.ts";

/** Returns the thing. Throws the 404 problem if there is none. `what`: such as `domain`. */
export function found<T>(thing: T | null | undefined, what: string): T {
  if (thing === null || thing === undefined) throw notFound(what);
  return thing;
}

const notFound = (what: string): Problem => new Problem("not_found", `The account has no such ${what}.`);

/** `setting`: the setting that has the limit. */
export function limitReached(what: string, max: number, setting: string): Problem {
  const detail = `The account has reached its limit of ${max} ${what} (${setting}). Remove one first.`;
  return new Problem("limit_reached", detail);
}

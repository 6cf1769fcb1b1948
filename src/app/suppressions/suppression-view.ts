/** A suppressed address as the command line and the management interface show it. */
import { rfc3339 } from "../../lib/clock.ts";
import type { SuppressedAddress } from "../../spool/port/suppressions.ts";

export const suppressionView = ({ email, cause, sinceMs, untilMs, refusals }: SuppressedAddress) => ({
  email,
  cause,
  since: rfc3339(sinceMs),
  until: untilMs === null ? null : rfc3339(untilMs),
  refusals: refusals.map(({ at_ms, ...refusal }) => ({ at: rfc3339(at_ms), ...refusal })),
});

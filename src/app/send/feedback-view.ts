/** The JSON forms of what comes back after a handover, in the lookup and in events. */
import { rfc3339 } from "../../lib/clock.ts";
import type { Bounce, Complaint } from "../../spool/port/results.ts";

export function bounceView({ atMs, status, category, permanent, diagnostic }: Bounce) {
  return { at: rfc3339(atMs), status, category, permanent, diagnostic };
}

export function complaintView({ atMs, kind }: Complaint) {
  return { at: rfc3339(atMs), type: kind };
}

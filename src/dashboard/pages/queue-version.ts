/**
 * The version of the queue page, by which the browser decides whether to reload it.
 */
import type { WaitingMail } from "../../spool/port/reports.ts";

/** Changes whenever the page does, except for its relative times. */
export function queueVersion({ domains, unknown }: WaitingMail): string {
  const entries = domains.map((d) =>
    [d.domain, d.waiting, d.due, d.reason, d.category, d.smtp?.message, d.pausedAtMs].join(":"),
  );
  return `${unknown} ${entries.join(" ")}`;
}

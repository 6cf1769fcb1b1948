/**
 * When the queue's page has something new to show.
 */
import type { WaitingMail } from "../../spool/port/reports.ts";

/** Changes with what the queue's page shows, the times apart. */
export function queueVersion({ domains, unknown }: WaitingMail): string {
  const lines = domains.map((d) =>
    [d.domain, d.waiting, d.due, d.reason, d.category, d.smtp?.message, d.pausedAtMs].join(":"),
  );
  return `${unknown} ${lines.join(" ")}`;
}

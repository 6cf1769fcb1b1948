/** Why recipients of a message are still pending, as far as the spool and the service say it. */
import { type QueueDestination, type QueueWait, readQueue } from "../app/reports/queue-report.ts";
import { waitText } from "../app/reports/queue-view.ts";
import { storedTraffic } from "../app/reports/traffic-board.ts";
import { rfc3339, systemClock } from "../lib/clock.ts";
import { endOfTime, SCHEDULED } from "../message/result/reasons.ts";
import type { MessageReport, RecipientReport } from "../spool/port/results.ts";
import type { CommandContext } from "./command.ts";

const DOMAINS_MAX = 1000;
const CAUSES_MAX = 3;

/** Sentences, one for each cause. */
export async function whyPending(
  { installation, store, account }: Pick<CommandContext, "installation" | "store" | "account">,
  { recipients, quarantined }: MessageReport,
): Promise<string> {
  const { location } = installation.spool;
  if (!(await installation.spool.isServed())) return `No service runs on ${location.setting}=${location.value}.`;
  if (quarantined !== undefined) return "The message is in quarantine, because its stored data cannot be read.";
  const nowMs = systemClock.now();
  const queue = await readQueue(
    { reports: store.reports, spool: store, traffic: () => storedTraffic(store, nowMs) },
    { accountId: account.id, nowMs, limit: DOMAINS_MAX },
  );
  const destinations = new Map(queue.domains.map((destination) => [destination.domain, destination]));
  const pending = recipients.filter(({ result }) => result === "pending");
  const causes = [...new Set(pending.map((recipient) => causeOf(recipient, destinations.get(recipient.domain))))];
  const others = causes.length - CAUSES_MAX;
  return [...causes.slice(0, CAUSES_MAX), ...(others > 0 ? [`${others} more causes.`] : [])].join(" ");
}

/** What holds up all recipients of a domain, whatever became of the last attempt. */
const OF_THE_DOMAIN: readonly QueueWait["type"][] = ["delivery_paused", "domain_paused", "closed"];

function causeOf(recipient: RecipientReport, destination: QueueDestination | undefined): string {
  const { domain, email, reason, nextAttemptAtMs: nextMs } = recipient;
  if (reason === SCHEDULED && nextMs !== null) return `${email}: scheduled for ${rfc3339(nextMs)}.`;
  const ofDomain = destination === undefined ? "" : waitText(destination);
  if (destination !== undefined && OF_THE_DOMAIN.includes(destination.wait.type)) return `${domain}: ${ofDomain}`;
  const reply = replyOf(recipient);
  if (reply !== "") return `${email}: ${reply}${nextStep(recipient)}.`;
  return `${domain}: ${ofDomain === "" ? "the first attempt is due." : ofDomain}`;
}

function nextStep({ nextAttemptAtMs, failsAtMs, reason }: RecipientReport): string {
  if (failsAtMs !== undefined) return `; it ${endOfTime(reason)} at ${rfc3339(failsAtMs)}, the end of its expires_in`;
  return nextAttemptAtMs === null ? "; it is in an attempt" : `; the next attempt is due ${rfc3339(nextAttemptAtMs)}`;
}

/** The last reply, else the reason; "" before the first attempt. */
export function replyOf({ smtp, reason }: RecipientReport): string {
  if (smtp === null) return reason ?? "";
  return [smtp.code, smtp.enhanced_code ?? "", smtp.message.replaceAll("\n", " / ")].filter(Boolean).join(" ");
}

/**
 * A message's history as text: for each recipient its result and the reason, then each attempt with its hosts, TLS and replies.
 * The facts come from the spool, the sentences for reasons and categories from message/result/explanation.ts.
 */

import { rfc3339 } from "../lib/clock.ts";
import { sanitizeLine } from "../lib/terminal-text.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../lib/units.ts";
import { adviceFor, explain, explainBounce, SUPPRESSION_NAMES } from "../message/result/explanation.ts";
import type { HostAttempt, SmtpRecord, SmtpReply } from "../message/result/outcome.ts";
import { endOfTime, HELD, SCHEDULED, STAGE_LABELS } from "../message/result/reasons.ts";
import type { Refusal } from "../message/result/suppression.ts";
import type { BounceReport } from "../spool/port/incoming.ts";
import type { AttemptEvent, DecisionEvent, MessageReport, RecipientReport, SpoolEvent } from "../spool/port/results.ts";

const UNITS: readonly [string, number][] = [
  ["d", DAY_MS],
  ["h", HOUR_MS],
  ["min", MINUTE_MS],
  ["s", 1000],
];

/** A duration in its two largest units, rounded down: `2 d 3 h`, `4 min`, `0 s`. Seconds only below ten minutes. */
export function durationText(spanMs: number): string {
  const first = UNITS.findIndex(([, unitMs]) => spanMs >= unitMs);
  if (first === -1) return "0 s";
  let leftMs = spanMs;
  const parts = UNITS.slice(first, first + 2).flatMap(([name, unitMs]) => {
    const count = Math.floor(leftMs / unitMs);
    leftMs -= count * unitMs;
    return count === 0 || (name === "s" && spanMs >= 600_000) ? [] : [`${count} ${name}`];
  });
  return parts.join(" ");
}

/**
 * The whole history as of `nowMs`. The line feed is its only control character. `closed` says by recipient domain why pending
 * recipients wait for a closed destination.
 */
export function messageHistory(report: MessageReport, nowMs: number, closed: ClosedTexts = new Map()): string {
  const head = [
    sanitizeLine(report.id),
    `  From:       ${sanitizeLine(report.from)}`,
    `  Subject:    ${sanitizeLine(report.subject)}`,
    `  Message-ID: ${sanitizeLine(report.messageId)}`,
    `  Accepted:   ${rfc3339(report.createdAtMs)}, ${durationText(nowMs - report.createdAtMs)} ago`,
  ];
  if (report.test) head.push("  Test:       sent with a test key, so nothing of it leaves this server");
  if (report.quarantined !== undefined) {
    const { foundAtMs, error } = report.quarantined;
    head.push(
      `  Quarantined: ${rfc3339(foundAtMs)}, ${sanitizeLine(error)}. Not delivered until it is repaired and "queue retry" releases it. "queue discard" ends it.`,
    );
  }
  const section = (recipient: RecipientReport): string[] => [
    "",
    ...recipientLines(recipient, report, { nowMs, closed }),
  ];
  return [...head, ...report.recipients.flatMap(section)].join("\n");
}

type ClosedTexts = ReadonlyMap<string, string>;

interface Circumstances {
  nowMs: number;
  closed: ClosedTexts;
}

function recipientLines(recipient: RecipientReport, report: MessageReport, at: Circumstances): string[] {
  const { email, result, reason, category, smtp, events, eventsOmitted = 0 } = recipient;
  const codes = [reason, category].filter((code) => code !== null).map((code) => sanitizeLine(code));
  const advice = adviceFor(result, category, reason);
  return [
    `${sanitizeLine(email)}: ${result}${codes.length === 0 ? "" : ` (${codes.join(", ")})`}`,
    ...(reason === null ? [] : [`  ${sanitizeLine(explain(reason, category))}`]),
    ...(advice === null ? [] : [`  ${advice}`]),
    ...(smtp === null ? [] : [lastReply(smtp)]),
    ...feedbackLines(recipient),
    ...nextSteps(recipient, report, at).map((line) => `  ${line}`),
    "",
    ...(eventsOmitted === 0
      ? []
      : [`  ${eventsOmitted} earlier events left out: the history is too large to show whole.`]),
    ...events.flatMap((event) => eventLines(event)),
  ];
}

/** The first line of the last reply; its further lines are with the try that it came from. */
function lastReply(smtp: SmtpRecord): string {
  const [line = "", ...others] = replyLines(`  Last reply, from ${hostText(smtp)}: `, smtp);
  return others.length === 0 ? line : `${line} …`;
}

/** What has come back since the handover. */
function feedbackLines({ bounce, complaint, unsubscribedAtMs }: RecipientReport): string[] {
  return [
    ...(bounce === undefined ? [] : [`  Bounced ${rfc3339(bounce.atMs)}: ${bounceText(bounce)}`]),
    ...(complaint === undefined
      ? []
      : [`  Marked as spam ${rfc3339(complaint.atMs)} (${sanitizeLine(complaint.kind)})`]),
    ...(unsubscribedAtMs === undefined ? [] : [`  Unsubscribed ${rfc3339(unsubscribedAtMs)}`]),
  ];
}

/** On one line. */
function bounceText({ status, diagnostic, permanent, category }: BounceReport): string {
  const cause = [status ?? "", diagnostic.replace(/\s+/g, " ")].map(sanitizeLine).join(" ").trim();
  return `${cause} (${permanent ? "permanent" : "temporary"}, ${sanitizeLine(category)})`;
}

/** What happens next, if anything. */
function nextSteps(recipient: RecipientReport, report: MessageReport, { nowMs, closed }: Circumstances): string[] {
  const { id, expiresAtMs, quarantined } = report;
  if (recipient.result === "unknown") {
    return [
      `Unknown: "queue resolve ${sanitizeLine(id)} ${sanitizeLine(recipient.email)} --as delivered|failed" marks it as delivered or not delivered;`,
      `"queue retry ${sanitizeLine(id)} ${sanitizeLine(recipient.email)}" sends it again, at the risk of a duplicate.`,
    ];
  }
  if (recipient.result === "failed" && recipient.reason !== "suppressed") {
    return [`"queue retry ${sanitizeLine(id)} ${sanitizeLine(recipient.email)} --failed" sends it again.`];
  }
  if (recipient.result !== "pending") return [];
  if (quarantined !== undefined) return ["In quarantine: no attempt is made until the message is released."];
  const { nextAttemptAtMs: nextMs, failsAtMs } = recipient;
  if (recipient.reason === SCHEDULED && nextMs !== null && nextMs > nowMs)
    return [`Sent at ${rfc3339(nextMs)}, in ${durationText(nextMs - nowMs)}.`];
  if (recipient.reason === HELD && failsAtMs === undefined) return [HELD_NEXT];
  const end = endOfTime(recipient.reason);
  if (failsAtMs !== undefined) {
    return [`No further attempt fits before ${rfc3339(failsAtMs)}, the end of its expires_in: it ${end} then.`];
  }
  if (nextMs === null)
    return [
      "Waiting for the server's final reply. If Postrider was stopped, the result is known after the next start.",
    ];
  const left = expiresAtMs - nowMs;
  const limit =
    left > 0
      ? `${end === "fails" ? "Failed permanently" : "Unknown"} unless delivered by ${rfc3339(expiresAtMs)}, in ${durationText(left)}.`
      : `It expired at ${rfc3339(expiresAtMs)}: the next attempt is the last.`;
  const lines = [nextAttemptLine(recipient.attempts + 1, nextMs, nowMs), limit];
  const closedText = closed.get(recipient.domain);
  return closedText === undefined ? lines : [sanitizeLine(closedText), ...lines];
}

const HELD_NEXT = "It waits for as long as its key is held: keys list shows why, keys release ID sends it.";

function nextAttemptLine(attempt: number, nextMs: number, nowMs: number): string {
  if (nextMs > nowMs)
    return `Waiting until ${rfc3339(nextMs)}, in ${durationText(nextMs - nowMs)}, for attempt ${attempt}.`;
  return `Due since ${rfc3339(nextMs)}, ${durationText(nowMs - nextMs)} ago: attempt ${attempt} is running or queued.`;
}

function eventLines(event: SpoolEvent): string[] {
  const at = `  ${rfc3339(event.at_ms)}  `;
  switch (event.type) {
    case "accepted":
      return [`${at}accepted`];
    case "scheduled": {
      const whose = event.by === undefined ? "scheduled" : `time changed by ${sanitizeLine(event.by)}: scheduled`;
      return [`${at}${whose} for ${rfc3339(event.send_at_ms)}`];
    }
    case "suppressed":
      return [`${at}suppressed: no attempt`, ...suppressionLines(event)];
    case "bounced":
      return [`${at}bounced: ${bounceText(event)}`, ...bounceLines(event)];
    case "complained":
      return [`${at}marked as spam (${sanitizeLine(event.kind)})`];
    case "complaint_unverified":
      return [`${at}complaint, unverified: nothing was changed (${sanitizeLine(event.kind)})`];
    case "unsubscribed":
      return [`${at}unsubscribed`];
    case "confirmed":
      return [`${at}reported as delivered`];
    case "retried":
      return [`${at}sent again${event.by === undefined ? "" : ` by ${sanitizeLine(event.by)}`}`];
    case "resolved":
      return [`${at}marked as ${event.result} by ${sanitizeLine(event.by)}`];
    case "cancelled":
      return [`${at}cancelled by ${sanitizeLine(event.by)}${event.result === "unknown" ? ": unknown again" : ""}`];
    case "discarded":
      return [`${at}discarded by ${sanitizeLine(event.by)}`, ...damageLines(event)];
    case "recovered":
      return [`${at}attempt ${event.attempt}: recovered at start, result unknown`, ...attemptLines(event)];
    default:
      return [`${at}attempt ${event.attempt}: ${event.type}`, ...attemptLines(event)];
  }
}

function damageLines({ damage }: DecisionEvent): string[] {
  if (damage === undefined) return [];
  return [`      Damage found at ${rfc3339(damage.found_at_ms)} (${damage.part}): ${sanitizeLine(damage.error)}`];
}

function bounceLines({ category, rule }: Extract<SpoolEvent, { type: "bounced" }>): string[] {
  const cause = explainBounce(category);
  return [
    ...(cause === null ? [] : [`      ${cause}`]),
    ...(rule === undefined ? [] : [`      Rule: ${sanitizeLine(rule)}`]),
  ];
}

function attemptLines(event: AttemptEvent): string[] {
  const { reason, category, tries, next_attempt_at_ms: nextMs } = event;
  return [
    ...(reason === null ? [] : [`      ${sanitizeLine(explain(reason, category))}`]),
    ...tries.flatMap(tryLines),
    ...(nextMs === null ? [] : [`      Next attempt ${rfc3339(nextMs)}, ${durationText(nextMs - event.at_ms)} later.`]),
  ];
}

function suppressionLines(event: Extract<SpoolEvent, { type: "suppressed" }>): string[] {
  const { cause = "refusals", since_ms: sinceMs, until_ms: untilMs, refusals } = event;
  const period = suppressedPeriod({ sinceMs, untilMs });
  const lines = refusals.flatMap((refusal) => refusalLines(refusal, "      "));
  return [
    `      The address is suppressed ${period} (${SUPPRESSION_NAMES[cause]})${lines.length === 0 ? "." : ", after these refusals:"}`,
    ...lines,
    '      "suppressions remove EMAIL" allows the address again; then send again.',
  ];
}

/** The time in which an address is suppressed. */
export function suppressedPeriod({ sinceMs, untilMs }: { sinceMs: number; untilMs: number | null }): string {
  return `since ${rfc3339(sinceMs)}, until ${untilMs === null ? "it is removed" : rfc3339(untilMs)}`;
}

/** One earlier refusal: its time, host and reply. */
export function refusalLines(refusal: Refusal, indent: string): string[] {
  return replyLines(`${indent}${rfc3339(refusal.at_ms)}  ${hostText(refusal)}: `, refusal);
}

function tryLines(tried: HostAttempt): string[] {
  const { stage, reply, error, note } = tried;
  const lead = `        ${STAGE_LABELS[stage] ?? sanitizeLine(stage)}: `;
  return [
    `      ${[hostText(tried), ...tlsWords(tried)].join(", ")}`,
    ...(reply === null ? [lead + sanitizeLine(error ?? "no reply")] : replyLines(lead, reply)),
    ...(note === null ? [] : [`        note: ${sanitizeLine(note)}`]),
  ];
}

/** Stages before TLS is negotiated. */
const BEFORE_TLS: ReadonlySet<string> = new Set(["dns", "connect", "greeting", "ehlo"]);

function tlsWords({ tls, stage, policy }: HostAttempt): string[] {
  // A recovered mark and records of older versions have no policy; then whether TLS was used is unknown too.
  const policyWords = policy == null || policy === "none" ? [] : [`TLS policy ${sanitizeLine(policy)}`];
  if (tls !== null) {
    const trust = tls.verified ? "certificate verified" : "certificate not verified";
    return [`${sanitizeLine(tls.protocol)} (${sanitizeLine(tls.cipher)}), ${trust}`, ...policyWords];
  }
  return policy == null || BEFORE_TLS.has(stage) ? policyWords : ["no TLS", ...policyWords];
}

function hostText({ mx, ip, source }: { mx: string; ip: string | null; source?: string }): string {
  const host = ip === null ? sanitizeLine(mx) : `${sanitizeLine(mx)} [${sanitizeLine(ip)}]`;
  return source === undefined ? host : `${host} from ${sanitizeLine(source)}`;
}

/** The reply after `before`; its further lines are indented below the first line's text. */
function replyLines(before: string, { code, enhanced_code: enhanced, message }: SmtpReply): string[] {
  const lead = before + [String(code), ...(enhanced === null ? [] : [sanitizeLine(enhanced)])].join(" ");
  const [first = "", ...others] = message.split("\n").map(sanitizeLine);
  return [`${lead} ${first}`, ...others.map((line) => " ".repeat(lead.length + 1) + line)].map((line) =>
    line.trimEnd(),
  );
}

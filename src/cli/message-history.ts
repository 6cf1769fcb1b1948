/**
 * A message's story for a person, from stored facts alone: for each recipient where it stands and why, then what was
 * tried when, at which host, with which TLS, and what was said. Facts come from the spool, sentences for reasons and
 * categories from message/explanation.ts.
 */
import { rfc3339 } from "../lib/clock.ts";
import { inLine } from "../lib/terminal-text.ts";
import { adviceFor, explain } from "../message/explanation.ts";
import type { SmtpRecord, SmtpReply, Try } from "../message/outcome.ts";
import { STAGE_WORDS } from "../message/reasons.ts";
import type { Refusal } from "../message/suppression.ts";
import type { MessageReport, RecipientReport, SpoolEvent } from "../spool/port/results.ts";

const UNITS: readonly [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

/** A length of time in its two largest units, rounded down: `2 d 3 h`, `4 min`, `0 s`. Seconds only below ten minutes. */
export function spanText(spanMs: number): string {
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

/** The whole story, for the moment `nowMs`. Holds no character that a terminal would obey but the line feed. */
export function storyOf(report: MessageReport, nowMs: number): string {
  const head = [
    inLine(report.id),
    `  From:       ${inLine(report.from)}`,
    `  Subject:    ${inLine(report.subject)}`,
    `  Message-ID: ${inLine(report.messageId)}`,
    `  Accepted:   ${rfc3339(report.createdAtMs)}, ${spanText(nowMs - report.createdAtMs)} ago`,
  ];
  if (report.quarantined !== undefined) {
    const { foundAtMs, error } = report.quarantined;
    head.push(
      `  Quarantined: ${rfc3339(foundAtMs)}, ${inLine(error)}. Not delivered until it is repaired and "queue retry" releases it.`,
    );
  }
  const tell = (recipient: RecipientReport): string[] => ["", ...recipientLines(recipient, report, nowMs)];
  return [...head, ...report.recipients.flatMap(tell)].join("\n");
}

function recipientLines(recipient: RecipientReport, report: MessageReport, nowMs: number): string[] {
  const { email, result, reason, category, smtp, events, eventsOmitted = 0 } = recipient;
  const codes = [reason, category].filter((code) => code !== null).map((code) => inLine(code));
  const advice = adviceFor(result, category);
  return [
    `${inLine(email)}: ${result}${codes.length === 0 ? "" : ` (${codes.join(", ")})`}`,
    ...(reason === null ? [] : [`  ${inLine(explain(reason, category))}`]),
    ...(advice === null ? [] : [`  ${advice}`]),
    ...(smtp === null ? [] : [lastReply(smtp)]),
    ...prospect(recipient, report, nowMs).map((line) => `  ${line}`),
    "",
    ...(eventsOmitted === 0
      ? []
      : [`  ${eventsOmitted} earlier events left out: the history is too large to show whole.`]),
    ...events.flatMap((event) => eventLines(event)),
  ];
}

/** In one line: its further ones stand in the try that it came from. */
function lastReply(smtp: SmtpRecord): string {
  const [line = "", ...others] = replyLines(`  Last reply, from ${hostText(smtp)}: `, smtp);
  return others.length === 0 ? line : `${line} …`;
}

/** What comes next, if anything does. */
function prospect(recipient: RecipientReport, report: MessageReport, nowMs: number): string[] {
  const { id, expiresAtMs, quarantined } = report;
  if (recipient.result === "unknown") {
    return [`Held: "queue retry ${inLine(id)} ${inLine(recipient.email)}" sends it again, at the risk of a duplicate.`];
  }
  if (recipient.result === "failed" && recipient.reason !== "suppressed") {
    return [`"queue retry ${inLine(id)} ${inLine(recipient.email)} --failed" sends it again.`];
  }
  if (recipient.result !== "pending") return [];
  if (quarantined !== undefined) return ["In quarantine: no attempt is made until the message is released."];
  const { nextAttemptAtMs: nextMs, failsAtMs } = recipient;
  if (failsAtMs !== undefined) {
    return [`No further attempt fits before ${rfc3339(failsAtMs)}, the end of its expires_in: it fails then.`];
  }
  if (nextMs === null)
    return [
      "Waiting for the server's final reply. If Postrider was stopped, the result is known after the next start.",
    ];
  const left = expiresAtMs - nowMs;
  const limit =
    left > 0
      ? `Failed for good unless delivered by ${rfc3339(expiresAtMs)}, in ${spanText(left)}.`
      : `Its time was over at ${rfc3339(expiresAtMs)}: the next attempt is the last.`;
  const next = `attempt ${recipient.attempts + 1}`;
  if (nextMs > nowMs) return [`Waits until ${rfc3339(nextMs)}, in ${spanText(nextMs - nowMs)}, for ${next}.`, limit];
  const since = `${rfc3339(nextMs)}, ${spanText(nowMs - nextMs)} ago`;
  return [`Due since ${since}: ${next} is under way or waits for its turn.`, limit];
}

function eventLines(event: SpoolEvent): string[] {
  const at = `  ${rfc3339(event.at_ms)}  `;
  switch (event.type) {
    case "accepted":
      return [`${at}accepted`];
    case "suppressed":
      return [`${at}suppressed: no attempt`, ...suppressionLines(event)];
    case "retried":
      return [`${at}a person asked for another attempt`];
    case "recovered":
      return [`${at}found in doubt at start, attempt ${event.attempt}`, ...attemptLines(event)];
    default:
      return [`${at}attempt ${event.attempt}: ${event.type}`, ...attemptLines(event)];
  }
}

function attemptLines(event: Extract<SpoolEvent, { tries: Try[] }>): string[] {
  const { reason, category, tries, next_attempt_at_ms: nextMs } = event;
  return [
    ...(reason === null ? [] : [`      ${inLine(explain(reason, category))}`]),
    ...tries.flatMap(tryLines),
    ...(nextMs === null ? [] : [`      Next attempt ${rfc3339(nextMs)}, ${spanText(nextMs - event.at_ms)} later.`]),
  ];
}

function suppressionLines(event: Extract<SpoolEvent, { type: "suppressed" }>): string[] {
  const lasts = `since ${rfc3339(event.since_ms)}, until ${rfc3339(event.until_ms)}`;
  return [
    `      The address counts as not existing ${lasts}, for these refusals:`,
    ...event.refusals.flatMap((refusal) => refusalLines(refusal, "      ")),
    '      "suppressions remove EMAIL" forgets them; then send again.',
  ];
}

/** One earlier refusal: when, by which host, in which words. */
export function refusalLines(refusal: Refusal, indent: string): string[] {
  return replyLines(`${indent}${rfc3339(refusal.at_ms)}  ${hostText(refusal)}: `, refusal);
}

function tryLines(tried: Try): string[] {
  const { stage, reply, error, note } = tried;
  const said = `        ${STAGE_WORDS[stage] ?? inLine(stage)}: `;
  return [
    `      ${[hostText(tried), ...tlsWords(tried)].join(", ")}`,
    ...(reply === null ? [said + inLine(error ?? "nothing was said")] : replyLines(said, reply)),
    ...(note === null ? [] : [`        note: ${inLine(note)}`]),
  ];
}

/** Stages before which nobody has asked for TLS yet. */
const BEFORE_TLS: ReadonlySet<string> = new Set(["dns", "connect", "greeting", "ehlo"]);

function tlsWords({ tls, stage, policy }: Try): string[] {
  // A recovered mark and facts of older versions know no policy: whether there was TLS is not known either.
  const ruled = policy == null || policy === "none" ? [] : [`TLS policy ${inLine(policy)}`];
  if (tls !== null) {
    const trust = tls.verified ? "certificate verified" : "certificate not verified";
    return [`${inLine(tls.protocol)} (${inLine(tls.cipher)}), ${trust}`, ...ruled];
  }
  return policy == null || BEFORE_TLS.has(stage) ? ruled : ["no TLS", ...ruled];
}

function hostText({ mx, ip }: { mx: string; ip: string | null }): string {
  return ip === null ? inLine(mx) : `${inLine(mx)} [${inLine(ip)}]`;
}

/** Behind `before`, the reply; its further lines below the first one's words. */
function replyLines(before: string, { code, enhanced_code: enhanced, message }: SmtpReply): string[] {
  const lead = before + [String(code), ...(enhanced === null ? [] : [inLine(enhanced)])].join(" ");
  const [first = "", ...others] = message.split("\n").map(inLine);
  return [`${lead} ${first}`, ...others.map((line) => " ".repeat(lead.length + 1) + line)].map((line) =>
    line.trimEnd(),
  );
}

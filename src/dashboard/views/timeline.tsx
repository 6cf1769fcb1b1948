/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The events of one recipient in order, as they are stored, with the time since the acceptance and since the event before.
 */
import { COMMAND_LINE } from "../../app/decide/decide-recipients.ts";
import { explain, explainBounce, SUPPRESSION_NAMES } from "../../message/result/explanation.ts";
import type { HostAttempt } from "../../message/result/outcome.ts";
import { STAGE_LABELS } from "../../message/result/reasons.ts";
import type { AttemptEvent, SpoolEvent } from "../../spool/port/results.ts";
import { ReplyQuote, Timestamp } from "./components.tsx";
import { Icon } from "./icons.tsx";
import { plural, spanText, type Tone } from "./labels.ts";

const TONES: Readonly<Record<SpoolEvent["type"], Tone>> = {
  accepted: "quiet",
  scheduled: "quiet",
  suppressed: "bad",
  delivered: "good",
  failed: "bad",
  expired: "bad",
  deferred: "wait",
  unknown: "warn",
  recovered: "warn",
  retried: "quiet",
  bounced: "bad",
  complained: "bad",
  complaint_unverified: "quiet",
  unsubscribed: "warn",
  confirmed: "good",
  resolved: "quiet",
  cancelled: "quiet",
  discarded: "bad",
};

export interface TimelineProps {
  events: SpoolEvent[];
  /** How many older events are left out. */
  omitted: number;
  acceptedAtMs: number;
  /** The sentence about the last attempt that is above the timeline; null without one. It is not repeated. */
  explained: string | null;
}

export function Timeline({ events, omitted, acceptedAtMs, explained }: TimelineProps) {
  return (
    <>
      {omitted === 0 ? null : (
        <p class="quiet">The history is too large to show in full. {plural(omitted, "earlier event")} omitted.</p>
      )}
      <ol class="timeline">
        {events.map((event, i) => (
          <li key={`${event.at_ms} ${i}`} class={TONES[event.type]}>
            <span class="timeline-icon">
              <Icon name={TONES[event.type]} />
            </span>
            <p class="timeline-head">
              <strong>{titleOf(event)}</strong> <Timestamp atMs={event.at_ms} />{" "}
              <Elapsed event={event} before={events[i - 1]} acceptedAtMs={acceptedAtMs} />
            </p>
            <EventBody event={event} explained={explained} />
          </li>
        ))}
      </ol>
    </>
  );
}

interface ElapsedProps {
  event: SpoolEvent;
  before: SpoolEvent | undefined;
  acceptedAtMs: number;
}

/** `+1.2 s` since the acceptance, and from the third event on the time since the event before. */
function Elapsed({ event, before, acceptedAtMs }: ElapsedProps) {
  if (event.type === "accepted") return null;
  const total = `+${spanText(event.at_ms - acceptedAtMs)}`;
  const isSecond = before === undefined || before.type === "accepted";
  return (
    <span class="elapsed" title="Since the message was accepted">
      {total}
      {isSecond ? "" : `, ${spanText(event.at_ms - before.at_ms)} later`}
    </span>
  );
}

function titleOf(event: SpoolEvent): string {
  switch (event.type) {
    case "accepted":
      return "Accepted";
    case "scheduled":
      return event.by === undefined ? "Scheduled" : `Time changed by ${personText(event.by)}`;
    case "suppressed":
      return `Not attempted: the email address is suppressed (${SUPPRESSION_NAMES[event.cause ?? "refusals"]})`;
    case "bounced":
      return "Bounced";
    case "complained":
      return "Marked as spam by the recipient";
    case "complaint_unverified":
      return "Complaint without proof";
    case "unsubscribed":
      return "Unsubscribed by the recipient";
    case "confirmed":
      return "Reported as delivered";
    case "retried":
      return event.by === undefined ? "Sent again by a user" : `Sent again by ${personText(event.by)}`;
    case "resolved":
      return `Marked as ${event.result === "delivered" ? "delivered" : "not delivered"} by ${personText(event.by)}`;
    case "cancelled":
      return `Cancelled by ${personText(event.by)}${event.result === "unknown" ? ": unknown again" : ""}`;
    case "discarded":
      return `Discarded by ${personText(event.by)}`;
    case "recovered":
      return `Attempt ${event.attempt}: unknown after a restart`;
    default:
      return `Attempt ${event.attempt}: ${event.type}`;
  }
}

const personText = (by: string): string => (by === COMMAND_LINE ? "an operator, on the command line" : by);

function EventBody({ event, explained }: Pick<TimelineProps, "explained"> & { event: SpoolEvent }) {
  switch (event.type) {
    case "accepted":
    case "retried":
    case "resolved":
    case "unsubscribed":
    case "confirmed":
      return null;
    case "complaint_unverified":
      return <p>The report names this recipient, but anyone could have sent it. Nothing was changed.</p>;
    case "cancelled":
      return event.result === "unknown" ? <p>An earlier attempt may have delivered the message.</p> : null;
    case "discarded":
      return event.damage === undefined ? null : <p>The stored message was damaged: {event.damage.error}</p>;
    case "scheduled":
      return (
        <p>
          Delivery begins at <Timestamp atMs={event.send_at_ms} />.
        </p>
      );
    case "suppressed":
      return <Refusals event={event} />;
    case "bounced":
      return <BounceBody event={event} />;
    case "complained":
      return (
        <p>
          The recipient's provider reported it, as <code class="reason">{event.kind}</code>.
        </p>
      );
    default:
      return <AttemptBody event={event} explained={explained} />;
  }
}

function Refusals({ event: { refusals } }: { event: Extract<SpoolEvent, { type: "suppressed" }> }) {
  if (refusals.length === 0) return null;
  return (
    <>
      <p>Recipient servers have rejected it before because it does not exist:</p>
      <ul class="tries">
        {refusals.map((refusal) => (
          <li key={refusal.at_ms}>
            <Timestamp atMs={refusal.at_ms} />, {refusal.mx}: <ReplyQuote reply={refusal} />
          </li>
        ))}
      </ul>
    </>
  );
}

function BounceBody({ event }: { event: Extract<SpoolEvent, { type: "bounced" }> }) {
  const { status, category, permanent, diagnostic, rule } = event;
  return (
    <>
      <p>
        {explainBounce(category)} <code class="reason">{category}</code>{" "}
        {permanent ? null : "A later message may arrive. "}
        {rule === undefined ? null : <span class="quiet">Rule: {rule}</span>}
      </p>
      <p class="try-reply">{[status, diagnostic].filter(Boolean).join(" ")}</p>
    </>
  );
}

function AttemptBody({ event, explained }: Pick<TimelineProps, "explained"> & { event: AttemptEvent }) {
  const { reason, category, tries, next_attempt_at_ms: nextMs } = event;
  const text = reason === null ? null : explain(reason, category);
  return (
    <>
      {text === null || text === explained ? null : <p>{text}</p>}
      {tries.length === 0 ? null : (
        <ul class="tries">
          {tries.map((attempted, i) => (
            <AttemptedHost key={`${attempted.mx} ${attempted.ip} ${i}`} attempted={attempted} />
          ))}
        </ul>
      )}
      {nextMs === null ? null : (
        <p class="quiet">
          Next attempt <Timestamp atMs={nextMs} />, after {spanText(nextMs - event.at_ms)}.
        </p>
      )}
    </>
  );
}

function AttemptedHost({ attempted }: { attempted: HostAttempt }) {
  const host = attempted.ip === null ? attempted.mx : `${attempted.mx} [${attempted.ip}]`;
  const where = attempted.source === undefined ? host : `${host} from ${attempted.source}`;
  return (
    <li>
      <p class="try-host">
        {where} <span class="quiet">{tlsText(attempted)}</span>
      </p>
      <p class="try-reply">
        {STAGE_LABELS[attempted.stage] ?? attempted.stage}:{" "}
        {attempted.reply === null ? (attempted.error ?? "no reply") : <ReplyQuote reply={attempted.reply} />}
      </p>
      {attempted.note === null ? null : <p class="quiet">{attempted.note}</p>}
    </li>
  );
}

const BEFORE_TLS: readonly string[] = ["dns", "connect", "greeting", "ehlo"];

function tlsText({ tls, stage, policy }: HostAttempt): string {
  const policyText = policy == null || policy === "none" ? "" : `, policy ${policy}`;
  if (tls !== null) {
    return `${tls.protocol}, ${tls.verified ? "certificate verified" : "certificate not verified"}${policyText}`;
  }
  return BEFORE_TLS.includes(stage) || policy == null ? policyText.replace(/^, /, "") : `no TLS${policyText}`;
}

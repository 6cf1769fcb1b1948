/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * What happened to one recipient, from stored facts alone, in its order.
 */
import { explain } from "../../message/explanation.ts";
import type { SmtpReply, Try } from "../../message/outcome.ts";
import { STAGE_WORDS } from "../../message/reasons.ts";
import type { SpoolEvent } from "../../spool/port/results.ts";
import { Moment } from "./components.tsx";
import { Icon } from "./icons.tsx";
import { plural, spanText, type Tone } from "./labels.ts";

const TONES: Readonly<Record<SpoolEvent["type"], Tone>> = {
  accepted: "quiet",
  suppressed: "bad",
  delivered: "good",
  failed: "bad",
  expired: "bad",
  deferred: "wait",
  unknown: "warn",
  recovered: "warn",
  retried: "quiet",
};

export function Timeline({ events, omitted }: { events: SpoolEvent[]; omitted: number }) {
  return (
    <>
      {omitted === 0 ? null : (
        <p class="quiet">The history is too large to show whole. {plural(omitted, "earlier event")} left out.</p>
      )}
      <EventList events={events} />
    </>
  );
}

function EventList({ events }: { events: SpoolEvent[] }) {
  return (
    <ol class="timeline">
      {events.map((event, i) => (
        <li key={`${event.at_ms} ${i}`} class={TONES[event.type]}>
          <span class="timeline-sign">
            <Icon name={TONES[event.type]} />
          </span>
          <p class="timeline-head">
            <strong>{titleOf(event)}</strong> <Moment atMs={event.at_ms} />
          </p>
          <EventBody event={event} />
        </li>
      ))}
    </ol>
  );
}

function titleOf(event: SpoolEvent): string {
  switch (event.type) {
    case "accepted":
      return "Accepted";
    case "suppressed":
      return "Not tried: the address is suppressed";
    case "retried":
      return "A person asked for another attempt";
    case "recovered":
      return `Found in doubt at start, attempt ${event.attempt}`;
    default:
      return `Attempt ${event.attempt}: ${event.type}`;
  }
}

function EventBody({ event }: { event: SpoolEvent }) {
  if (event.type === "accepted" || event.type === "retried") return null;
  if (event.type === "suppressed") {
    return (
      <>
        <p>It was refused as not existing before:</p>
        <ul class="tries">
          {event.refusals.map((refusal) => (
            <li key={refusal.at_ms}>
              <Moment atMs={refusal.at_ms} />, {refusal.mx}: <Reply reply={refusal} />
            </li>
          ))}
        </ul>
      </>
    );
  }
  const { reason, category, tries, next_attempt_at_ms: nextMs } = event;
  return (
    <>
      {reason === null ? null : <p>{explain(reason, category)}</p>}
      {tries.length === 0 ? null : (
        <ul class="tries">
          {tries.map((tried, i) => (
            <TryView key={`${tried.mx} ${tried.ip} ${i}`} tried={tried} />
          ))}
        </ul>
      )}
      {nextMs === null ? null : (
        <p class="quiet">
          Next attempt <Moment atMs={nextMs} />, {spanText(nextMs - event.at_ms)} later.
        </p>
      )}
    </>
  );
}

function TryView({ tried }: { tried: Try }) {
  const where = tried.ip === null ? tried.mx : `${tried.mx} [${tried.ip}]`;
  return (
    <li>
      <p class="try-host">
        {where} <span class="quiet">{tlsText(tried)}</span>
      </p>
      <p class="try-said">
        {STAGE_WORDS[tried.stage] ?? tried.stage}:{" "}
        {tried.reply === null ? (tried.error ?? "nothing was said") : <Reply reply={tried.reply} />}
      </p>
      {tried.note === null ? null : <p class="quiet">{tried.note}</p>}
    </li>
  );
}

function Reply({ reply }: { reply: SmtpReply }) {
  return (
    <q class="said">
      {[reply.code, reply.enhanced_code].filter(Boolean).join(" ")} {reply.message}
    </q>
  );
}

const BEFORE_TLS: readonly string[] = ["dns", "connect", "greeting", "ehlo"];

function tlsText({ tls, stage, policy }: Try): string {
  const ruled = policy == null || policy === "none" ? "" : `, policy ${policy}`;
  if (tls !== null) {
    return `${tls.protocol}, ${tls.verified ? "certificate verified" : "certificate not verified"}${ruled}`;
  }
  return BEFORE_TLS.includes(stage) || policy == null ? ruled.replace(/^, /, "") : `no TLS${ruled}`;
}

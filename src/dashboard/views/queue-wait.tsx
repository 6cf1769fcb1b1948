/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Why the recipients of a domain wait, in a sentence, and what their last attempts met.
 */
import type { QueueDestination } from "../../app/reports/queue-report.ts";
import { waitSentence } from "../../app/reports/queue-wait-text.ts";
import type { SentencePart } from "../../message/result/closed-destination.ts";
import { explain } from "../../message/result/explanation.ts";
import { RelativeTime, ReplyQuote } from "./components.tsx";
import { type Label, plural } from "./labels.ts";

const FLOWING: ReadonlySet<QueueDestination["wait"]["type"]> = new Set(["nothing_waits", "next", "in_attempt"]);

/** Whether nothing holds up the recipients of the domain. */
export const isFlowing = ({ wait }: QueueDestination): boolean => FLOWING.has(wait.type);

/** Whether the wait is no trouble: the recipients have their turn, or a later attempt. */
export const isNormal = (entry: QueueDestination): boolean => isFlowing(entry) || entry.wait.type === "deferred";

/** What holds up the recipients of a domain, in a few words. */
export const WAIT_LABELS: Readonly<Record<QueueDestination["wait"]["type"], Label>> = {
  nothing_waits: { text: "Nothing waits", tone: "good" },
  next: { text: "Next", tone: "good" },
  in_attempt: { text: "In an attempt", tone: "good" },
  deferred: { text: "Deferred", tone: "good" },
  domain_paused: { text: "Paused", tone: "warn" },
  delivery_paused: { text: "Delivery paused", tone: "warn" },
  closed: { text: "Closed", tone: "warn" },
  connection_limit: { text: "At its connection limit", tone: "wait" },
  window: { text: "At its attempt limit", tone: "wait" },
  account_share: { text: "At the account's share", tone: "wait" },
  attempts_max: { text: "At the service's limit", tone: "wait" },
  accept_priority: { text: "Accepting first", tone: "wait" },
};

export interface WaitProps {
  entry: QueueDestination;
  nowMs: number;
}

export function QueueWaitText(props: WaitProps) {
  return (
    <>
      <Sentence parts={waitSentence(props.entry.wait)} nowMs={props.nowMs} /> <LastAttempts entry={props.entry} />
    </>
  );
}

/** A sentence, with its times relative to now. */
export function Sentence({ parts, nowMs }: { parts: readonly SentencePart[]; nowMs: number }) {
  return (
    <>
      {parts.map((part) =>
        typeof part === "string" ? part : <RelativeTime key={part.atMs} atMs={part.atMs} nowMs={nowMs} />,
      )}
    </>
  );
}

/** The most frequent reason of a deferral, with its newest reply. */
function LastAttempts({ entry: { reason, category, smtp } }: Pick<WaitProps, "entry">) {
  if (reason === null) return null;
  return (
    <span class="quiet">
      {explain(reason, category)}{" "}
      {smtp === null ? null : <ReplyQuote reply={{ code: smtp.code, message: smtp.message }} />}
    </span>
  );
}

/** `12 due, 3 deferred, 2 in flight`, without those that are none. */
export function queueCountsText({ due, deferred, inFlight }: Pick<QueueDestination, "due" | "deferred" | "inFlight">) {
  const counts: [number, string][] = [
    [due, "due"],
    [deferred, "deferred"],
    [inFlight, "in flight"],
  ];
  const present = counts.filter(([count]) => count > 0);
  return present.map(([count, name]) => `${plural(count, name, name)}`).join(", ");
}

/** @jsxRuntime automatic @jsxImportSource preact */
/** The figures of the overview, each with that of the same time before, and a link to its messages. */
import type { QueueReport } from "../../app/reports/queue-report.ts";
import { shareText } from "../../lib/share-text.ts";
import type { Activity } from "../../spool/port/reports.ts";
import type { TimeRange } from "../views/chart-ranges.ts";
import { countText, plural, spanText } from "../views/labels.ts";
import { acceptedLink, messagesLink, resultLink } from "../views/message-links.ts";
import { queueCountsText } from "../views/queue-wait.tsx";

export interface FiguresProps {
  activity: Activity;
  /** Of the same time before. */
  before: Activity["total"];
  queue: QueueReport;
  /** Whether all domains that wait are in the queue's list. */
  isWholeQueue: boolean;
  range: TimeRange;
  sinceMs: number;
  /** Of all accounts. */
  all: boolean;
}

export function Figures({ activity, before, queue, isWholeQueue, range, sinceMs, all }: FiguresProps) {
  const { total } = activity;
  const final = total.delivered + total.failed + total.unknown;
  const finalBefore = before.delivered + before.failed + before.unknown;
  const than = (text: string): string => `${text} ${range.beforeText}`;
  // The message list is of one account.
  const linked = (href: string): { href?: string } => (all ? {} : { href });
  return (
    <dl class="figures">
      <Figure
        name="Accepted"
        value={countText(total.messages)}
        note={`for ${plural(total.recipients, "recipient")}`}
        before={than(countText(before.messages))}
        {...linked(acceptedLink(sinceMs))}
      />
      <Figure
        name="Delivered"
        value={shareText(total.delivered, final)}
        note={final === 0 ? "no results yet" : `${countText(total.delivered)} of ${countText(final)}`}
        before={finalBefore === 0 ? than("no results") : than(shareText(before.delivered, finalBefore))}
        {...linked(resultLink("delivered", sinceMs))}
      />
      <Figure
        name="Time to delivery"
        value={total.p50Ms === null ? "–" : spanText(total.p50Ms)}
        note={total.p95Ms === null ? "median" : `95 % within ${spanText(total.p95Ms)}`}
        before={before.p50Ms === null ? than("none") : than(spanText(before.p50Ms))}
      />
      <Figure
        name="Waiting now"
        value={countText(queue.waiting)}
        note={isWholeQueue && queue.waiting > 0 ? queueCountsText(queue) : "recipients"}
        {...linked(messagesLink({ result: "pending" }))}
      />
      <Figure
        name="Failed"
        value={countText(total.failed)}
        note={total.failed === 1 ? "recipient" : "recipients"}
        before={than(countText(before.failed))}
        {...linked(resultLink("failed", sinceMs))}
        tone={total.failed > 0 ? "bad" : ""}
      />
      <Figure
        name="Unknown"
        value={countText(queue.unknown)}
        note={decisionNote(queue.unknown)}
        {...linked(messagesLink({ result: "unknown" }))}
        tone={queue.unknown > 0 ? "warn" : ""}
      />
    </dl>
  );
}

function decisionNote(unknown: number): string {
  if (unknown === 0) return "nothing needs your decision";
  return unknown === 1 ? "needs your decision" : "need your decision";
}

interface FigureProps {
  name: string;
  value: string;
  note: string;
  /** The value of the same time before. */
  before?: string;
  href?: string;
  tone?: string;
}

function Figure(props: FigureProps) {
  return (
    <div class={`figure card ${props.tone ?? ""}`}>
      <dt>{props.href === undefined ? props.name : <a href={props.href}>{props.name}</a>}</dt>
      <dd>
        <span class="figure-value">{props.value}</span>
        <span class="figure-note">{props.note}</span>
        {props.before === undefined ? null : <span class="figure-note figure-before">{props.before}</span>}
      </dd>
    </div>
  );
}

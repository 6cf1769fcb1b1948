/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The table of messages. Long texts are cut by the style sheet, with the whole text as their title.
 */

import { explain } from "../../message/result/explanation.ts";
import type { FoundMessage, Obstacle, ObstacleAttempt } from "../../spool/port/reports.ts";
import { FEEDBACK } from "../../spool/port/results.ts";
import { Badge, RelativeTime, Table } from "../views/components.tsx";
import { CATEGORY_NAMES, FEEDBACK_LABELS, RESULT_LABELS, TEST_LABEL, UNKNOWN_REASON_NAMES } from "../views/labels.ts";

export interface MessageTableProps {
  messages: readonly FoundMessage[];
  /** The link to all messages with a tag. */
  tagLink: (tag: string) => string;
  nowMs: number;
}

/** The reasons have a column if there are any. */
export function MessageTable({ messages, ...rest }: MessageTableProps) {
  const hasReasons = messages.some(({ obstacle }) => obstacle !== undefined);
  return (
    <Table
      label="Messages"
      class={`stacked messages ${hasReasons ? "with-reasons" : ""}`}
      head={["Accepted", "Recipient and sender", "Subject and tags", "Result", ...(hasReasons ? ["Reason"] : [])]}
    >
      {messages.map((message) => (
        <Row key={message.id} message={message} hasReasons={hasReasons} {...rest} />
      ))}
    </Table>
  );
}

type RowProps = Omit<MessageTableProps, "messages"> & { message: FoundMessage; hasReasons: boolean };

function Row({ message, hasReasons, tagLink, nowMs }: RowProps) {
  const { id, to, from, subject, test, tags, obstacle, createdAtMs } = message;
  const others = message.recipients - 1;
  return (
    <tr>
      <td class="nowrap accepted">
        <RelativeTime atMs={createdAtMs} nowMs={nowMs} />
      </td>
      <td class="address">
        <div class="line">
          <span class="cut" title={to}>
            {to}
          </span>
          {others > 0 ? <span class="quiet whole">and {others} more</span> : null}
        </div>
        <div class="cut quiet sender" title={from}>
          from {from}
        </div>
      </td>
      <td class="subject">
        <div class="line">
          <a class="cut" href={`/dashboard/messages/${id}`} title={subject}>
            {subject || "(no subject)"}
          </a>
          {test ? <Badge label={TEST_LABEL} /> : null}
        </div>
        <Tags tags={tags} tagLink={tagLink} />
      </td>
      <td class="result">
        <Results message={message} />
      </td>
      {hasReasons ? (
        <td class="why">
          {obstacle === undefined ? null : <Reason obstacle={obstacle} message={message} nowMs={nowMs} />}
        </td>
      ) : null}
    </tr>
  );
}

function Tags({ tags, tagLink }: { tags: readonly string[]; tagLink: MessageTableProps["tagLink"] }) {
  if (tags.length === 0) return null;
  return (
    <ul class="message-tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <a class="message-tag cut" href={tagLink(tag)} title={tag}>
            {tag}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** One badge if all recipients have the same result, else one with a count for each result; then what came back. */
function Results({ message: { results, recipients, feedback = [] } }: { message: FoundMessage }) {
  const present = (["unknown", "failed", "pending", "delivered"] as const).filter((result) => results[result] > 0);
  return (
    <span class="badges">
      {present.map((result) => {
        const { text, tone } = RESULT_LABELS[result];
        const counted = recipients === 1 || present.length === 1 ? text : `${results[result]} ${text.toLowerCase()}`;
        return <Badge key={result} label={{ text: counted, tone }} />;
      })}
      {FEEDBACK.filter((each) => feedback.includes(each)).map((each) => (
        <Badge key={each} label={FEEDBACK_LABELS[each]} />
      ))}
    </span>
  );
}

/** What keeps the recipient that matters most from being delivered. The title explains it. */
function Reason({ obstacle, message, nowMs }: { obstacle: Obstacle; message: FoundMessage; nowMs: number }) {
  const { email, reason, category, smtp, attempt } = obstacle;
  const reply = smtp === null ? null : [smtp.code, smtp.enhanced_code, smtp.message].filter(Boolean).join(" ");
  const explained = `${message.recipients > 1 ? `${email}: ` : ""}${explain(reason, category)}`;
  return (
    <>
      <div class="cut" title={explained}>
        {reasonText(obstacle, message)}
      </div>
      {attempt === undefined ? null : <Attempt attempt={attempt} nowMs={nowMs} />}
      {reply === null ? null : (
        <div class="cut quiet smtp-reply" title={reply}>
          {reply}
        </div>
      )}
    </>
  );
}

/** The categories of the message; of a recipient that may have it, what has happened instead. */
function reasonText({ reason, category }: Obstacle, { categories }: FoundMessage): string {
  const unknown = UNKNOWN_REASON_NAMES[reason];
  const named = categories.filter((each) => unknown === undefined || each !== category);
  const names = [...(unknown === undefined ? [] : [unknown]), ...named.map((each) => CATEGORY_NAMES[each])];
  return names.length === 0 ? reason.replaceAll("_", " ") : names.join(", ");
}

function Attempt({ attempt: { mx, atMs }, nowMs }: { attempt: ObstacleAttempt; nowMs: number }) {
  return (
    <div class="line quiet">
      {mx === null ? null : (
        <span class="cut" title={mx}>
          {mx}
        </span>
      )}
      <span class="whole">
        <RelativeTime atMs={atMs} nowMs={nowMs} />
      </span>
    </div>
  );
}

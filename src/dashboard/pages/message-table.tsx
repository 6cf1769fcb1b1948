/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The table of messages, one line each; on narrow screens two. Long texts are cut by the style sheet, with the whole text as the title
 * of the row's link.
 */

import { ACTED_RESULTS, type BulkAction } from "../../app/decide/bulk-actions.ts";
import { explain } from "../../message/result/explanation.ts";
import type { FoundMessage, Obstacle, ObstacleAttempt } from "../../spool/port/reports.ts";
import { FEEDBACK } from "../../spool/port/results.ts";
import { Badge, RelativeTime, Table } from "../views/components.tsx";
import {
  CATEGORY_NAMES,
  countText,
  FEEDBACK_LABELS,
  QUARANTINED_LABEL,
  RESULT_LABELS,
  reasonName,
  TEST_LABEL,
  UNKNOWN_REASON_NAMES,
} from "../views/labels.ts";
import { EmailAddress, RowLink, RowTime, StateText } from "../views/list-rows.tsx";
import { usePermission } from "../views/permissions.tsx";
import { NoSelectBox, SelectBox, SelectionBar } from "../views/selection.tsx";
import { BULK_TEXTS } from "./bulk-texts.ts";

/** Characters of a domain. Where a recipient has a longer one, the column of addresses is wide. */
const LONG_DOMAIN_LENGTH = 24;

/** Tags that a row shows before it counts the others. */
const TAGS_SHOWN = 2;

export interface MessageTableProps {
  messages: readonly FoundMessage[];
  /** Messages that no attempt is made of, by their ids. */
  quarantined: ReadonlySet<string>;
  /** The link to all messages with a tag. */
  tagLink: (tag: string) => string;
  nowMs: number;
}

/** The column of results is wide if there are reasons, that of addresses if a domain is long. */
export function MessageTable({ messages, ...rest }: MessageTableProps) {
  const actions = selectedActions(messages);
  const isSelectable = usePermission("POST /dashboard/bulk/cancel") && actions.length > 0;
  const hasReasons = messages.some(({ obstacle }) => obstacle !== undefined);
  const hasLongAddresses = messages.some(({ to }) => to.length - to.lastIndexOf("@") > LONG_DOMAIN_LENGTH);
  const table = (
    <Table
      label="Messages"
      class={`stacked linked messages ${hasReasons ? "with-reasons" : ""} ${hasLongAddresses ? "long-addresses" : ""}`}
      head={["Recipient", "Subject and tags", hasReasons ? "Result and reason" : "Result", "Accepted"]}
      numbers={["Accepted"]}
    >
      {messages.map((message) => (
        <Row key={message.id} message={message} isSelectable={isSelectable} {...rest} />
      ))}
    </Table>
  );
  if (!isSelectable) return table;
  return (
    <div class="selectable">
      <SelectionBar>
        {actions.map((action) => (
          <button key={action} type="submit" class="small" formAction={`/dashboard/bulk/${action}`}>
            {BULK_TEXTS[action].title} …
          </button>
        ))}
      </SelectionBar>
      {table}
    </div>
  );
}

/** The actions for which the page has recipients. */
const selectedActions = (messages: readonly FoundMessage[]): BulkAction[] =>
  (Object.keys(ACTED_RESULTS) as BulkAction[]).filter((action) =>
    messages.some(({ results }) => results[ACTED_RESULTS[action]] > 0),
  );

type RowProps = Omit<MessageTableProps, "messages"> & { message: FoundMessage; isSelectable: boolean };

function Row({ message, isSelectable, quarantined, tagLink, nowMs }: RowProps) {
  const { id, to, from, subject, test, tags, obstacle, createdAtMs } = message;
  const href = `/dashboard/messages/${id}`;
  const others = message.recipients - 1;
  const more = others > 0 ? ` and ${countText(others)} more` : "";
  const why = obstacle === undefined ? [] : whyOf(obstacle, message);
  const title = [`From ${from} to ${to}${more}`, subject, ...why].filter((line) => line !== "").join("\n");
  return (
    <tr>
      <td class="address">
        <div class="line">
          {isSelectable ? <RowBox message={message} /> : null}
          <EmailAddress address={to} />
          {others > 0 ? (
            <span class="quiet whole" title={more.trim()}>
              +{countText(others)}
            </span>
          ) : null}
        </div>
      </td>
      <td class="subject">
        <div class="line">
          <RowLink href={href} title={title}>
            {subject || "(no subject)"}
          </RowLink>
          {test ? <Badge label={TEST_LABEL} /> : null}
          <Tags tags={tags} tagLink={tagLink} />
        </div>
      </td>
      <td class="result">
        <div class="line">
          <Results message={message} isQuarantined={quarantined.has(id)} />
          {obstacle === undefined ? null : <Reason obstacle={obstacle} message={message} nowMs={nowMs} />}
        </div>
      </td>
      <td class="accepted number">
        <RowTime href={href} atMs={createdAtMs} nowMs={nowMs} />
      </td>
    </tr>
  );
}

/** A message that is delivered to all has nothing to act on. */
function RowBox({ message: { id, to, subject, results, recipients } }: { message: FoundMessage }) {
  if (results.delivered === recipients) return <NoSelectBox />;
  return <SelectBox name="message" value={id} label={`the message to ${to}: ${subject || "no subject"}`} />;
}

function Tags({ tags, tagLink }: { tags: readonly string[]; tagLink: MessageTableProps["tagLink"] }) {
  if (tags.length === 0) return null;
  const others = tags.length - TAGS_SHOWN;
  return (
    <ul class="message-tags" aria-label="Tags">
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <li key={tag}>
          <a class="message-tag cut" href={tagLink(tag)} title={tag}>
            {tag}
          </a>
        </li>
      ))}
      {others > 0 ? <li class="quiet">+{others}</li> : null}
    </ul>
  );
}

/** One state if all recipients have the same result, else one with a count for each result; then what came back. */
function Results({ message, isQuarantined }: { message: FoundMessage; isQuarantined: boolean }) {
  const { results, recipients, feedback = [] } = message;
  const present = (["unknown", "failed", "pending", "delivered"] as const).filter((result) => results[result] > 0);
  return (
    <span class="badges">
      {present.map((result) => {
        const { text, tone } = result === "pending" && isQuarantined ? QUARANTINED_LABEL : RESULT_LABELS[result];
        const counted =
          recipients === 1 || present.length === 1 ? text : `${countText(results[result])} ${text.toLowerCase()}`;
        return <StateText key={result} label={{ text: counted, tone }} />;
      })}
      {FEEDBACK.filter((each) => feedback.includes(each)).map((each) => (
        <Badge key={each} label={FEEDBACK_LABELS[each]} />
      ))}
    </span>
  );
}

/** What keeps the recipient that matters most from being delivered. */
function Reason({ obstacle, message, nowMs }: { obstacle: Obstacle; message: FoundMessage; nowMs: number }) {
  const reply = replyText(obstacle);
  return (
    <span class="why cut quiet">
      {reasonText(obstacle, message)}
      {obstacle.attempt === undefined ? null : <Attempt attempt={obstacle.attempt} nowMs={nowMs} />}
      {reply === null ? null : (
        <>
          {" "}
          <span class="smtp-reply">{reply}</span>
        </>
      )}
    </span>
  );
}

/** The reason in a sentence, and the reply. */
function whyOf(obstacle: Obstacle, { recipients }: FoundMessage): string[] {
  const { email, reason, category } = obstacle;
  const reply = replyText(obstacle);
  const explained = `${recipients > 1 ? `${email}: ` : ""}${explain(reason, category)}`;
  return [explained, ...(reply === null ? [] : [reply])];
}

const replyText = ({ smtp }: Obstacle): string | null =>
  smtp === null ? null : [smtp.code, smtp.enhanced_code, smtp.message].filter(Boolean).join(" ");

/** The categories of the message; of a recipient that may have it or has no category, what has happened instead. */
function reasonText({ reason, category }: Obstacle, { categories }: FoundMessage): string {
  const unknown = UNKNOWN_REASON_NAMES[reason];
  const named = categories.filter((each) => unknown === undefined || each !== category);
  const names = named.map((each) => (each === category ? reasonName(reason, category) : CATEGORY_NAMES[each]));
  if (unknown !== undefined) names.unshift(unknown);
  return names.length > 0 ? names.join(", ") : reasonName(reason, null);
}

function Attempt({ attempt: { mx, atMs }, nowMs }: { attempt: ObstacleAttempt; nowMs: number }) {
  return (
    <>
      {mx === null ? ", " : `, ${mx}, `}
      <RelativeTime atMs={atMs} nowMs={nowMs} />
    </>
  );
}

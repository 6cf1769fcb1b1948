/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The recipients of a message: a table with a row for each, which opens to its reply, advice, actions and timeline. The disclosure is
 * a `details` element, so it needs no script; dashboard.css shows the row below it.
 */

import { mailboxKey, parseMailbox } from "../../message/address.ts";
import type { ShownMailbox } from "../../message/reading/address-fields.ts";
import type { Category } from "../../message/result/category.ts";
import { closedSentence } from "../../message/result/closed-destination.ts";
import { adviceFor, explain } from "../../message/result/explanation.ts";
import type { Result } from "../../message/result/outcome.ts";
import { endOfTime, HELD, SCHEDULED } from "../../message/result/reasons.ts";
import type { RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Breakable, RelativeTime, ResultBadge, Timestamp } from "../views/components.tsx";
import { FEEDBACK_LABELS, plural, RESULT_LABELS, reasonName, spanText } from "../views/labels.ts";
import { Sentence } from "../views/queue-wait.tsx";
import { Timeline } from "../views/timeline.tsx";
import { DoneNotice, RecipientActions } from "./message-actions.tsx";
import { type MessageState, type RecipientProps, recipientAnchor } from "./message-state.ts";

const HEAD = ["Recipient", "Result", "Reason", "Attempts", "Next attempt or last change", "Server"];

export function Recipients({ auth, state }: { auth: AuthContext; state: MessageState }) {
  const { recipients } = state.report;
  const names = namesIn(state);
  return (
    <>
      <div class="title-row">
        <h2>{plural(recipients.length, "recipient")}</h2>
        {recipients.length === 1 ? null : <p class="quiet">{countsOf(recipients)}</p>}
      </div>
      <div class="table recipients">
        <table>
          <thead>
            <tr>
              {HEAD.map((text) => (
                <th key={text} scope="col">
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          {recipients.map((recipient) => (
            <RecipientRows
              key={recipient.position}
              name={names.get(nameKey(recipient.email)) ?? null}
              auth={auth}
              recipient={recipient}
              state={state}
            />
          ))}
        </table>
      </div>
    </>
  );
}

const RESULT_ORDER: readonly Result[] = ["delivered", "pending", "failed", "unknown"];

function countsOf(recipients: readonly RecipientReport[]): string {
  return RESULT_ORDER.flatMap((result) => {
    const count = recipients.filter((recipient) => recipient.result === result).length;
    return count === 0 ? [] : [`${count} ${RESULT_LABELS[result].text.toLowerCase()}`];
  }).join(", ");
}

/** The display names in the header, by `nameKey` of the address. */
function namesIn({ content }: MessageState): ReadonlyMap<string, string> {
  const mailboxes: ShownMailbox[] = content === null ? [] : [...content.addresses.to, ...content.addresses.cc];
  return new Map(mailboxes.flatMap(({ name, address }) => (name === null ? [] : [[nameKey(address), name]])));
}

/** The header has domains as A-labels. */
function nameKey(address: string): string {
  const parsed = parseMailbox(address);
  return parsed.type === "valid" ? mailboxKey(parsed.local, parsed.domain) : address;
}

const FIELD_NAMES = { to: "To", cc: "Cc", bcc: "Bcc" } as const;

function RecipientRows({ name, ...props }: RecipientProps & { name: string | null }) {
  const { recipient, state } = props;
  const { position, email, field, result, reason, category, attempts, smtp } = recipient;
  const isOpen = state.opened === position || state.report.recipients.length === 1;
  return (
    <tbody id={recipientAnchor(position)} class={`recipient ${result}`}>
      <tr class="recipient-row">
        <th scope="row">
          <details open={isOpen}>
            <summary>
              <Breakable text={email} />
            </summary>
          </details>
          <span class="recipient-name">
            {FIELD_NAMES[field]}
            {name === null ? "" : `: ${name}`}
          </span>
        </th>
        <td class="recipient-result">
          <span class="badges">
            <ResultBadge result={result} /> <FeedbackBadges recipient={recipient} />
          </span>
        </td>
        <td class="recipient-why">
          {reason === null ? null : (
            <>
              {category === null ? null : <span title={category}>{reasonName(reason, category)} </span>}
              <code class="reason">
                <Breakable text={reason} />
              </code>
            </>
          )}
        </td>
        <td class="number secondary">{attempts}</td>
        <td class="recipient-when">
          <When recipient={recipient} state={state} />
        </td>
        <td class="secondary">{smtp === null ? "" : <Breakable text={smtp.mx} />}</td>
      </tr>
      <tr class="recipient-more">
        <td colSpan={HEAD.length}>
          <div class="stack">
            <Details {...props} />
          </div>
        </td>
      </tr>
    </tbody>
  );
}

/** The next attempt of a recipient that waits, or when its result last changed. */
function When({ recipient, state: { report, paused, closed, nowMs } }: Omit<RecipientProps, "auth">) {
  const { result, nextAttemptAtMs: nextMs, failsAtMs, updatedAtMs } = recipient;
  if (result !== "pending") return <RelativeTime atMs={updatedAtMs} nowMs={nowMs} />;
  if (report.quarantined !== undefined) return <>In quarantine</>;
  if (!report.test && paused.has(recipient.domain)) return <>Domain paused</>;
  if (failsAtMs !== undefined) {
    return (
      <>
        {endText(recipient)} <RelativeTime atMs={failsAtMs} nowMs={nowMs} />
      </>
    );
  }
  if (nextMs !== null && nextMs <= nowMs && closed.has(recipient.domain)) return <>Destination closed</>;
  if (nextMs === null || nextMs <= nowMs) return <>In progress</>;
  return (
    <>
      Next <RelativeTime atMs={nextMs} nowMs={nowMs} />
    </>
  );
}

function Details({ auth, recipient, state }: RecipientProps) {
  const { result, reason, category } = recipient;
  const advice = adviceFor(result, category, reason);
  const explained = reason === null ? null : explain(reason, category);
  return (
    <>
      {state.opened === recipient.position ? <DoneNotice done={state.done} /> : null}
      {explained === null ? null : <p class="recipient-reason">{explained}</p>}
      {advice === null ? null : (
        <p>
          {advice} <HostLink auth={auth} category={category} />
        </p>
      )}
      {recipient.smtp === null ? null : (
        <blockquote class="reply">
          <p class="reply-head">
            {[recipient.smtp.code, recipient.smtp.enhanced_code].filter(Boolean).join(" ")} from {recipient.smtp.mx}
          </p>
          <p class="reply-text">{recipient.smtp.message}</p>
        </blockquote>
      )}
      <BounceReply recipient={recipient} />
      <Outlook recipient={recipient} state={state} />
      <RecipientActions auth={auth} recipient={recipient} state={state} />
      <h3>Timeline</h3>
      <Timeline
        events={recipient.events}
        omitted={recipient.eventsOmitted ?? 0}
        acceptedAtMs={state.report.createdAtMs}
        explained={explained}
      />
    </>
  );
}

function BounceReply({ recipient: { bounce } }: { recipient: RecipientReport }) {
  if (bounce === undefined) return null;
  const { atMs, status, permanent, diagnostic } = bounce;
  const kind = permanent ? "Bounced" : "Bounced for a temporary reason";
  return (
    <blockquote class="reply">
      <p class="reply-head">
        {kind}
        {status === null ? "" : `, ${status}`}, <Timestamp atMs={atMs} />
      </p>
      <p class="reply-text">{diagnostic}</p>
    </blockquote>
  );
}

function FeedbackBadges({ recipient: { bounce, complaint, unsubscribedAtMs } }: { recipient: RecipientReport }) {
  return (
    <>
      {bounce === undefined ? null : <Badge label={FEEDBACK_LABELS.bounced} />}
      {complaint === undefined ? null : <Badge label={FEEDBACK_LABELS.complained} />}
      {unsubscribedAtMs === undefined ? null : <Badge label={FEEDBACK_LABELS.unsubscribed} />}
    </>
  );
}

/** Categories whose cause can be this server. */
const HOST_CATEGORIES: ReadonlySet<Category | null> = new Set(["reputation", "authentication", "network"]);

function HostLink({ auth, category }: { auth: AuthContext; category: Category | null }) {
  if (!auth.user.operator || !HOST_CATEGORIES.has(category)) return null;
  return <a href="/dashboard/operator/host">Open This server</a>;
}

function Outlook({ recipient, state }: Omit<RecipientProps, "auth">) {
  const { report, paused, nowMs } = state;
  if (recipient.reason === "suppressed") {
    return (
      <p>
        <a href="/dashboard/suppressed">Suppressed addresses</a> shows the reason, and lets you allow the next attempt.
      </p>
    );
  }
  if (recipient.result !== "pending") return null;
  if (report.quarantined !== undefined) return <p>In quarantine: no attempt is made until the message is released.</p>;
  if (!report.test && paused.has(recipient.domain))
    return <p>An operator has paused {recipient.domain}. The next attempt starts when the domain is resumed.</p>;
  const { nextAttemptAtMs: nextMs, failsAtMs } = recipient;
  if (failsAtMs !== undefined) {
    return (
      <p>
        No further attempt is possible within <code>expires_in</code>. {endText(recipient)}{" "}
        <RelativeTime atMs={failsAtMs} nowMs={nowMs} />.
      </p>
    );
  }
  if (nextMs === null) return <p>Waiting for the server's final reply.</p>;
  if (recipient.reason === SCHEDULED && nextMs > nowMs) {
    return (
      <p>
        Scheduled. Delivery begins <RelativeTime atMs={nextMs} nowMs={nowMs} />.
      </p>
    );
  }
  if (recipient.reason === HELD) return <p>It waits for as long as its key is held.</p>;
  if (nextMs <= nowMs && !state.closed.has(recipient.domain))
    return <p>Attempt {recipient.attempts + 1} is in progress or queued.</p>;
  return (
    <>
      <Closing domain={recipient.domain} state={state} />
      <NextAttempt recipient={recipient} nextMs={nextMs} state={state} />
    </>
  );
}

/** What a closed destination did, and when it is probed. */
function Closing({ domain, state: { closed, nowMs } }: { domain: string; state: MessageState }) {
  const found = closed.get(domain);
  return found === undefined ? null : (
    <p>
      <Sentence parts={closedSentence(found)} nowMs={nowMs} />
    </p>
  );
}

/** At the beginning of a sentence. */
const endText = ({ reason }: RecipientReport): string => (endOfTime(reason) === "fails" ? "Fails" : "Becomes unknown");

function NextAttempt(props: { recipient: RecipientReport; nextMs: number; state: MessageState }) {
  const { recipient, nextMs, state } = props;
  const { report, nowMs } = state;
  const leftMs = report.expiresAtMs - nowMs;
  return (
    <p>
      Attempt {recipient.attempts + 1} {nextMs <= nowMs ? "is queued" : <RelativeTime atMs={nextMs} nowMs={nowMs} />}
      {leftMs > 0 ? `. ${endText(recipient)} if not delivered within ${spanText(leftMs)}.` : "."}
    </p>
  );
}

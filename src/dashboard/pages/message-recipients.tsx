/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The recipients of a message: the result, reply, advice and timeline of each.
 */
import type { Category } from "../../message/category.ts";
import { adviceFor, explain } from "../../message/explanation.ts";
import type { RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, RelativeTime, ResultBadge, Timestamp } from "../views/components.tsx";
import { FEEDBACK_LABELS, plural, spanText } from "../views/labels.ts";
import { Timeline } from "../views/timeline.tsx";
import { RecipientActions } from "./message-actions.tsx";
import type { MessageState, RecipientProps } from "./message-state.ts";

export function Recipients({ auth, state }: { auth: AuthContext; state: MessageState }) {
  const { recipients } = state.report;
  return (
    <>
      <h2>{plural(recipients.length, "recipient")}</h2>
      {recipients.map((recipient) => (
        <Recipient key={recipient.position} auth={auth} recipient={recipient} state={state} />
      ))}
    </>
  );
}

function Recipient({ auth, recipient, state }: RecipientProps) {
  const { result, reason, category, email } = recipient;
  const advice = adviceFor(result, category);
  const id = `recipient-${recipient.position}`;
  return (
    <section class={`card recipient ${result}`} aria-labelledby={id}>
      <div class="recipient-head">
        <h3 id={id}>{email}</h3>
        <span class="badges">
          <ResultBadge result={result} /> <FeedbackBadges recipient={recipient} />
        </span>
      </div>
      {reason === null ? null : (
        <p class="recipient-reason">
          {explain(reason, category)} <code class="reason">{reason}</code>{" "}
          {category === null ? null : <code class="reason">{category}</code>}
        </p>
      )}
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
      <details open={state.report.recipients.length === 1}>
        <summary>Timeline</summary>
        <Timeline events={recipient.events} omitted={recipient.eventsOmitted ?? 0} />
      </details>
    </section>
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

/** Categories whose cause can be this host. */
const HOST_CATEGORIES: ReadonlySet<Category | null> = new Set(["reputation", "authentication", "network"]);

function HostLink({ auth, category }: { auth: AuthContext; category: Category | null }) {
  if (!auth.user.operator || !HOST_CATEGORIES.has(category)) return null;
  return <a href="/dashboard/operator/host">Open the host page</a>;
}

function Outlook({ recipient, state: { report, paused, nowMs } }: Omit<RecipientProps, "auth">) {
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
        No further attempt is possible within <code>expires_in</code>. Fails{" "}
        <RelativeTime atMs={failsAtMs} nowMs={nowMs} />.
      </p>
    );
  }
  if (nextMs === null) return <p>Waiting for the server's final reply.</p>;
  if (nextMs <= nowMs) return <p>Attempt {recipient.attempts + 1} is in progress or queued.</p>;
  return (
    <p>
      Attempt {recipient.attempts + 1} <RelativeTime atMs={nextMs} nowMs={nowMs} />
      {report.expiresAtMs > nowMs ? `. Fails if not delivered within ${spanText(report.expiresAtMs - nowMs)}.` : "."}
    </p>
  );
}

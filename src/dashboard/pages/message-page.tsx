/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of one message: the result and timeline of each recipient, the next attempt, and the content.
 */
import { DASHBOARD_KEY } from "../../app/test-message.ts";
import { NOTICE_KEY } from "../../app/webhook-notice.ts";
import type { Category } from "../../message/category.ts";
import { adviceFor, explain } from "../../message/explanation.ts";
import type { Excerpt, ReadableContent } from "../../message/readable-content.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Copyable, Notice, PostForm, RelativeTime, ResultBadge, Timestamp } from "../views/components.tsx";
import { FEEDBACK_LABELS, noticeText, plural, sizeText, spanText, TEST_LABEL } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { Timeline } from "../views/timeline.tsx";

export interface MessageState {
  report: MessageReport;
  /** Null once the retention period is over. */
  content: ReadableContent | null;
  /** Null for a message of the service itself. */
  key: ApiKey | null;
  /** Recipient domains that an operator has paused. */
  paused: ReadonlySet<string>;
  nowMs: number;
  done: string;
}

const NOTICES: Record<string, string> = {
  tried: "The next attempt starts now and appears below in a moment.",
  "tried-paused":
    "An operator has paused the recipient's domain. The next attempt starts as soon as the domain is resumed.",
  "sent-again-paused":
    "An operator has paused the recipient's domain. The message is sent again as soon as the domain is resumed. Whether it arrived the first time remains unknown.",
  "sent-again": "The message is being sent again. Whether it arrived the first time remains unknown.",
  failed: "The message is being sent again. The attempt appears below in a moment.",
  "failed-paused":
    "An operator has paused the recipient's domain. The message is sent again as soon as the domain is resumed.",
  damaged: "Nothing was changed: the stored message is still damaged.",
  nothing: "Nothing was changed: the recipient's result has changed in the meantime.",
};

const WARNING_NOTICES = /-paused$|damaged$/;

export function messagePage(auth: AuthContext, state: MessageState): string {
  const { report } = state;
  const done = noticeText(NOTICES, state.done);
  return signedInPage(auth, "/messages/one", {
    title: report.subject || "(no subject)",
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/messages">Messages</a>
        </p>
        <h1 class="subject-title">{report.subject || "(no subject)"}</h1>
        {done === undefined ? null : <Notice tone={WARNING_NOTICES.test(state.done) ? "warn" : "good"}>{done}</Notice>}
        {report.quarantined === undefined ? null : (
          <Notice tone="bad">
            The stored message is damaged ({report.quarantined.error}). It is not delivered until an operator repairs
            it.
          </Notice>
        )}
        {report.test ? (
          <Notice tone="quiet">
            Test message: it was sent with a test key. The sink inside Postrider plays its recipients, and nothing of it
            leaves this host.
          </Notice>
        ) : null}
        <Facts state={state} />
        <div data-live={`/dashboard/messages/${report.id}/state`} data-version={versionOf(report)} id="recipients">
          <h2>{plural(report.recipients.length, "recipient")}</h2>
          {report.recipients.map((recipient) => (
            <Recipient key={recipient.position} auth={auth} recipient={recipient} state={state} />
          ))}
        </div>
        <Content report={report} content={state.content} />
      </>
    ),
  });
}

/** Messages of the service itself. */
const SERVICE_KEYS: Readonly<Record<string, string>> = {
  [DASHBOARD_KEY]: "Test message from the dashboard",
  [NOTICE_KEY]: "Notice of a disabled webhook endpoint",
};

function Facts({ state: { report, key, content, nowMs } }: { state: MessageState }) {
  const keyText = key?.name ?? SERVICE_KEYS[report.keyId] ?? report.keyId;
  return (
    <dl class="facts card">
      <dt>From</dt>
      <dd>{report.from}</dd>
      <dt>Accepted</dt>
      <dd>
        <Timestamp atMs={report.createdAtMs} /> UTC, <RelativeTime atMs={report.createdAtMs} nowMs={nowMs} />
      </dd>
      <dt>API key</dt>
      <dd>
        {keyText} {report.test ? <Badge label={TEST_LABEL} /> : null}
      </dd>
      {content === null ? null : (
        <>
          <dt>Size</dt>
          <dd>{sizeText(content.sizeBytes)}</dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <Copyable text={report.id} label="message id" />
      </dd>
      <dt>Message-ID</dt>
      <dd>
        <Copyable text={report.messageId} label="Message-ID" />
      </dd>
    </dl>
  );
}

/** Changes whenever the page does, except for its relative times. */
export function versionOf({ recipients, updatedAtMs }: MessageReport): string {
  const attempts = recipients.reduce((sum, r) => sum + r.attempts + r.events.length + (r.eventsOmitted ?? 0), 0);
  return `${updatedAtMs}-${attempts}-${recipients.map((r) => r.result[0]).join("")}`;
}

interface RecipientProps {
  auth: AuthContext;
  recipient: RecipientReport;
  state: MessageState;
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
      <Actions auth={auth} recipient={recipient} state={state} />
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

function Actions({ auth, recipient, state: { report, content } }: RecipientProps) {
  const path = `/dashboard/messages/${report.id}`;
  if (recipient.result === "unknown") {
    const query = new URLSearchParams({ email: recipient.email });
    return (
      <p>
        <a class="button" href={`${path}/send-again?${query}`}>
          Send again …
        </a>
      </p>
    );
  }
  if (recipient.result === "failed" && recipient.reason !== "suppressed" && content !== null) {
    return (
      <PostForm action={`${path}/retry-failed`} formToken={auth.formToken}>
        <input type="hidden" name="email" value={recipient.email} />
        <button type="submit" aria-label={`Send again: ${recipient.email}`}>
          Send again
        </button>
      </PostForm>
    );
  }
  if (recipient.result !== "pending" || recipient.nextAttemptAtMs === null) return null;
  return (
    <PostForm action={`${path}/try-now`} formToken={auth.formToken}>
      <input type="hidden" name="email" value={recipient.email} />
      <button type="submit" aria-label={`Try now: ${recipient.email}`}>
        Try now
      </button>
    </PostForm>
  );
}

function Content({ report, content }: { report: MessageReport; content: ReadableContent | null }) {
  if (content === null) {
    return (
      <section>
        <h2>Content</h2>
        <p class="quiet">The content was deleted after the retention period.</p>
      </section>
    );
  }
  const path = `/dashboard/messages/${report.id}`;
  return (
    <section>
      <h2>Content</h2>
      {!content.hasHtml ? null : (
        <details class="card" open>
          <summary>HTML, rendered without network access and scripts</summary>
          <iframe class="html" src={`${path}/html`} sandbox="" title="The message's HTML" />
        </details>
      )}
      {content.text === null ? null : (
        <details class="card" open={!content.hasHtml}>
          <summary>Text</summary>
          <PartBeginning part={content.text} class="body-text" />
        </details>
      )}
      <details class="card">
        <summary>Source</summary>
        <p>
          <a href={`${path}/source`}>Download the source</a>
        </p>
        <PartBeginning part={content.source} class="source" />
      </details>
    </section>
  );
}

function PartBeginning({ part, class: name }: { part: Excerpt; class: string }) {
  return (
    <>
      {part.isTruncated ? (
        <p class="quiet">Only the beginning is shown. Download the source to see all of it.</p>
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class={name} tabIndex={0}>
        {part.text}
      </pre>
    </>
  );
}

/** Asks for confirmation and states the risk of a duplicate. */
export function sendAgainPage(auth: AuthContext, report: MessageReport, recipient: RecipientReport): string {
  const path = `/dashboard/messages/${report.id}`;
  return signedInPage(auth, "/messages/one", {
    title: "Send again",
    children: (
      <>
        <h1>Send again to {recipient.email}?</h1>
        <Notice tone="warn">
          {recipient.email} may already have this message. If so, sending it again delivers it <strong>twice</strong>.
        </Notice>
        <p>
          {recipient.reason === null ? "" : explain(recipient.reason, recipient.category)} Only the recipient, or the
          log of the recipient's server, can show whether it arrived.
        </p>
        <PostForm action={`${path}/send-again`} formToken={auth.formToken} class="bar">
          <input type="hidden" name="email" value={recipient.email} />
          <button type="submit" class="danger">
            Send again
          </button>
          <a class="button" href={path}>
            Cancel
          </a>
        </PostForm>
      </>
    ),
  });
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * One message: each recipient's timeline in the peers' own words, what comes next, and what was sent.
 */

import { DASHBOARD_KEY } from "../../app/test-message.ts";
import type { Category } from "../../message/category.ts";
import { adviceFor, explain } from "../../message/explanation.ts";
import type { Beginning, ReadableContent } from "../../message/readable-content.ts";
import type { ApiKey } from "../../spool/port/accounts.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Copyable, Moment, Notice, PostForm, ResultBadge } from "../views/components.tsx";
import { plural, sentenceNamed, sizeText, spanText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { Timeline } from "../views/timeline.tsx";

export interface MessageState {
  report: MessageReport;
  /** Null when the content is kept no longer. */
  shown: ReadableContent | null;
  /** Null for one that was sent from here. */
  key: ApiKey | null;
  /** Recipient domains that an operator holds back. */
  paused: ReadonlySet<string>;
  nowMs: number;
  done: string;
}

const DONE: Record<string, string> = {
  tried: "It is due now: the attempt shows below in a moment.",
  "tried-paused": "An operator has paused its destination: it is due, and tried as soon as that is resumed.",
  "sent-again-paused":
    "An operator has paused its destination: it is sent again as soon as that is resumed. Whether it arrived the first time stays unknown.",
  "sent-again": "It is sent again; whether it arrived the first time stays unknown.",
  failed: "It is sent again: the attempt shows below in a moment.",
  "failed-paused": "An operator has paused its destination: it is sent again as soon as that is resumed.",
  damaged: "Nothing was changed: what is stored of this message still cannot be read.",
  nothing: "Nothing was changed: its result had come meanwhile.",
};

const WARNS = /-paused$|damaged$/;

export function messagePage(visit: Visit, state: MessageState): string {
  const { report } = state;
  const done = sentenceNamed(DONE, state.done);
  return signedInPage(visit, "/messages/one", {
    title: report.subject || "(no subject)",
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/messages">Messages</a>
        </p>
        <h1 class="subject-title">{report.subject || "(no subject)"}</h1>
        {done === undefined ? null : <Notice tone={WARNS.test(state.done) ? "warn" : "good"}>{done}</Notice>}
        {report.quarantined === undefined ? null : (
          <Notice tone="bad">
            What is stored of this message is damaged ({report.quarantined.error}). It is not delivered until an
            operator has repaired it.
          </Notice>
        )}
        <Facts state={state} />
        <div data-live={`/dashboard/messages/${report.id}/state`} data-version={versionOf(report)} id="recipients">
          <h2>{plural(report.recipients.length, "recipient")}</h2>
          {report.recipients.map((recipient) => (
            <Recipient key={recipient.position} visit={visit} recipient={recipient} state={state} />
          ))}
        </div>
        <Content report={report} shown={state.shown} />
      </>
    ),
  });
}

function Facts({ state: { report, key, shown, nowMs } }: { state: MessageState }) {
  const keyText = key === null ? (report.keyId === DASHBOARD_KEY ? "Test mail from here" : report.keyId) : key.name;
  return (
    <dl class="facts card">
      <dt>From</dt>
      <dd>{report.from}</dd>
      <dt>Accepted</dt>
      <dd>
        <Moment atMs={report.createdAtMs} /> UTC, <Ago atMs={report.createdAtMs} nowMs={nowMs} />
      </dd>
      <dt>API key</dt>
      <dd>{keyText}</dd>
      {shown === null ? null : (
        <>
          <dt>Size</dt>
          <dd>{sizeText(shown.sizeBytes)}</dd>
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

/** Changes with everything that the page shows. */
export function versionOf({ recipients, updatedAtMs }: MessageReport): string {
  const attempts = recipients.reduce((sum, r) => sum + r.attempts + r.events.length + (r.eventsOmitted ?? 0), 0);
  return `${updatedAtMs}-${attempts}-${recipients.map((r) => r.result[0]).join("")}`;
}

interface RecipientProps {
  visit: Visit;
  recipient: RecipientReport;
  state: MessageState;
}

function Recipient({ visit, recipient, state }: RecipientProps) {
  const { result, reason, category, email } = recipient;
  const advice = adviceFor(result, category);
  const id = `recipient-${recipient.position}`;
  return (
    <section class={`card recipient ${result}`} aria-labelledby={id}>
      <div class="recipient-head">
        <h3 id={id}>{email}</h3>
        <ResultBadge result={result} />
      </div>
      {reason === null ? null : (
        <p class="recipient-reason">
          {explain(reason, category)} <code class="reason">{reason}</code>{" "}
          {category === null ? null : <code class="reason">{category}</code>}
        </p>
      )}
      {advice === null ? null : (
        <p>
          {advice} <HostLink visit={visit} category={category} />
        </p>
      )}
      {recipient.smtp === null ? null : (
        <blockquote class="reply">
          <p class="reply-head">
            {[recipient.smtp.code, recipient.smtp.enhanced_code].filter(Boolean).join(" ")} from {recipient.smtp.mx}
          </p>
          <p class="reply-words">{recipient.smtp.message}</p>
        </blockquote>
      )}
      <Prospect recipient={recipient} state={state} />
      <Actions visit={visit} recipient={recipient} state={state} />
      <details open={state.report.recipients.length === 1}>
        <summary>Timeline</summary>
        <Timeline events={recipient.events} omitted={recipient.eventsOmitted ?? 0} />
      </details>
    </section>
  );
}

/** Obstacles whose cause may be this host. */
const OF_THE_HOST: ReadonlySet<Category | null> = new Set(["reputation", "authentication", "network"]);

function HostLink({ visit, category }: { visit: Visit; category: Category | null }) {
  if (!visit.user.operator || !OF_THE_HOST.has(category)) return null;
  return <a href="/dashboard/operator/host">Open the host page</a>;
}

function Prospect({ recipient, state: { report, paused, nowMs } }: Omit<RecipientProps, "visit">) {
  if (recipient.reason === "suppressed") {
    return (
      <p>
        <a href="/dashboard/suppressed">Suppressed addresses</a> shows why, and lets the next message try it again.
      </p>
    );
  }
  if (recipient.result !== "pending") return null;
  if (report.quarantined !== undefined) return <p>In quarantine: no attempt is made until the message is released.</p>;
  if (paused.has(recipient.domain)) return <p>An operator has paused {recipient.domain}: it waits until that ends.</p>;
  const { nextAttemptAtMs: nextMs, failsAtMs } = recipient;
  if (failsAtMs !== undefined) {
    return (
      <p>
        No further attempt fits within its <code>expires_in</code>: it fails <Ago atMs={failsAtMs} nowMs={nowMs} />.
      </p>
    );
  }
  if (nextMs === null) return <p>Waiting for the server's final reply.</p>;
  if (nextMs <= nowMs) return <p>Attempt {recipient.attempts + 1} is under way, or waits for its turn.</p>;
  return (
    <p>
      Attempt {recipient.attempts + 1} <Ago atMs={nextMs} nowMs={nowMs} />
      {report.expiresAtMs > nowMs
        ? `; failed for good unless delivered in ${spanText(report.expiresAtMs - nowMs)}.`
        : "."}
    </p>
  );
}

function Actions({ visit, recipient, state: { report, shown } }: RecipientProps) {
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
  if (recipient.result === "failed" && recipient.reason !== "suppressed" && shown !== null) {
    return (
      <PostForm action={`${path}/retry-failed`} formToken={visit.formToken}>
        <input type="hidden" name="email" value={recipient.email} />
        <button type="submit" aria-label={`Send again: ${recipient.email}`}>
          Send again
        </button>
      </PostForm>
    );
  }
  if (recipient.result !== "pending" || recipient.nextAttemptAtMs === null) return null;
  return (
    <PostForm action={`${path}/try-now`} formToken={visit.formToken}>
      <input type="hidden" name="email" value={recipient.email} />
      <button type="submit" aria-label={`Try now: ${recipient.email}`}>
        Try now
      </button>
    </PostForm>
  );
}

function Content({ report, shown }: { report: MessageReport; shown: ReadableContent | null }) {
  if (shown === null) {
    return (
      <section>
        <h2>Content</h2>
        <p class="quiet">The content is kept no longer.</p>
      </section>
    );
  }
  const path = `/dashboard/messages/${report.id}`;
  return (
    <section>
      <h2>Content</h2>
      {!shown.hasHtml ? null : (
        <details class="card" open>
          <summary>HTML, as it renders without network and scripts</summary>
          <iframe class="html" src={`${path}/html`} sandbox="" title="The message's HTML" />
        </details>
      )}
      {shown.text === null ? null : (
        <details class="card" open={!shown.hasHtml}>
          <summary>Text</summary>
          <BeginningOf part={shown.text} class="body-text" />
        </details>
      )}
      <details class="card">
        <summary>Source</summary>
        <p>
          <a href={`${path}/source`}>Download as a file</a>
        </p>
        <BeginningOf part={shown.source} class="source" />
      </details>
    </section>
  );
}

function BeginningOf({ part, class: name }: { part: Beginning; class: string }) {
  return (
    <>
      {part.isCut ? <p class="quiet">Only the beginning is shown. Download the source to see all of it.</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class={name} tabIndex={0}>
        {part.text}
      </pre>
    </>
  );
}

/** The risk is said before anything is sent. */
export function sendAgainPage(visit: Visit, report: MessageReport, recipient: RecipientReport): string {
  const path = `/dashboard/messages/${report.id}`;
  return signedInPage(visit, "/messages/one", {
    title: "Send again",
    children: (
      <>
        <h1>Send again to {recipient.email}?</h1>
        <Notice tone="warn">
          {recipient.email} may have this message already. If so, sending again delivers it <strong>twice</strong>.
        </Notice>
        <p>
          {recipient.reason === null ? "" : explain(recipient.reason, recipient.category)} Nobody but the recipient, or
          their host's log, can tell whether it arrived.
        </p>
        <PostForm action={`${path}/send-again`} formToken={visit.formToken} class="bar">
          <input type="hidden" name="email" value={recipient.email} />
          <button type="submit" class="danger">
            Send it again
          </button>
          <a class="button" href={path}>
            Leave it
          </a>
        </PostForm>
      </>
    ),
  });
}

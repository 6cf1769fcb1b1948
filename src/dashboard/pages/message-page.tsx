/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of one message: what is known of it, its recipients (message-recipients.tsx) and its content (message-content.tsx).
 */
import { DASHBOARD_KEY } from "../../app/test-message.ts";
import { NOTICE_KEY } from "../../app/webhook-notice.ts";
import type { MessageReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Copyable, Notice, RelativeTime, Timestamp } from "../views/components.tsx";
import { sizeText, TEST_LABEL } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { DoneNotice } from "./message-actions.tsx";
import { MessageContent } from "./message-content.tsx";
import { Recipients } from "./message-recipients.tsx";
import type { MessageState } from "./message-state.ts";

export function messagePage(auth: AuthContext, state: MessageState): string {
  const { report } = state;
  return signedInPage(auth, "/messages/one", {
    title: report.subject || "(no subject)",
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/messages">Messages</a>
        </p>
        <h1 class="subject-title">{report.subject || "(no subject)"}</h1>
        <DoneNotice done={state.done} />
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
          <Recipients auth={auth} state={state} />
        </div>
        <MessageContent report={report} content={state.content} />
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

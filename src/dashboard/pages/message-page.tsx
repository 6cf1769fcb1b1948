/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of one message: what is known of it (message-facts.tsx), its recipients (message-recipients.tsx) and its content
 * (message-content.tsx).
 */
import type { MessageReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { DoneNotice } from "./message-actions.tsx";
import { MessageContent } from "./message-content.tsx";
import { MessageFacts } from "./message-facts.tsx";
import { Recipients } from "./message-recipients.tsx";
import type { MessageState } from "./message-state.ts";
import { discardLink } from "./quarantine.tsx";

export function messagePage(auth: AuthContext, state: MessageState): string {
  const { report } = state;
  return signedInPage(auth, "/messages/one", {
    title: report.subject || "(no subject)",
    scripts: ["message.js"],
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/messages">Messages</a>
        </p>
        <h1 class="subject-title">{report.subject || "(no subject)"}</h1>
        {report.recipients.some(({ position }) => position === state.opened) ? null : <DoneNotice done={state.done} />}
        {report.quarantined === undefined ? null : (
          <Notice tone="bad">
            The stored message is damaged ({report.quarantined.error}). It is not delivered until an operator repairs
            it, or ends it with <code>queue discard</code>.{" "}
            {auth.user.operator ? <a href={discardLink(report.id)}>Discard it …</a> : null}
          </Notice>
        )}
        {report.test ? (
          <Notice tone="quiet">
            Test message: it was sent with a test key. The sink inside Postrider plays its recipients, and nothing of it
            leaves this server.
          </Notice>
        ) : null}
        <MessageFacts state={state} />
        <div
          data-live={`/dashboard/messages/${report.id}/state`}
          data-version={versionOf(report, state.closed)}
          id="recipients"
        >
          <Recipients auth={auth} state={state} />
        </div>
        <MessageContent state={state} />
      </>
    ),
  });
}

/** Changes whenever the page does, except for its relative times. */
export function versionOf({ recipients, updatedAtMs }: MessageReport, closed: MessageState["closed"]): string {
  const attempts = recipients.reduce((sum, r) => sum + r.attempts + r.events.length + (r.eventsOmitted ?? 0), 0);
  // A destination whose probe is due has another time for it at each look.
  const closings = [...closed].map(([domain, { sinceMs, causes, isProbing, last }]) =>
    [domain, sinceMs, causes, isProbing, last?.atMs].join(),
  );
  return [updatedAtMs, attempts, recipients.map((r) => r.result[0]).join(""), ...closings].join("-");
}

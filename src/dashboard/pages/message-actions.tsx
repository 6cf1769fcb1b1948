/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * What a user can do about a recipient of a message, the confirmations, and the notices afterwards.
 */
import type { ComponentChildren } from "preact";
import { explain } from "../../message/explanation.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice, PostForm } from "../views/components.tsx";
import { noticeText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { ButtonLink } from "../views/permissions.tsx";
import { type MessagePlace, type MessageState, messagePath, type RecipientProps } from "./message-state.ts";

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

export interface RecipientFormProps {
  auth: AuthContext;
  recipient: Pick<RecipientReport, "email">;
  state: Pick<MessageState, "tab"> & { report: Pick<MessageReport, "id"> };
  /** The last part of the path that the form is sent to. */
  action: string;
  children: ComponentChildren;
  class?: string;
}

/** A form about one recipient. Its answer leads back to the recipient, with the same part of the content beside. */
export function RecipientForm({ auth, recipient, state, action, children, class: name }: RecipientFormProps) {
  return (
    <PostForm
      action={`/dashboard/messages/${state.report.id}/${action}`}
      formToken={auth.formToken}
      {...(name === undefined ? {} : { class: name })}
    >
      <input type="hidden" name="email" value={recipient.email} />
      <input type="hidden" name="view" value={state.tab ?? ""} />
      {children}
    </PostForm>
  );
}

/** The notice about an action, by its name; nothing without one. */
export function DoneNotice({ done }: { done: string }) {
  const text = noticeText(NOTICES, done);
  if (text === undefined) return null;
  return <Notice tone={WARNING_NOTICES.test(done) ? "warn" : "good"}>{text}</Notice>;
}

export function RecipientActions(props: RecipientProps) {
  const { recipient, state } = props;
  const { report, content, tab } = state;
  if (recipient.result === "unknown") {
    const query = new URLSearchParams({ email: recipient.email, ...(tab === null ? {} : { view: tab }) });
    return (
      <p>
        <ButtonLink href={`/dashboard/messages/${report.id}/send-again?${query}`}>Send again …</ButtonLink>
      </p>
    );
  }
  if (recipient.result === "failed" && recipient.reason !== "suppressed" && content !== null) {
    return (
      <RecipientForm {...props} action="retry-failed">
        <button type="submit" aria-label={`Send again: ${recipient.email}`}>
          Send again
        </button>
      </RecipientForm>
    );
  }
  if (recipient.result !== "pending" || recipient.nextAttemptAtMs === null) return null;
  return (
    <RecipientForm {...props} action="try-now">
      <button type="submit" aria-label={`Try now: ${recipient.email}`}>
        Try now
      </button>
    </RecipientForm>
  );
}

export interface ConfirmationState {
  report: MessageReport;
  recipient: RecipientReport;
  /** What is in view on the page that asks, besides the recipient. */
  tab: MessagePlace["tab"];
}

/** Asks for confirmation and states the risk of a duplicate. */
export function sendAgainPage(auth: AuthContext, { report, recipient, tab }: ConfirmationState): string {
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
        <RecipientForm {...{ auth, recipient }} state={{ report, tab }} action="send-again" class="bar">
          <button type="submit" class="danger">
            Send again
          </button>
          <a class="button" href={messagePath(report.id, { tab, opened: recipient.position })}>
            Cancel
          </a>
        </RecipientForm>
      </>
    ),
  });
}

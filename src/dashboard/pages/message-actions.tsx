/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * What a user can do about a recipient of a message, and the notices afterwards. The confirmations are in
 * message-confirmations.tsx.
 */
import type { ComponentChildren } from "preact";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice, PostForm } from "../views/components.tsx";
import { noticeText } from "../views/labels.ts";
import { ButtonLink } from "../views/permissions.tsx";
import type { MessageState, RecipientProps } from "./message-state.ts";

const NOTICES: Record<string, string> = {
  tried: "The next attempt starts now and appears below in a moment.",
  "tried-paused":
    "An operator has paused the recipient's domain. The next attempt starts as soon as the domain is resumed.",
  "sent-again-paused":
    "An operator has paused the recipient's domain. The message is sent again as soon as the domain is resumed. Whether it arrived the first time remains unknown.",
  "tried-closed":
    "Delivery to the recipient's server is closed. One message probes it within seconds, normally this one; the result appears below. If that fails, the next attempt follows the schedule.",
  "sent-again-closed":
    "Delivery to the recipient's server is closed. One message probes it within seconds, normally this one; the result appears below. Whether it arrived the first time remains unknown.",
  "failed-closed":
    "Delivery to the recipient's server is closed. One message probes it within seconds, normally this one; the result appears below. If that fails, the next attempt follows the schedule.",
  "sent-again": "The message is being sent again. Whether it arrived the first time remains unknown.",
  failed: "The message is being sent again. The attempt appears below in a moment.",
  "failed-paused":
    "An operator has paused the recipient's domain. The message is sent again as soon as the domain is resumed.",
  "resolved-delivered": "The recipient is marked as delivered.",
  "resolved-failed": "The recipient is marked as not delivered.",
  cancelled: "The delivery is cancelled.",
  "cancelled-unknown":
    "No further attempt is made. An earlier attempt may have delivered the message, so the result is unknown again.",
  "at-dot":
    "Nothing was cancelled: the whole message was already sent. The result follows with the server's final reply.",
  damaged: "Nothing was changed: the stored message is still damaged.",
  nothing: "Nothing was changed: the recipient's result has changed in the meantime.",
};

const WARNING_NOTICES = /-paused$|-closed$|-unknown$|at-dot$|damaged$/;

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
      entry={{ email: recipient.email }}
      {...(name === undefined ? {} : { class: name })}
    >
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
  const path = `/dashboard/messages/${report.id}`;
  const query = new URLSearchParams({ email: recipient.email, ...(tab === null ? {} : { view: tab }) });
  if (recipient.result === "unknown") {
    return (
      <p class="bar">
        <ButtonLink href={`${path}/resolve?as=delivered&${query}`}>Mark as delivered …</ButtonLink>
        <ButtonLink href={`${path}/resolve?as=failed&${query}`}>Mark as not delivered …</ButtonLink>
        <ButtonLink href={`${path}/send-again?${query}`}>Send again …</ButtonLink>
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
    <RecipientForm {...props} action="try-now" class="bar">
      <button type="submit" aria-label={`Try now: ${recipient.email}`}>
        Try now
      </button>
      <ButtonLink href={`${path}/cancel?${query}`} label={`Cancel: ${recipient.email}`}>
        Cancel …
      </ButtonLink>
    </RecipientForm>
  );
}

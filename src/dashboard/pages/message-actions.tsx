/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * What a user can do about a recipient of a message, the confirmations, and the notices afterwards.
 */
import { explain } from "../../message/explanation.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice, PostForm } from "../views/components.tsx";
import { noticeText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { ButtonLink } from "../views/permissions.tsx";
import type { RecipientProps } from "./message-state.ts";

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

/** The notice about an action, by its name; nothing without one. */
export function DoneNotice({ done }: { done: string }) {
  const text = noticeText(NOTICES, done);
  if (text === undefined) return null;
  return <Notice tone={WARNING_NOTICES.test(done) ? "warn" : "good"}>{text}</Notice>;
}

export function RecipientActions({ auth, recipient, state: { report, content } }: RecipientProps) {
  const path = `/dashboard/messages/${report.id}`;
  if (recipient.result === "unknown") {
    const query = new URLSearchParams({ email: recipient.email });
    return (
      <p>
        <ButtonLink href={`${path}/send-again?${query}`}>Send again …</ButtonLink>
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

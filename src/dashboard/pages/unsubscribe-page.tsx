/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pages of an unsubscribe link. Their readers are recipients of messages, who know the sender and not Postrider.
 */
import { ONE_CLICK } from "../../message/send-request/unsubscribe-fields.ts";
import { plainPage } from "../views/layout.tsx";
import type { PageError } from "../web/page-error.ts";

export interface UnsubscribeState {
  email: string;
  /** The sender's domain; null if the message was deleted. */
  sender: string | null;
}

const senderText = (sender: string | null): string => sender ?? "this sender";

/** Asks. The form sends the same body as a mail program (RFC 8058 §3.1), to the page's own URL. */
export function unsubscribePage({ email, sender }: UnsubscribeState): string {
  return plainPage({
    title: "Unsubscribe",
    children: (
      <>
        <h1>Unsubscribe?</h1>
        <p>
          Unsubscribe <strong>{email}</strong> from messages of <strong>{senderText(sender)}</strong>?
        </p>
        <form method="post">
          <input type="hidden" name={ONE_CLICK.name} value={ONE_CLICK.value} />
          <button type="submit" class="primary wide">
            Unsubscribe
          </button>
        </form>
      </>
    ),
  });
}

export function unsubscribedPage({ email, sender }: UnsubscribeState): string {
  return plainPage({
    title: "Unsubscribed",
    children: (
      <>
        <h1>Unsubscribed</h1>
        <p>
          <strong>{email}</strong> receives no more messages of <strong>{senderText(sender)}</strong>. Messages that are
          already on their way may still arrive.
        </p>
      </>
    ),
  });
}

/** Renders an error; null stands for an internal error. */
export function unsubscribeErrorPage(error: PageError | null): string {
  const title = error?.code === "not_found" ? "Link not valid" : "Not unsubscribed";
  return plainPage({
    title,
    children: (
      <>
        <h1>{title}</h1>
        <p>{error?.message ?? "Something went wrong. Try again later."}</p>
      </>
    ),
  });
}

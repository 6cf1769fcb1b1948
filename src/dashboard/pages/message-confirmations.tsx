/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pages that ask for confirmation before a person's action on one recipient: sending again, marking the result, cancelling.
 */
import type { ComponentChildren } from "preact";
import { explain } from "../../message/result/explanation.ts";
import type { Resolution } from "../../spool/port/operations.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { RecipientForm } from "./message-actions.tsx";
import { type MessagePlace, messagePath } from "./message-state.ts";

export interface ConfirmationState {
  report: MessageReport;
  recipient: RecipientReport;
  /** What is in view on the page that asks, besides the recipient. */
  tab: MessagePlace["tab"];
}

/** States the risk of a duplicate. */
export function sendAgainPage(auth: AuthContext, state: ConfirmationState): string {
  const { recipient } = state;
  return confirmationPage(auth, state, {
    title: "Send again",
    heading: `Send again to ${recipient.email}?`,
    action: "send-again",
    button: "Send again",
    isDangerous: true,
    children: (
      <>
        <Notice tone="warn">
          {recipient.email} may already have this message. If so, sending it again delivers it <strong>twice</strong>.
        </Notice>
        <Evidence recipient={recipient} />
      </>
    ),
  });
}

export function resolvePage(auth: AuthContext, state: ConfirmationState, as: Resolution["as"]): string {
  const { recipient } = state;
  const words = as === "delivered" ? "delivered" : "not delivered";
  return confirmationPage(auth, state, {
    title: `Mark as ${words}`,
    heading: `Mark ${recipient.email} as ${words}?`,
    action: "resolve",
    button: `Mark as ${words}`,
    fields: { as },
    children: (
      <>
        <Evidence recipient={recipient} />
        <p>
          The result becomes <code>{as}</code>, and the timeline shows that you decided it. Nothing is sent, and the
          email address is not suppressed. {as === "failed" ? "You can send the message again afterwards." : null}
        </p>
      </>
    ),
  });
}

export function cancelPage(auth: AuthContext, state: ConfirmationState): string {
  return confirmationPage(auth, state, {
    title: "Cancel delivery",
    heading: `Cancel the delivery to ${state.recipient.email}?`,
    action: "cancel",
    button: "Cancel delivery",
    back: "Keep trying",
    isDangerous: true,
    children: (
      <p>
        No further attempt is made, and the result becomes <code>failed</code>. If the whole message has already been
        sent, nothing is cancelled, and the server's reply decides.
      </p>
    ),
  });
}

function Evidence({ recipient: { reason, category } }: { recipient: RecipientReport }) {
  return (
    <p>
      {reason === null ? "" : explain(reason, category)} Only the recipient, or the log of the recipient's server, can
      show whether it arrived.
    </p>
  );
}

interface ConfirmationProps {
  title: string;
  heading: string;
  /** As RecipientForm's. */
  action: string;
  button: string;
  /** The text of the link back. */
  back?: string;
  fields?: Record<string, string>;
  isDangerous?: boolean;
  children: ComponentChildren;
}

function confirmationPage(auth: AuthContext, state: ConfirmationState, props: ConfirmationProps): string {
  const { report, recipient, tab } = state;
  const { title, heading, action, button, back = "Cancel", fields = {}, isDangerous = false, children } = props;
  return signedInPage(auth, "/messages/one", {
    title,
    children: (
      <>
        <h1>{heading}</h1>
        {children}
        <RecipientForm auth={auth} recipient={recipient} action={action} state={{ report, tab }} class="bar">
          {Object.entries(fields).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <button type="submit" class={isDangerous ? "danger" : "primary"}>
            {button}
          </button>
          <a class="button" href={messagePath(report.id, { tab, opened: recipient.position })}>
            {back}
          </a>
        </RecipientForm>
      </>
    ),
  });
}

/** @jsxRuntime automatic @jsxImportSource preact */
/** An action on messages that were selected in the list: its confirmation, which names the recipients, and its outcome. */
import { actOnSelected, type Selection, selectedMessages } from "../../app/decide/selected-messages.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice, PostForm } from "../views/components.tsx";
import { countText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { AddressList } from "../views/selection.tsx";
import type { DashboardParts } from "../web/parts.ts";
import { donePage } from "./bulk-pages.tsx";
import { BULK_TEXTS, outcomeLines, recipientsText } from "./bulk-texts.ts";

const LIST = "/dashboard/messages";

type Selected = Pick<Selection, "action" | "messageIds">;

export class SelectedPages {
  readonly #parts: Pick<DashboardParts, "spool" | "clock" | "sending">;

  constructor(parts: Pick<DashboardParts, "spool" | "clock" | "sending">) {
    this.#parts = parts;
  }

  async confirm(auth: AuthContext, { action, messageIds }: Selected): Promise<string> {
    const { spool, clock } = this.#parts;
    const atMs = clock.now();
    const found = await selectedMessages(spool, { action, messageIds, accountId: auth.account.id, atMs });
    const emails = found.flatMap((message) => message.emails);
    const { title, question, effect, warning, isDangerous } = BULK_TEXTS[action];
    const recipients = recipientsText(action, emails.length, false);
    if (emails.length === 0) return nothingPage(auth, { title, recipients });
    return signedInPage(auth, "/messages", {
      title,
      children: (
        <>
          <h1>{question(recipients)}</h1>
          <p>{effect}</p>
          {warning === null ? null : <Notice tone="warn">{warning}</Notice>}
          <p>Of {plural(found.length, "selected message")}:</p>
          <AddressList emails={emails} />
          <PostForm action={`/dashboard/bulk/${action}`} formToken={auth.formToken} class="bar">
            {found.map(({ messageId }) => (
              <input key={messageId} type="hidden" name="message" value={messageId} />
            ))}
            <input type="hidden" name="counted" value={emails.length} />
            <input type="hidden" name="at" value={atMs} />
            <button type="submit" class={isDangerous ? "danger" : "primary"}>
              {question(countText(emails.length)).replace("?", "")}
            </button>
            <a class="button" href={LIST}>
              Back to the messages
            </a>
          </PostForm>
        </>
      ),
    });
  }

  async act(auth: AuthContext, selected: Selected & { counted: number; atMs: number }): Promise<string> {
    const { spool, clock, sending } = this.#parts;
    const { action, counted } = selected;
    const decision = { by: auth.user.email, nowMs: clock.now(), maxAgeMs: sending.maxAgeMs };
    const totals = await actOnSelected(spool, { ...selected, accountId: auth.account.id }, decision);
    const { title } = BULK_TEXTS[action];
    const lines = outcomeLines(action, counted, totals);
    return donePage(auth, { title, lines, isDone: totals.done > 0, sinceMs: null, back: LIST });
  }
}

function nothingPage(auth: AuthContext, { title, recipients }: { title: string; recipients: string }): string {
  return signedInPage(auth, "/messages", {
    title,
    children: (
      <>
        <h1>{title}</h1>
        <p>The selected messages have {recipients}. Nothing was changed.</p>
        <p>
          <a class="button" href={LIST}>
            Back to the messages
          </a>
        </p>
      </>
    ),
  });
}

/** @jsxRuntime automatic @jsxImportSource preact */
/** Quarantined messages on the queue page, apart from what waits: no attempt is made of them. An operator may end one. */
import type { QuarantinedMessage, QuarantineReport } from "../../spool/port/quarantine.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { ConfirmButtons, Notice, PostForm, RelativeTime, Table } from "../views/components.tsx";
import { countText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { ButtonLink } from "../views/permissions.tsx";

/** Messages that the page lists, the newest. */
export const QUARANTINED_SHOWN = 50;

const PATH = "/dashboard/operator/queue/discard";

/** The id of a message, or the name of its row where the id cannot be read. */
const nameOf = ({ messageId, seq }: Pick<QuarantinedMessage, "messageId" | "seq">): string => messageId ?? `row-${seq}`;

export const discardLink = (name: string): string => `${PATH}?${new URLSearchParams({ message: name })}`;

/** Changes whenever the section does. */
export const quarantineVersion = ({ count, messages }: QuarantineReport): string => `${count} ${messages[0]?.seq}`;

export function QuarantinedMessages({ report, nowMs }: { report: QuarantineReport; nowMs: number }) {
  const { count, messages } = report;
  if (count === 0) return null;
  return (
    <section aria-labelledby="quarantine-title">
      <h2 id="quarantine-title">Quarantined messages</h2>
      <p class="quiet">
        {plural(count, "message")} cannot be read, so no attempt is made. A message that can be read again is released
        automatically. {count > messages.length ? `The newest ${countText(messages.length)} are shown.` : null}
      </p>
      <Table label="Quarantined messages" class="stacked pairs" head={["Message", "Found", "Damage", ""]}>
        {messages.map((message) => (
          <tr key={message.seq}>
            <th scope="row" class="left nowrap">
              <code>{nameOf(message)}</code>
            </th>
            <td class="nowrap right small">
              <RelativeTime atMs={message.foundAtMs} nowMs={nowMs} />
            </td>
            <td class="left small">
              {message.part}: {message.error}
            </td>
            <td class="right action">
              <ButtonLink class="small danger" href={discardLink(nameOf(message))} label={`Discard ${nameOf(message)}`}>
                Discard …
              </ButtonLink>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

export function discardPage(auth: AuthContext, name: string): string {
  return signedInPage(auth, "/operator/queue/discard", {
    title: "Discard a message",
    children: (
      <>
        <h1>Discard {name}?</h1>
        <Notice tone="warn">
          Its recipients without a final result fail, with the reason <code>discarded</code>. Do this when the message
          cannot be repaired: it is never delivered afterwards.
        </Notice>
        <PostForm action={PATH} formToken={auth.formToken}>
          <input type="hidden" name="message" value={name} />
          <ConfirmButtons text="Discard the message" back="/dashboard/operator/queue" />
        </PostForm>
      </>
    ),
  });
}

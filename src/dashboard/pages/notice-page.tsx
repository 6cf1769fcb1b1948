/** @jsxRuntime automatic @jsxImportSource preact */
/** The lists of notices, the newest first: those of an account, and those of all accounts and the installation. */
import { kindLabel } from "../../app/notices/kinds.ts";
import type { ListedNotices } from "../../app/notices/list-notices.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { EmptyState, RelativeTime, Table } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { OperatorsWebhookForm, type OperatorsWebhookFormState } from "./operators-webhook.tsx";

interface ListState {
  found: ListedNotices;
  nowMs: number;
}

export type FormState = OperatorsWebhookFormState;

export function accountNoticesPage(auth: AuthContext, state: ListState): string {
  return signedInPage(auth, "/notices", {
    title: "Notices",
    children: (
      <>
        <h1>Notices</h1>
        <p class="lead">
          What happened to this account. <a href="/dashboard/you#notices">Choose which of them you get by email</a>.
        </p>
        <NoticeTable state={state} path="/dashboard/notices" hasAccounts={false} />
      </>
    ),
  });
}

export function operatorNoticesPage(auth: AuthContext, state: ListState & { form: FormState }): string {
  return signedInPage(auth, "/operator/notices", {
    title: "All notices",
    children: (
      <>
        <h1>All notices</h1>
        <p class="lead">
          Of this installation and all accounts.{" "}
          <a href="/dashboard/you#notices">Choose which of them you get by email</a>.
        </p>
        <OperatorsWebhookForm auth={auth} form={state.form} />
        <NoticeTable state={state} path="/dashboard/operator/notices" hasAccounts />
      </>
    ),
  });
}

interface NoticeTableProps {
  state: ListState;
  path: string;
  hasAccounts: boolean;
}

function NoticeTable({ state: { found, nowMs }, path, hasAccounts }: NoticeTableProps) {
  if (found.notices.length === 0) {
    return (
      <EmptyState title="No notices">
        <p>A failing domain or webhook, a held API key and other conditions appear here.</p>
      </EmptyState>
    );
  }
  const head = ["Time", "About", "Notice", ...(hasAccounts ? ["Account"] : [])];
  return (
    <>
      <Table label="Notices" class="stacked" head={head}>
        {found.notices.map(({ id, atMs, kind, subject, text, link, account, accountId }) => (
          <tr key={id}>
            <td class="nowrap" data-label="Time">
              <RelativeTime atMs={atMs} nowMs={nowMs} />
            </td>
            <td class="nowrap" data-label="About">
              {kindLabel(kind)}
            </td>
            <td data-label="Notice" class="wide-cell">
              <a href={link}>{subject}</a>
              <details>
                <summary>Text</summary>
                {text.split("\n\n").map((paragraph, i) => (
                  <p key={`${i}${paragraph}`} class="small">
                    {paragraph}
                  </p>
                ))}
              </details>
            </td>
            {hasAccounts ? <td data-label="Account">{account ?? accountId ?? "Installation"}</td> : null}
          </tr>
        ))}
      </Table>
      {found.next === null ? null : (
        <p class="bar">
          <a class="button" href={`${path}?after=${found.next}`} rel="next">
            Older notices
          </a>
        </p>
      )}
    </>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of the current account, and the deletion of an account: by its owners, and by operators. Deleting asks for the account's
 * name and for re-authentication.
 */
import type { Context } from "koa";
import type { AccountDeletion } from "../../app/accounts/delete-account.ts";
import { DEFAULT_ACCOUNT } from "../../app/send/link-message.ts";
import { type Account, GRACE_MS } from "../../spool/port/accounts.ts";
import type { Credentials } from "../auth/credentials.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { ConfirmButtons, Field, Notice, PostForm, Timestamp } from "../views/components.tsx";
import { noticeText, spanText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { Allowed } from "../views/permissions.tsx";
import { ROLE_NAMES, ROLE_TEXTS } from "../views/role-labels.ts";
import { field } from "../web/form.ts";
import { notFound, PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ConfirmationFields, confirmUser } from "./confirmation.tsx";
import type { Pages } from "./routes.ts";
import { STATUS_PAGES_CHANGED, StatusPagesCard, setStatusPages } from "./status-pages-card.tsx";

/** Where an account is deleted from. */
interface Place {
  /** Below /dashboard. */
  pathOf: (account: Account) => string;
  /** The page's place in the navigation. */
  at: string;
  accountOf: (ctx: Context, auth: AuthContext) => Promise<Account>;
}

export function createAccountDeletion(parts: DashboardParts, credentials: Credentials): Pages {
  const own: Place = { pathOf: () => "/account", at: "/account", accountOf: async (_ctx, auth) => auth.account };
  const ofOperators: Place = {
    pathOf: ({ id }) => `/operator/accounts/${id}`,
    at: "/operator/accounts/one",
    async accountOf(ctx) {
      const accounts = await parts.registry.accounts();
      const account = accounts.find(({ id, isEmptied }) => id === ctx.params.id && !isEmptied);
      if (account === undefined) throw notFound();
      return account;
    },
  };
  return {
    "GET /account": async (ctx, auth) => {
      const hasStatusPages = await parts.registry.hasStatusPages(auth.account.id);
      return accountPage(auth, { hasStatusPages, notice: noticeText(NOTICES, ctx.query.done) });
    },
    "POST /account/status-pages": async (ctx, auth) => {
      await setStatusPages(ctx, parts, auth.account.id);
      ctx.redirect("/dashboard/account?done=status-pages");
    },
    ...deletionRoutes("/account", own, { parts, credentials }),
    ...deletionRoutes("/operator/accounts/:id", ofOperators, { parts, credentials }),
  };
}

const NOTICES: Record<string, string> = {
  restored: "Account restored. Its API keys are active again.",
  "status-pages": STATUS_PAGES_CHANGED,
};

function deletionRoutes(
  path: string,
  place: Place,
  { parts, credentials }: { parts: DashboardParts; credentials: Credentials },
): Pages {
  const { deletions, resultsKeptMs } = parts;
  return {
    [`GET ${path}/delete`]: async (ctx, auth) =>
      deletePage(auth, place, { account: await place.accountOf(ctx, auth), resultsKeptMs }),

    [`POST ${path}/delete`]: async (ctx, auth) => {
      const account = await place.accountOf(ctx, auth);
      const again = (error: string, status?: number): string => {
        if (status !== undefined) ctx.status = status;
        return deletePage(auth, place, { account, resultsKeptMs, error, typed: field(ctx, "name") });
      };
      if (field(ctx, "name") !== account.name) return again(`Type the name of the account: ${account.name}`, 400);
      const error = await confirmUser(ctx, auth, credentials);
      if (error !== null) return again(error);
      const deleted = await deletions.delete(account, auth.user);
      if (deleted === "not_found") throw notFound();
      const fault = FAULTS[deleted];
      return fault === null ? ctx.redirect(`/dashboard${place.pathOf(account)}`) : again(fault, 409);
    },

    [`POST ${path}/restore`]: async (ctx, auth) => {
      const account = await place.accountOf(ctx, auth);
      const restored = await deletions.restore(account, auth.user);
      if (restored === "not_allowed") throw new PageError("account_deleted");
      if (restored === "not_found") throw notFound();
      ctx.redirect(`/dashboard${place.pathOf(account)}?done=restored`);
    },
  };
}

const FAULTS: Record<Exclude<AccountDeletion, "not_found">, string | null> = {
  deleted: null,
  already_deleted: null,
  is_default: "The default account cannot be deleted: the service sends its own messages from it.",
  has_operators:
    "This account has users who are operators. Remove them first, so that the service does not lose its operators.",
};

function accountPage(
  auth: AuthContext,
  { hasStatusPages, notice }: { hasStatusPages: boolean; notice: string | undefined },
): string {
  const { account, role } = auth;
  return signedInPage(auth, "/account", {
    title: "Account",
    children: (
      <>
        <h1>Account {account.name}</h1>
        <p class="lead">
          Created <Timestamp atMs={account.createdAtMs} />. Your role is {ROLE_NAMES[role].toLowerCase()} (
          {ROLE_TEXTS[role]}).
        </p>
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        <p>
          <a href="/dashboard/users">Users of the account</a>
        </p>
        <StatusPagesCard auth={auth} path="/dashboard/account" isOn={hasStatusPages} />
        {account.deletedAtMs === null ? <DeletionCard auth={auth} account={account} path="/dashboard/account" /> : null}
      </>
    ),
  });
}

/** The way to the deletion of an account; for a deleted one, how long it can be restored. `path` is that of the account. */
export function DeletionCard({ auth, account, path }: { auth: AuthContext; account: Account; path: string }) {
  if (account.deletedAtMs !== null) {
    return (
      <section class="card">
        <h2>Deleted</h2>
        <p>
          The account was deleted at <Timestamp atMs={account.deletedAtMs} />. It can be restored until{" "}
          <Timestamp atMs={account.deletedAtMs + GRACE_MS} />.
        </p>
        <PostForm action={`${path}/restore`} formToken={auth.formToken}>
          <button type="submit">Restore account</button>
        </PostForm>
      </section>
    );
  }
  if (account.name === DEFAULT_ACCOUNT) return null;
  return (
    <Allowed to={`POST ${path}/delete`}>
      <section class="card">
        <h2>Delete</h2>
        <p>A deleted account can be restored for 7 days.</p>
        <a class="button danger" href={`${path}/delete`}>
          Delete account {account.name} …
        </a>
      </section>
    </Allowed>
  );
}

interface DeletePageState {
  account: Account;
  resultsKeptMs: number;
  typed?: string;
  error?: string;
}

function deletePage(
  auth: AuthContext,
  place: Place,
  { account, resultsKeptMs, typed, error }: DeletePageState,
): string {
  const path = `/dashboard${place.pathOf(account)}`;
  return signedInPage(auth, place.at, {
    title: `Delete account ${account.name}`,
    children: (
      <>
        <h1>Delete account {account.name}?</h1>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <ul class="bullets">
          <li>Its API keys are rejected from the next request on, by HTTP and by SMTP.</li>
          <li>Messages accepted before are still delivered, and their events still sent to webhooks.</li>
          <li>
            For 7 days its users can sign in and read, and{" "}
            {auth.user.operator ? "an operator" : "an owner or an operator"} can restore it.
          </li>
          <li>After that, its users, keys, domains, webhooks and invitations are removed permanently.</li>
          <li>
            Its messages are deleted as usual, {spanText(resultsKeptMs)} after their last result at the latest. Nothing
            undelivered is deleted.
          </li>
        </ul>
        <section class="card narrow">
          <PostForm action={`${path}/delete`} formToken={auth.formToken}>
            <Field label="Name of the account" name="name" value={typed} required autoComplete="off" />
            <ConfirmationFields auth={auth} />
            <ConfirmButtons text="Delete account" back={path} />
          </PostForm>
        </section>
      </>
    ),
  });
}

/**
 * The operator's routes for accounts: list, add, show, set the quota, switch the session to another account.
 */

import type { Context } from "koa";
import { isAccountName } from "../../app/accounts/account-name.ts";
import type { Account } from "../../spool/port/accounts.ts";
import { membershipIn } from "../../spool/port/memberships.ts";
import { type AuthContext, switchAccount } from "../auth/sessions.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type AccountRow, accountPage, accountsPage } from "./account-pages.tsx";
import { sectionOf } from "./account-section.ts";
import { accountState } from "./account-state.ts";
import type { Pages } from "./routes.ts";
import { withShortUrl } from "./short-url.ts";
import { setStatusPages } from "./status-pages-card.tsx";

export function createOperatorAccounts(parts: DashboardParts): Pages {
  const pages = new OperatorAccounts(parts);
  return {
    "GET /operator/accounts": withShortUrl((ctx, auth) => pages.list(auth, { find: findOf(ctx) })),
    "GET /operator/accounts/names": (ctx) => pages.names(ctx),
    "POST /operator/accounts": (ctx, auth) => pages.add(ctx, auth),
    "GET /operator/accounts/:id": (ctx, auth) => pages.show(ctx, auth),
    "POST /operator/accounts/:id/quota": (ctx, auth) => pages.setQuota(ctx, auth),
    "POST /operator/accounts/:id/status-pages": (ctx) => pages.setStatusPages(ctx),
    "POST /operator/look": (ctx, auth) => pages.switchAccount(ctx, auth),
  };
}

/** Listed on a page: the count of each is a separate read. */
const LISTED_MAX = 100;
const SUGGESTED_MAX = 20;

const findOf = ({ query: { find } }: Context): string =>
  typeof find === "string" ? find.trim().toLowerCase().slice(0, 63) : "";

class OperatorAccounts {
  readonly #parts: DashboardParts;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  async list(auth: AuthContext, changes: { find?: string; typed?: string; error?: string }): Promise<string> {
    const { sending, clock } = this.#parts;
    const { find = "" } = changes;
    const found = await this.#found(find);
    const rows = await this.#rows(found.slice(0, LISTED_MAX));
    const state = { rows, more: found.length - rows.length, quotaDaily: sending.quotaDaily, nowMs: clock.now() };
    return accountsPage(auth, { ...state, ...changes, find });
  }

  /** The names of accounts for the switcher. */
  async names(ctx: Context): Promise<void> {
    ctx.body = { names: (await this.#found(findOf(ctx))).slice(0, SUGGESTED_MAX).map(({ name }) => name) };
  }

  async add(ctx: Context, auth: AuthContext): Promise<unknown> {
    const name = field(ctx, "name");
    const rejectForm = (error: string): Promise<string> => {
      ctx.status = 400;
      return this.list(auth, { typed: name, error });
    };
    if (!isAccountName(name)) {
      return rejectForm("Enter 1 to 63 characters: a-z, 0-9, - and _, starting with a letter or a digit.");
    }
    const account = await this.#parts.registry.createAccount(name, this.#parts.clock.now());
    if (account === "exists") return rejectForm("An account with this name already exists.");
    ctx.redirect(`/dashboard/operator/accounts/${account.id}`);
  }

  async show(ctx: Context, auth: AuthContext): Promise<string> {
    const account = await this.#accountOf(ctx.params.id);
    return accountPage(auth, await accountState(this.#parts, account, { done: String(ctx.query.done ?? "") }));
  }

  async setQuota(ctx: Context, auth: AuthContext): Promise<unknown> {
    const account = await this.#accountOf(ctx.params.id);
    const typed = field(ctx, "quota");
    if (!/^\d{0,12}$/.test(typed)) {
      ctx.status = 400;
      const quotaError = "Enter a whole number. Enter 0 for no limit, or leave the field empty for the default.";
      return accountPage(auth, await accountState(this.#parts, account, { quotaError }));
    }
    await this.#parts.registry.setQuota(account.id, typed === "" ? null : Number(typed));
    ctx.redirect(`/dashboard/operator/accounts/${account.id}?done=quota`);
  }

  async setStatusPages(ctx: Context): Promise<void> {
    const { id } = await this.#accountOf(ctx.params.id);
    await setStatusPages(ctx, this.#parts, id);
    ctx.redirect(`/dashboard/operator/accounts/${id}?done=status-pages`);
  }

  /** By id, or by a name or an unambiguous part of it. */
  async switchAccount(ctx: Context, auth: AuthContext): Promise<void> {
    const name = field(ctx, "name").toLowerCase();
    const found = name === "" ? [await this.#accountOf(field(ctx, "account"))] : await this.#found(name);
    const account = found.find((each) => each.name === name) ?? (found.length === 1 ? found[0] : undefined);
    if (account === undefined) {
      return ctx.redirect(`/dashboard/operator/accounts?${new URLSearchParams({ find: name.slice(0, 63) })}`);
    }
    await switchAccount(ctx, this.#parts, auth, account.id);
    ctx.redirect(sectionOf(ctx));
  }

  async #accountOf(id: string | undefined): Promise<Account> {
    const account = (await this.#accounts()).find((each) => each.id === id);
    if (account === undefined) throw notFound();
    return account;
  }

  async #accounts(): Promise<Account[]> {
    return (await this.#parts.registry.accounts()).filter(({ isEmptied }) => !isEmptied);
  }

  /** The accounts with this in their name, those that begin with it first. */
  async #found(part: string): Promise<Account[]> {
    const found = (await this.#accounts()).filter(({ name }) => name.includes(part));
    return [
      ...found.filter(({ name }) => name.startsWith(part)),
      ...found.filter(({ name }) => !name.startsWith(part)),
    ];
  }

  async #rows(accounts: readonly Account[]): Promise<AccountRow[]> {
    const { registry, people, clock } = this.#parts;
    const users = await people.users(null);
    const used = await Promise.all(accounts.map(({ id }) => registry.quotaUsed(id, clock.now())));
    return accounts.map((account, i) => ({
      account,
      users: users.filter((user) => membershipIn(user, account.id) !== null).length,
      used: used[i] ?? 0,
    }));
  }
}

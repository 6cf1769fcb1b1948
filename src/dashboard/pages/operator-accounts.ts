/**
 * The operator's routes for accounts: list, add, show, set the quota, switch the session to another account.
 */
import type { Context } from "koa";
import type { Account } from "../../spool/port/accounts.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type AccountRow, accountPage, accountsPage } from "./account-pages.tsx";
import { accountState } from "./account-state.ts";
import type { Pages } from "./routes.ts";

const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export function createOperatorAccounts(parts: DashboardParts): Pages {
  const pages = new OperatorAccounts(parts);
  return {
    "GET /operator/accounts": (_ctx, auth) => pages.list(auth, {}),
    "POST /operator/accounts": (ctx, auth) => pages.add(ctx, auth),
    "GET /operator/accounts/:id": (ctx, auth) => pages.show(ctx, auth),
    "POST /operator/accounts/:id/quota": (ctx, auth) => pages.setQuota(ctx, auth),
    "POST /operator/look": (ctx, auth) => pages.switchAccount(ctx, auth),
  };
}

class OperatorAccounts {
  readonly #parts: DashboardParts;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
  }

  async list(auth: AuthContext, changes: { typed?: string; error?: string }): Promise<string> {
    const { sending, clock } = this.#parts;
    const state = { rows: await this.#rows(), quotaDaily: sending.quotaDaily, nowMs: clock.now(), ...changes };
    return accountsPage(auth, state);
  }

  async add(ctx: Context, auth: AuthContext): Promise<unknown> {
    const name = field(ctx, "name");
    const rejectForm = (error: string): Promise<string> => {
      ctx.status = 400;
      return this.list(auth, { typed: name, error });
    };
    if (!ACCOUNT_NAME.test(name)) {
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

  async switchAccount(ctx: Context, auth: AuthContext): Promise<void> {
    const account = await this.#accountOf(field(ctx, "account"));
    await this.#parts.people.switchAccount(auth.session.hash, account.id);
    ctx.redirect("/dashboard");
  }

  async #accountOf(id: string | undefined): Promise<Account> {
    const account = (await this.#parts.registry.accounts()).find((each) => each.id === id);
    if (account === undefined) throw notFound();
    return account;
  }

  async #rows(): Promise<AccountRow[]> {
    const { registry, people, clock } = this.#parts;
    const accounts = await registry.accounts();
    const users = await people.users(null);
    const used = await Promise.all(accounts.map(({ id }) => registry.quotaUsed(id, clock.now())));
    return accounts.map((account, i) => ({
      account,
      users: users.filter(({ accountId }) => accountId === account.id).length,
      used: used[i] ?? 0,
    }));
  }
}

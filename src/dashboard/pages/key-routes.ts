/**
 * Routes for API keys: create, list, revoke. A new key's plaintext is shown once.
 */
import type { Context } from "koa";
import { createApiKey } from "../../app/create-key.ts";
import { displayNameFault } from "../../lib/display-name.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { plural } from "../views/labels.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ShownOnce } from "../web/shown-once.ts";
import { type KeyKind, type KeyListState, keyListPage } from "./key-list.tsx";
import { keyAlreadyShownPage, keyCreatedPage, type NewKey, revokeKeyPage } from "./key-page.tsx";
import type { Pages } from "./routes.ts";

export function createKeyRoutes(parts: DashboardParts): Pages {
  const pages = new KeyPages(parts);
  return {
    "GET /keys": (ctx, auth) =>
      pages.list(auth, { kind: kindOf(ctx), ...(ctx.query.done === "revoked" ? { notice: REVOKED } : {}) }),
    "POST /keys": (ctx, auth) => pages.create(ctx, auth),
    "GET /keys/created/:ticket": (ctx, auth) => pages.showNewKey(ctx, auth),
    "GET /keys/:id/revoke": (ctx, auth) => pages.confirmRevocation(ctx, auth),
    "POST /keys/:id/revoke": (ctx, auth) => pages.revoke(ctx, auth),
  };
}

const REVOKED = "Key revoked. Requests that use it are rejected.";

const kindOf = ({ query: { kind } }: Context): KeyKind => (kind === "live" || kind === "test" ? kind : "all");

class KeyPages {
  readonly #parts: DashboardParts;
  readonly #newKeys: ShownOnce<NewKey>;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    this.#newKeys = new ShownOnce(parts, "new key");
  }

  async list(auth: AuthContext, changes: Partial<KeyListState>): Promise<string> {
    const { registry, clock } = this.#parts;
    return keyListPage(auth, { keys: await registry.keys(auth.account.id), nowMs: clock.now(), ...changes });
  }

  async create(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { registry, clock, limits } = this.#parts;
    const name = field(ctx, "name");
    const typedKind = field(ctx, "kind");
    const test = typedKind === "test";
    const rejectForm = (error: string): Promise<string> => {
      ctx.status = 400;
      return this.list(auth, { typed: name, typedKind, error });
    };
    const fault = displayNameFault(name);
    if (fault !== null) return rejectForm(`The name ${fault}.`);
    const { keysMax } = limits;
    const accountId = auth.account.id;
    const created = await createApiKey(registry, { accountId, name, nowMs: clock.now(), keysMax, test });
    if (created.type === "too_many") {
      const limit = plural(keysMax, "active key");
      return rejectForm(`This account has reached its limit of ${limit} (KEYS_MAX). Revoke one first.`);
    }
    const ticket = await this.#newKeys.hold(accountId, { key: created.key, name, test });
    ctx.redirect(`/dashboard/keys/created/${ticket}`);
  }

  async showNewKey(ctx: Context, auth: AuthContext): Promise<string> {
    const key = await this.#newKeys.take(auth.account.id, ctx.params.ticket ?? "");
    if (key === null) return keyAlreadyShownPage(auth);
    const domains = await this.#parts.registry.domains(auth.account.id);
    const sender = domains.find((domain) => domain.verified) ?? (key.test ? domains[0] : undefined);
    return keyCreatedPage(auth, { publicUrl: this.#parts.publicUrl, key, sender: sender?.name ?? null });
  }

  async confirmRevocation(ctx: Context, auth: AuthContext): Promise<string> {
    const { registry, clock } = this.#parts;
    const key = (await registry.keys(auth.account.id)).find(({ id }) => id === ctx.params.id);
    if (key === undefined) throw notFound();
    return revokeKeyPage(auth, key, clock.now());
  }

  async revoke(ctx: Context, auth: AuthContext): Promise<void> {
    const { registry, clock } = this.#parts;
    const revoked = await registry.revokeKey(auth.account.id, ctx.params.id ?? "", clock.now());
    if (revoked === "not_found") throw notFound();
    ctx.redirect("/dashboard/keys?done=revoked");
  }
}

/**
 * Routes for API keys: create, list, show, edit, revoke. A new key's plaintext is shown once.
 */
import type { Context } from "koa";
import { fuseOf } from "../../app/decide/held-keys.ts";
import { createApiKey } from "../../app/send/create-key.ts";
import { keyChangeFault, mayGive, validateAccess } from "../../app/send/key-access.ts";
import { displayNameFault } from "../../lib/display-name.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { readAccessFields } from "../views/key-access.tsx";
import { plural } from "../views/labels.ts";
import { field } from "../web/form.ts";
import { notFound, PageError } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ShownOnce } from "../web/shown-once.ts";
import { type KeyKind, type KeyListState, keyListPage } from "./key-list.tsx";
import {
  type KeyPageState,
  keyAlreadyShownPage,
  keyCreatedPage,
  keyPage,
  type NewKey,
  revokeKeyPage,
} from "./key-page.tsx";
import type { Pages } from "./routes.ts";

export function createKeyRoutes(parts: DashboardParts): Pages {
  const pages = new KeyPages(parts);
  return {
    "GET /keys": (ctx, auth) =>
      pages.list(auth, { kind: kindOf(ctx), ...(ctx.query.done === "revoked" ? { notice: REVOKED } : {}) }),
    "POST /keys": (ctx, auth) => pages.create(ctx, auth),
    "GET /keys/created/:ticket": (ctx, auth) => pages.showNewKey(ctx, auth),
    "GET /keys/:id": (ctx, auth) => pages.show(ctx, auth),
    "POST /keys/:id": (ctx, auth) => pages.edit(ctx, auth),
    "POST /keys/:id/release": (ctx, auth) => pages.release(ctx, auth),
    "GET /keys/:id/revoke": (ctx, auth) => pages.confirmRevocation(ctx, auth),
    "POST /keys/:id/revoke": (ctx, auth) => pages.revoke(ctx, auth),
  };
}

/** Requests on a key's page. */
const USES_SHOWN = 10;

const EDITED = "Key changed. This holds for every request from now on.";
const RELEASED = "Key released. What waited is sent now, and the key is not held again for a day.";
const REVOKED = "Key revoked. Requests that use it are rejected.";

const kindOf = ({ query: { kind } }: Context): KeyKind => (kind === "live" || kind === "test" ? kind : "all");

const givenBy = ({ user, role }: AuthContext) => mayGive({ isOperator: user.operator, isOwner: role === "owner" });

/** What `ShownOnce` calls new keys. */
export const NEW_KEYS = "new key";

class KeyPages {
  readonly #parts: DashboardParts;
  readonly #newKeys: ShownOnce<NewKey>;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    this.#newKeys = new ShownOnce(parts, NEW_KEYS);
  }

  async list(auth: AuthContext, changes: Partial<KeyListState>): Promise<string> {
    const { registry, clock } = this.#parts;
    const keys = await registry.keys(auth.account.id);
    return keyListPage(auth, { keys, domains: await this.#domains(auth), nowMs: clock.now(), ...changes });
  }

  async #domains(auth: AuthContext): Promise<string[]> {
    return (await this.#parts.registry.domains(auth.account.id)).map(({ name }) => name);
  }

  async create(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { registry, clock, limits } = this.#parts;
    const name = field(ctx, "name");
    const typedKind = field(ctx, "kind");
    const test = typedKind === "test";
    const input = readAccessFields(ctx);
    const rejectForm = (faults: Pick<KeyListState, "error" | "accessFault">): Promise<string> => {
      ctx.status = 400;
      return this.list(auth, { typed: name, typedKind, access: input, ...faults });
    };
    const fault = displayNameFault(name);
    if (fault !== null) return rejectForm({ error: `The name ${fault}.` });
    const { keysMax } = limits;
    const accountId = auth.account.id;
    const context = {
      registry,
      accountId,
      former: null,
      nowMs: clock.now(),
      isTest: test,
      mayGive: givenBy(auth),
    };
    const access = await validateAccess(input, context);
    if (access.type === "invalid") return rejectForm({ accessFault: access });
    const created = await createApiKey(registry, { accountId, name, nowMs: clock.now(), keysMax, test, access });
    if (created.type === "too_many") {
      const limit = plural(keysMax, "active key");
      return rejectForm({ error: `This account has reached its limit of ${limit} (KEYS_MAX). Revoke one first.` });
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

  async show(ctx: Context, auth: AuthContext, changes: Partial<KeyPageState> = {}): Promise<string> {
    const { spool, registry, clock } = this.#parts;
    const key = await this.#keyOf(ctx, auth);
    const { requests } = await spool.requests({ accountId: auth.account.id, keyId: key.id, limit: USES_SHOWN });
    return keyPage(auth, {
      key,
      requests,
      domains: await this.#domains(auth),
      nowMs: clock.now(),
      held: (await fuseOf(registry, { accountId: auth.account.id, keyId: key.id }))?.held ?? null,
      ...(ctx.query.done === "edited" ? { notice: EDITED } : {}),
      ...(ctx.query.done === "released" ? { notice: RELEASED } : {}),
      ...changes,
    });
  }

  async edit(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { registry, clock } = this.#parts;
    const key = await this.#changedKey(ctx, auth);
    const name = field(ctx, "name");
    const input = readAccessFields(ctx);
    const rejectForm = (faults: Partial<KeyPageState>): Promise<string> => {
      ctx.status = 400;
      return this.show(ctx, auth, { typed: { name, access: input }, ...faults });
    };
    const fault = displayNameFault(name);
    if (fault !== null) return rejectForm({ nameFault: `The name ${fault}.` });
    const accountId = auth.account.id;
    const nowMs = clock.now();
    const access = await validateAccess(input, {
      ...key,
      registry,
      former: key.domains,
      nowMs,
      isTest: key.test,
      mayGive: givenBy(auth),
    });
    if (access.type === "invalid") return rejectForm({ accessFault: access });
    const changed = await registry.changeKey({ accountId, keyId: key.id, name, access });
    if (changed === "not_found") throw notFound();
    ctx.redirect(`/dashboard/keys/${key.id}${changed === "changed" ? "?done=edited" : ""}`);
  }

  /** The key of the path, for a change. Throws `not_found`, and `forbidden` for a key that may do more than the user may give. */
  async #changedKey(ctx: Context, auth: AuthContext): Promise<ApiKey> {
    const key = await this.#keyOf(ctx, auth);
    const fault = keyChangeFault(key, givenBy(auth));
    if (fault !== null) throw new PageError("forbidden", fault);
    return key;
  }

  /** Returns the key of the path. Throws `not_found`. */
  async #keyOf(ctx: Context, auth: AuthContext): Promise<ApiKey> {
    const key = (await this.#parts.registry.keys(auth.account.id)).find(({ id }) => id === ctx.params.id);
    if (key === undefined) throw notFound();
    return key;
  }

  /** Delivery tries what waited within seconds. */
  async release(ctx: Context, auth: AuthContext): Promise<void> {
    const { registry, clock } = this.#parts;
    const key = await this.#changedKey(ctx, auth);
    await registry.releaseKey({ accountId: auth.account.id, keyId: key.id, atMs: clock.now() });
    ctx.redirect(`/dashboard/keys/${key.id}?done=released`);
  }

  async confirmRevocation(ctx: Context, auth: AuthContext): Promise<string> {
    return revokeKeyPage(auth, await this.#keyOf(ctx, auth), this.#parts.clock.now());
  }

  async revoke(ctx: Context, auth: AuthContext): Promise<void> {
    const { registry, clock } = this.#parts;
    const { id } = await this.#changedKey(ctx, auth);
    const revoked = await registry.revokeKey(auth.account.id, id, clock.now());
    if (revoked === "not_found") throw notFound();
    ctx.redirect("/dashboard/keys?done=revoked");
  }
}

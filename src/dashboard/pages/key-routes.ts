/**
 * Routes for API keys: create, list, revoke. A new key's plaintext is held in memory until its page has shown it
 * once; reloading that page neither shows it again nor creates another key.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import { createApiKey } from "../../app/create-key.ts";
import type { Clock } from "../../lib/clock.ts";
import { displayNameFault } from "../../lib/display-name.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { plural } from "../views/labels.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type KeyListState, keyListPage } from "./key-list.tsx";
import { keyAlreadyShownPage, keyCreatedPage, revokeKeyPage } from "./key-page.tsx";
import type { Pages } from "./routes.ts";

/** How long a new key is held until its page is requested. */
const SHOW_WITHIN_MS = 5 * 60_000;
const HELD_MAX = 1000;

interface NewKey {
  key: string;
  name: string;
  accountId: string;
  untilMs: number;
}

export function createKeyRoutes(parts: DashboardParts): Pages {
  const pages = new KeyPages(parts);
  return {
    "GET /keys": (ctx, auth) => pages.list(auth, ctx.query.done === "revoked" ? { notice: REVOKED } : {}),
    "POST /keys": (ctx, auth) => pages.create(ctx, auth),
    "GET /keys/created/:ticket": (ctx, auth) => pages.showNewKey(ctx, auth),
    "GET /keys/:id/revoke": (ctx, auth) => pages.confirmRevocation(ctx, auth),
    "POST /keys/:id/revoke": (ctx, auth) => pages.revoke(ctx, auth),
  };
}

const REVOKED = "Key revoked. Requests that use it are rejected.";

class KeyPages {
  readonly #parts: DashboardParts;
  readonly #newKeys: NewKeys;

  constructor(parts: DashboardParts) {
    this.#parts = parts;
    this.#newKeys = new NewKeys(parts.clock);
  }

  async list(auth: AuthContext, changes: Partial<KeyListState>): Promise<string> {
    const { registry, clock } = this.#parts;
    return keyListPage(auth, { keys: await registry.keys(auth.account.id), nowMs: clock.now(), ...changes });
  }

  async create(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { registry, clock, limits } = this.#parts;
    const name = field(ctx, "name");
    const rejectForm = (error: string): Promise<string> => {
      ctx.status = 400;
      return this.list(auth, { typed: name, error });
    };
    const fault = displayNameFault(name);
    if (fault !== null) return rejectForm(`The name ${fault}.`);
    const { keysMax } = limits;
    const accountId = auth.account.id;
    const created = await createApiKey(registry, { accountId, name, nowMs: clock.now(), keysMax });
    if (created.type === "too_many") {
      const limit = plural(keysMax, "active key");
      return rejectForm(`This account has reached its limit of ${limit} (KEYS_MAX). Revoke one first.`);
    }
    ctx.redirect(`/dashboard/keys/created/${this.#newKeys.hold({ key: created.key, name, accountId })}`);
  }

  async showNewKey(ctx: Context, auth: AuthContext): Promise<string> {
    const key = this.#newKeys.take(ctx.params.ticket ?? "", auth.account.id);
    if (key === null) return keyAlreadyShownPage(auth);
    const domains = await this.#parts.registry.domains(auth.account.id);
    const sender = domains.find((domain) => domain.verified)?.name ?? null;
    return keyCreatedPage(auth, { publicUrl: this.#parts.publicUrl, key, sender });
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

/** New keys that have not been shown yet, by ticket, the oldest first. */
class NewKeys {
  readonly #clock: Clock;
  readonly #held = new Map<string, NewKey>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the ticket for `take`. */
  hold(key: Omit<NewKey, "untilMs">): string {
    const nowMs = this.#clock.monotonicMs();
    for (const [ticket, { untilMs }] of this.#held) if (untilMs <= nowMs) this.#held.delete(ticket);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= HELD_MAX && oldest !== undefined) this.#held.delete(oldest);
    const ticket = randomBytes(16).toString("base64url");
    this.#held.set(ticket, { ...key, untilMs: nowMs + SHOW_WITHIN_MS });
    return ticket;
  }

  /** Returns the account's key once, and null from then on. */
  take(ticket: string, accountId: string): NewKey | null {
    const key = this.#held.get(ticket);
    if (key === undefined || key.accountId !== accountId || key.untilMs <= this.#clock.monotonicMs()) return null;
    this.#held.delete(ticket);
    return key;
  }
}

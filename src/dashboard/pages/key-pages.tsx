/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Routes and pages for API keys: create, list, revoke. A new key's plaintext is held in memory until its page has shown it
 * once; reloading that page neither shows it again nor creates another key.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import type { Clock } from "../../lib/clock.ts";
import { DISPLAY_NAME_LENGTH_MAX, displayNameFault } from "../../lib/display-name.ts";
import { newApiKey } from "../../security/api-key.ts";
import type { ApiKey } from "../../spool/port/accounts.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Copyable, EmptyState, Field, Notice, PostForm, RelativeTime, Table } from "../views/components.tsx";
import { sendCommand } from "../views/curl-commands.ts";
import { countText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
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

export function createKeyPages(parts: DashboardParts): Pages {
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

  async list(auth: AuthContext, changes: Partial<ListState>): Promise<string> {
    const { registry, clock } = this.#parts;
    return listPage(auth, { keys: await registry.keys(auth.account.id), nowMs: clock.now(), ...changes });
  }

  async create(ctx: Context, auth: AuthContext): Promise<unknown> {
    const { registry, clock, limits } = this.#parts;
    const name = field(ctx, "name");
    const refuse = (error: string): Promise<string> => {
      ctx.status = 400;
      return this.list(auth, { typed: name, error });
    };
    const fault = displayNameFault(name);
    if (fault !== null) return refuse(`The name ${fault}.`);
    const { key, hash, lastFour } = newApiKey();
    const { keysMax } = limits;
    const accountId = auth.account.id;
    const created = await registry.createKey({ accountId, name, hash, lastFour, createdAtMs: clock.now(), keysMax });
    if (created === "too_many") {
      const limit = plural(keysMax, "active key");
      return refuse(`This account has reached its limit of ${limit} (KEYS_MAX). Revoke one first.`);
    }
    ctx.redirect(`/dashboard/keys/created/${this.#newKeys.hold({ key, name, accountId })}`);
  }

  async showNewKey(ctx: Context, auth: AuthContext): Promise<string> {
    const key = this.#newKeys.take(ctx.params.ticket ?? "", auth.account.id);
    if (key === null) return alreadyShownPage(auth);
    const domains = await this.#parts.registry.domains(auth.account.id);
    const sender = domains.find((domain) => domain.verified)?.name ?? null;
    return createdPage(auth, { parts: this.#parts, key, sender });
  }

  async confirmRevocation(ctx: Context, auth: AuthContext): Promise<string> {
    const { registry, clock } = this.#parts;
    const key = (await registry.keys(auth.account.id)).find(({ id }) => id === ctx.params.id);
    if (key === undefined) throw notFound();
    return revokePage(auth, key, clock.now());
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

interface ListState {
  keys: ApiKey[];
  nowMs: number;
  typed?: string;
  error?: string;
  notice?: string;
}

export function CreateKey({
  auth,
  typed,
  error,
}: {
  auth: AuthContext;
  typed?: string | undefined;
  error?: string | undefined;
}) {
  return (
    <PostForm action="/dashboard/keys" formToken={auth.formToken} class="inline-form">
      <Field
        label="Key name"
        name="name"
        value={typed}
        error={error}
        required
        placeholder="website"
        maxLength={DISPLAY_NAME_LENGTH_MAX}
        hint="The app that uses this key, for example “website”."
      />
      <button type="submit" class="primary">
        Create key
      </button>
    </PostForm>
  );
}

function listPage(auth: AuthContext, { keys, nowMs, typed, error, notice }: ListState): string {
  const newestFirst = keys.toReversed();
  return signedInPage(auth, "/keys", {
    title: "API keys",
    children: (
      <>
        <h1>API keys</h1>
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        {keys.length === 0 ? (
          <EmptyState title="No API keys yet">
            <p>An API key lets your app send messages. It is shown once, when you create it.</p>
          </EmptyState>
        ) : (
          <Table
            label="API keys"
            class="stacked"
            head={["Name", "Key", "State", "Created", "Last used", "Messages", "Action"]}
          >
            {newestFirst.map((key) => (
              <KeyRow key={key.id} apiKey={key} nowMs={nowMs} />
            ))}
          </Table>
        )}
        <section class="card">
          <h2>Create a key</h2>
          <CreateKey auth={auth} typed={typed} error={error} />
          <p>
            The <a href="/dashboard/api">API reference</a> describes all requests.
          </p>
        </section>
      </>
    ),
  });
}

function KeyRow({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  const active = apiKey.revokedAtMs === null;
  return (
    <tr class={active ? "" : "faded"}>
      <th scope="row">{apiKey.name}</th>
      <td class="nowrap">
        <code>…{apiKey.lastFour}</code>
      </td>
      <td>
        <Badge label={active ? { text: "Active", tone: "good" } : { text: "Revoked", tone: "quiet" }} />
      </td>
      <td class="nowrap" data-label="Created">
        <RelativeTime atMs={apiKey.createdAtMs} nowMs={nowMs} />
      </td>
      <td class="nowrap" data-label="Last used">
        {apiKey.lastUsedAtMs === null ? "Never" : <RelativeTime atMs={apiKey.lastUsedAtMs} nowMs={nowMs} />}
      </td>
      <td class="number" data-label="Messages">
        <a href={`/dashboard/messages?key=${encodeURIComponent(apiKey.id)}`}>{countText(apiKey.messagesSent)}</a>
      </td>
      <td>
        {active ? (
          <a class="button small" href={`/dashboard/keys/${apiKey.id}/revoke`} aria-label={`Revoke ${apiKey.name}`}>
            Revoke …
          </a>
        ) : null}
      </td>
    </tr>
  );
}

function createdPage(
  auth: AuthContext,
  { parts, key, sender }: { parts: DashboardParts; key: NewKey; sender: string | null },
): string {
  const curl = sendCommand({
    url: parts.publicUrl,
    key: key.key,
    sender: sender ?? "example.com",
    to: auth.user.email,
  });
  return signedInPage(auth, "/keys/created", {
    title: `Key ${key.name}`,
    children: (
      <>
        <h1>Key “{key.name}” created</h1>
        <Notice tone="warn">Copy the key now: this is the only time it is shown.</Notice>
        <section class="card">
          <h2>API key</h2>
          <Copyable text={key.key} label="API key" />
        </section>
        <section class="card">
          <h2>Send your first message</h2>
          {sender === null ? (
            <p>
              No domain is verified yet. Once yours is, replace <code>example.com</code> with it and run this command.
            </p>
          ) : (
            <p>Run this command where your app runs. The response is 202 with the id of the accepted message.</p>
          )}
          <Copyable text={curl} label="curl command" block />
          <p>
            The <a href="/dashboard/api">API reference</a> describes all fields.
          </p>
        </section>
        <p class="bar">
          <a class="button primary" href="/dashboard/start">
            Continue
          </a>
          <a class="button" href="/dashboard/keys">
            Show all keys
          </a>
        </p>
      </>
    ),
  });
}

function alreadyShownPage(auth: AuthContext): string {
  return signedInPage(auth, "/keys/created", {
    title: "Key already shown",
    children: (
      <>
        <h1>This key has already been shown</h1>
        <p>A key is shown once, and only its hash is stored. If you did not copy it, revoke it and create another.</p>
        <a class="button" href="/dashboard/keys">
          Show all keys
        </a>
      </>
    ),
  });
}

function revokePage(auth: AuthContext, key: ApiKey, nowMs: number): string {
  return signedInPage(auth, "/keys/revoke", {
    title: `Revoke ${key.name}`,
    children: (
      <>
        <h1>Revoke “{key.name}”?</h1>
        <p>
          Apps that still use <code>…{key.lastFour}</code> get 401 for every request, and can no longer look up their
          messages. This cannot be undone.{" "}
          {key.lastUsedAtMs === null ? (
            "It was never used."
          ) : (
            <>
              It was last used <RelativeTime atMs={key.lastUsedAtMs} nowMs={nowMs} />.
            </>
          )}
        </p>
        <PostForm action={`/dashboard/keys/${key.id}/revoke`} formToken={auth.formToken} class="bar">
          <button type="submit" class="danger">
            Revoke {key.name}
          </button>
          <a class="button" href="/dashboard/keys">
            Cancel
          </a>
        </PostForm>
      </>
    ),
  });
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * API keys: made with a name, shown once, revoked. The plaintext waits in memory for the one page that shows it, so
 * that loading that page again neither shows it again nor makes another key.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "koa";
import { DISPLAY_NAME_LENGTH_MAX, displayNameFault } from "../../lib/display-name.ts";
import type { ApiKey } from "../../spool/port/accounts.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Badge, Copyable, Empty, Field, Notice, PostForm, Table } from "../views/components.tsx";
import { curlLine } from "../views/curl-line.ts";
import { countText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import type { Pages } from "./routes.ts";

/** How long a new key waits to be shown. */
const SHOWN_WITHIN_MS = 5 * 60_000;
const WAITING_MAX = 1000;

interface NewKey {
  key: string;
  id: string;
  name: string;
  accountId: string;
  untilMs: number;
}

export function createKeyPages(parts: DashboardParts): Pages {
  const { registry, clock, secrets } = parts;
  const waiting = new Map<string, NewKey>();

  function keepForShowing(key: NewKey): string {
    const ticket = randomBytes(16).toString("base64url");
    for (const [old, { untilMs }] of waiting) if (untilMs <= clock.monotonicMs()) waiting.delete(old);
    const [oldest] = waiting.keys();
    if (waiting.size >= WAITING_MAX && oldest !== undefined) waiting.delete(oldest);
    waiting.set(ticket, key);
    return ticket;
  }

  /** Once. */
  function take(ticket: string, visit: Visit): NewKey | null {
    const key = waiting.get(ticket);
    if (key === undefined || key.accountId !== visit.account.id || key.untilMs <= clock.monotonicMs()) return null;
    waiting.delete(ticket);
    return key;
  }

  async function keyOf(ctx: Context, visit: Visit): Promise<ApiKey> {
    const key = (await registry.keys(visit.account.id)).find(({ id }) => id === ctx.params.id);
    if (key === undefined) throw notFound();
    return key;
  }

  const list = async (visit: Visit, said: Partial<ListState> = {}): Promise<string> =>
    listPage(visit, { keys: await registry.keys(visit.account.id), nowMs: clock.now(), ...said });

  return {
    "GET /keys": (ctx, visit) =>
      list(visit, ctx.query.done === "revoked" ? { done: "The key is revoked: requests with it are refused." } : {}),

    "POST /keys": async (ctx, visit) => {
      const name = field(ctx, "name");
      const fault = displayNameFault(name);
      if (fault !== null) {
        ctx.status = 400;
        return list(visit, { typed: name, error: `The name ${fault}.` });
      }
      const { key, hash, lastFour } = secrets.newApiKey();
      const nowMs = clock.now();
      const { keysMax } = parts.limits;
      const made = { accountId: visit.account.id, name, hash, lastFour, createdAtMs: nowMs, keysMax };
      const created = await registry.createKey(made);
      if (created === "too_many") {
        ctx.status = 400;
        const limit = plural(keysMax, "active key");
        return list(visit, {
          typed: name,
          error: `This account has reached its limit of ${limit} (KEYS_MAX). Revoke one first.`,
        });
      }
      const newKey = {
        key,
        id: created.id,
        name,
        accountId: visit.account.id,
        untilMs: clock.monotonicMs() + SHOWN_WITHIN_MS,
      };
      ctx.redirect(`/dashboard/keys/created/${keepForShowing(newKey)}`);
    },

    "GET /keys/created/:ticket": async (ctx, visit) => {
      const key = take(ctx.params.ticket ?? "", visit);
      if (key === null) return shownAlreadyPage(visit);
      const domains = await registry.domains(visit.account.id);
      return createdPage(visit, { parts, key, sender: domains.find((domain) => domain.verified)?.name ?? null });
    },

    "GET /keys/:id/revoke": async (ctx, visit) => revokePage(visit, await keyOf(ctx, visit), clock.now()),

    "POST /keys/:id/revoke": async (ctx, visit) => {
      const revoked = await registry.revokeKey(visit.account.id, ctx.params.id ?? "", clock.now());
      if (revoked === "not_found") throw notFound();
      ctx.redirect("/dashboard/keys?done=revoked");
    },
  };
}

interface ListState {
  keys: ApiKey[];
  nowMs: number;
  typed?: string;
  error?: string;
  done?: string;
}

export function CreateKey({
  visit,
  typed,
  error,
}: {
  visit: Visit;
  typed?: string | undefined;
  error?: string | undefined;
}) {
  return (
    <PostForm action="/dashboard/keys" formToken={visit.formToken} class="inline-form">
      <Field
        label="Name of the key"
        name="name"
        value={typed}
        error={error}
        required
        placeholder="website"
        maxLength={DISPLAY_NAME_LENGTH_MAX}
        hint="What uses it, so that you know it again."
      />
      <button type="submit" class="primary">
        Create key
      </button>
    </PostForm>
  );
}

function listPage(visit: Visit, { keys, nowMs, typed, error, done }: ListState): string {
  const newestFirst = keys.toReversed();
  return signedInPage(visit, "/keys", {
    title: "API keys",
    children: (
      <>
        <h1>API keys</h1>
        {done === undefined ? null : <Notice tone="good">{done}</Notice>}
        {keys.length === 0 ? (
          <Empty title="No key yet">
            <p>A key lets your website send. Its text is shown once, when it is created.</p>
          </Empty>
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
          <CreateKey visit={visit} typed={typed} error={error} />
          <p>
            See the <a href="/dashboard/api">API reference</a> for all requests.
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
        <Badge word={active ? { text: "Active", tone: "good" } : { text: "Revoked", tone: "quiet" }} />
      </td>
      <td class="nowrap" data-label="Created">
        <Ago atMs={apiKey.createdAtMs} nowMs={nowMs} />
      </td>
      <td class="nowrap" data-label="Last used">
        {apiKey.lastUsedAtMs === null ? "Never" : <Ago atMs={apiKey.lastUsedAtMs} nowMs={nowMs} />}
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
  visit: Visit,
  { parts, key, sender }: { parts: DashboardParts; key: NewKey; sender: string | null },
): string {
  const curl = curlLine({ url: parts.publicUrl, key: key.key, sender: sender ?? "example.com", to: visit.user.email });
  return signedInPage(visit, "/keys/created", {
    title: `Key ${key.name}`,
    children: (
      <>
        <h1>Key “{key.name}” is created</h1>
        <Notice tone="warn">Copy it now: this is the only time it is shown.</Notice>
        <section class="card">
          <h2>The key</h2>
          <Copyable text={key.key} label="API key" />
        </section>
        <section class="card">
          <h2>Send your first mail with it</h2>
          {sender === null ? (
            <p>
              No domain is verified yet: with <code>example.com</code> replaced by yours, this works once it is.
            </p>
          ) : (
            <p>Run this where your website runs. It answers 202 with an id, and the mail is on its way.</p>
          )}
          <Copyable text={curl} label="curl line" block />
          <p>
            See the <a href="/dashboard/api">API reference</a> for all fields.
          </p>
        </section>
        <p class="bar">
          <a class="button primary" href="/dashboard/start">
            I have copied it
          </a>
          <a class="button" href="/dashboard/keys">
            All keys
          </a>
        </p>
      </>
    ),
  });
}

function shownAlreadyPage(visit: Visit): string {
  return signedInPage(visit, "/keys/created", {
    title: "Shown already",
    children: (
      <>
        <h1>This key was shown already</h1>
        <p>A key's text is shown once and kept nowhere. If you did not copy it, revoke the key and create another.</p>
        <a class="button" href="/dashboard/keys">
          All keys
        </a>
      </>
    ),
  });
}

function revokePage(visit: Visit, key: ApiKey, nowMs: number): string {
  return signedInPage(visit, "/keys/revoke", {
    title: `Revoke ${key.name}`,
    children: (
      <>
        <h1>Revoke “{key.name}”?</h1>
        <p>
          Whatever still uses <code>…{key.lastFour}</code> gets 401 from its next request on, and can no longer look its
          messages up. This cannot be undone.{" "}
          {key.lastUsedAtMs === null ? (
            "It was never used."
          ) : (
            <>
              It was last used <Ago atMs={key.lastUsedAtMs} nowMs={nowMs} />.
            </>
          )}
        </p>
        <PostForm action={`/dashboard/keys/${key.id}/revoke`} formToken={visit.formToken} class="bar">
          <button type="submit" class="danger">
            Revoke {key.name}
          </button>
          <a class="button" href="/dashboard/keys">
            Keep it
          </a>
        </PostForm>
      </>
    ),
  });
}

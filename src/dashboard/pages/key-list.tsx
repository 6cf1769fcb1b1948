import { DISPLAY_NAME_LENGTH_MAX } from "../../lib/display-name.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, EmptyState, Field, Notice, PostForm, RelativeTime, Table } from "../views/components.tsx";
import { countText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";

export interface KeyListState {
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

export function keyListPage(auth: AuthContext, { keys, nowMs, typed, error, notice }: KeyListState): string {
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

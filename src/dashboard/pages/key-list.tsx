import type { ComponentChildren } from "preact";
import type { AccessInput, InvalidAccess } from "../../app/send/key-access.ts";
import { DISPLAY_NAME_LENGTH_MAX } from "../../lib/display-name.ts";
import { type ApiKey, isActive } from "../../spool/port/api-keys.ts";
import type { AuthContext } from "../auth/sessions.ts";
import {
  Badge,
  EmptyState,
  Field,
  Notice,
  type Option,
  PostForm,
  RelativeTime,
  Select,
  Table,
} from "../views/components.tsx";
import { AccessFields } from "../views/key-access.tsx";
import { accessText, countText, keyLabel, TEST_LABEL } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { RowLink, StateText } from "../views/list-rows.tsx";
import { Allowed, ButtonLink } from "../views/permissions.tsx";

/** Which keys are listed. */
export type KeyKind = "all" | "live" | "test";

export interface KeyListState {
  keys: ApiKey[];
  nowMs: number;
  /** All if absent. */
  kind?: KeyKind;
  typedKind?: string;
  typed?: string;
  error?: string;
  notice?: string;
  /** The names of the account's domains. */
  domains: string[];
  access?: AccessInput;
  accessFault?: InvalidAccess;
}

const KIND_OPTIONS: Option[] = [
  { value: "live", text: "Live: sends to recipients" },
  { value: "test", text: "Test: nothing leaves this server" },
];

export interface CreateKeyProps {
  auth: AuthContext;
  typed?: string | undefined;
  /** The chosen kind. Without it the form creates a live key. */
  kind?: string;
  error?: string | undefined;
  /** What the key may do. Without it the form creates a key without restrictions. */
  access?: ComponentChildren;
}

export function CreateKey({ auth, typed, kind, error, access }: CreateKeyProps) {
  return (
    <PostForm action="/dashboard/keys" formToken={auth.formToken} class={access === undefined ? "inline-form" : ""}>
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
      {kind === undefined ? null : <Select label="Kind" name="kind" value={kind} options={KIND_OPTIONS} />}
      {access}
      <button type="submit" class="primary">
        Create key
      </button>
    </PostForm>
  );
}

export function keyListPage(auth: AuthContext, state: KeyListState): string {
  const { keys, nowMs, typed, typedKind = "live", kind = "all", error, notice, access, accessFault, domains } = state;
  const newestFirst = keys.toReversed().filter(({ test }) => kind === "all" || test === (kind === "test"));
  return signedInPage(auth, "/keys", {
    title: "API keys",
    children: (
      <>
        <div class="title-row">
          <h1>API keys</h1>
          {keys.some(({ test }) => test) ? <KindLinks kind={kind} /> : null}
        </div>
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        {keys.length === 0 ? (
          <EmptyState title="No API keys yet">
            <p>An API key lets your app send messages. It is shown once, when you create it.</p>
          </EmptyState>
        ) : (
          <Table
            label="API keys"
            class="stacked linked pairs"
            numbers={["Messages"]}
            head={["Name", "State", "Access", "Created", "Last used", "Messages", "Action"]}
          >
            {newestFirst.map((key) => (
              <KeyRow key={key.id} apiKey={key} nowMs={nowMs} />
            ))}
          </Table>
        )}
        <Allowed to="POST /dashboard/keys">
          <section class="card">
            <h2>Create a key</h2>
            <CreateKey
              auth={auth}
              typed={typed}
              kind={typedKind}
              error={error}
              access={<AccessFields auth={auth} input={access} domains={domains} fault={accessFault} />}
            />
            <p>
              A test key is for the tests of your app. Its messages are signed and sent to a sink inside Postrider. The
              local part of each recipient, such as <code>delivered@</code> or <code>5xx-550@</code>, chooses the
              result.
            </p>
            <p>
              The <a href="/dashboard/api">API reference</a> describes all requests.
            </p>
          </section>
        </Allowed>
      </>
    ),
  });
}

const KINDS: readonly { kind: KeyKind; text: string }[] = [
  { kind: "all", text: "All" },
  { kind: "live", text: "Live" },
  { kind: "test", text: "Test" },
];

function KindLinks({ kind: shown }: { kind: KeyKind }) {
  return (
    <nav class="tabs" aria-label="Kind">
      {KINDS.map(({ kind, text }) => (
        <a
          key={kind}
          href={kind === "all" ? "/dashboard/keys" : `/dashboard/keys?kind=${kind}`}
          aria-current={kind === shown ? "true" : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

function KeyRow({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  const isRevocable = apiKey.revokedAtMs === null;
  return (
    <tr class={isActive(apiKey, nowMs) ? "" : "faded"}>
      <th scope="row" class="left">
        <RowLink href={`/dashboard/keys/${apiKey.id}`}>{apiKey.name}</RowLink>{" "}
        <code class="quiet">…{apiKey.lastFour}</code> {apiKey.test ? <Badge label={TEST_LABEL} /> : null}
      </th>
      <td class="right">
        <StateText label={keyLabel(apiKey, nowMs)} />
      </td>
      <td class="left small second">{accessText(apiKey)}</td>
      <td class="nowrap secondary">
        <RelativeTime atMs={apiKey.createdAtMs} nowMs={nowMs} />
      </td>
      <td class="nowrap secondary">
        {apiKey.lastUsedAtMs === null ? "Never" : <RelativeTime atMs={apiKey.lastUsedAtMs} nowMs={nowMs} />}
      </td>
      <td class="number secondary">
        <a href={`/dashboard/messages?key=${encodeURIComponent(apiKey.id)}`}>{countText(apiKey.messagesSent)}</a>
      </td>
      <td class="right action second">
        {isRevocable ? (
          <ButtonLink class="small" href={`/dashboard/keys/${apiKey.id}/revoke`} label={`Revoke ${apiKey.name}`}>
            Revoke …
          </ButtonLink>
        ) : null}
      </td>
    </tr>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The pages of one API key: the key itself just after it was created, what is known of it, and the confirmation of its revocation.
 */
import type { AccessInput, InvalidAccess } from "../../app/send/key-access.ts";
import { DISPLAY_NAME_LENGTH_MAX } from "../../lib/display-name.ts";
import { causeText } from "../../message/key-fuse.ts";
import { HELD } from "../../message/result/reasons.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { KeyFuse } from "../../spool/port/key-fuses.ts";
import type { ApiRequest } from "../../spool/port/request-log.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { alreadyShownPage } from "../views/already-shown.tsx";
import { Badge, ConfirmButtons, Copyable, Field, Notice, PostForm, RelativeTime } from "../views/components.tsx";
import { sendCommand } from "../views/curl-commands.ts";
import { AccessFields } from "../views/key-access.tsx";
import { countText, keyLabel, TEST_LABEL } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { Allowed } from "../views/permissions.tsx";
import { RequestTable } from "../views/request-table.tsx";

export interface NewKeyState {
  /** Base URL of the service, without a final slash. */
  publicUrl: string;
  key: NewKey;
  /** A verified domain, for a test key any bound one; null without one. */
  sender: string | null;
}

export interface NewKey {
  key: string;
  name: string;
  /** Absent where a former version has created it. */
  test?: boolean;
}

/** At any domain, the sink for test messages accepts it. */
const TEST_RECIPIENT = "delivered@example.com";

export function keyCreatedPage(auth: AuthContext, { publicUrl, key, sender }: NewKeyState): string {
  const to = key.test ? TEST_RECIPIENT : auth.user.email;
  const curl = sendCommand({ url: publicUrl, key: key.key, sender: sender ?? "example.com", to });
  return signedInPage(auth, "/keys/created", {
    title: `Key ${key.name}`,
    children: (
      <>
        <h1>
          {key.test ? "Test key" : "Key"} “{key.name}” created
        </h1>
        <Notice tone="warn">Copy the key now: this is the only time it is shown.</Notice>
        <section class="card">
          <h2>API key</h2>
          <Copyable text={key.key} label="API key" kind="secret" />
        </section>
        <section class="card">
          <h2>{key.test ? "Send a test message" : "Send your first message"}</h2>
          <p>
            <HowToSend sender={sender} test={key.test ?? false} />
          </p>
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

function HowToSend({ sender, test }: { sender: string | null; test: boolean }) {
  const replace = (
    <>
      replace <code>example.com</code> with it and run this command.
    </>
  );
  if (sender === null && test) return <>Add a domain first, then {replace} It need not be verified.</>;
  if (sender === null) return <>No domain is verified yet. Once yours is, {replace}</>;
  if (!test) return <>Run this command where your app runs. The response is 202 with the id of the accepted message.</>;
  return (
    <>
      Run this command where your app's tests run. Nothing leaves this server: the local part of the recipient chooses
      the result, such as <code>delivered@</code>, <code>5xx-550@</code> or <code>greylist-1@</code>, at any domain.
    </>
  );
}

export interface KeyPageState {
  key: ApiKey;
  /** Its newest requests. */
  requests: ApiRequest[];
  /** The names of the account's domains. */
  domains: string[];
  nowMs: number;
  /** Null unless it is held. */
  held: KeyFuse["held"];
  notice?: string;
  /** The rejected values of the form, and what is wrong with them. */
  typed?: { name: string; access: AccessInput };
  nameFault?: string;
  accessFault?: InvalidAccess;
}

export function keyPage(auth: AuthContext, state: KeyPageState): string {
  const { key, nowMs, notice } = state;
  const isActive = key.revokedAtMs === null;
  return signedInPage(auth, "/keys/one", {
    title: key.name,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/keys">API keys</a>
        </p>
        <div class="title-row">
          <h1>{key.name}</h1>
          <Badge label={keyLabel(key, nowMs)} />
          {state.held === null ? null : <Badge label={{ text: "Held", tone: "bad" }} />}
          {key.test ? <Badge label={TEST_LABEL} /> : null}
        </div>
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        <Held auth={auth} state={state} />
        <Facts apiKey={key} nowMs={nowMs} />
        <Uses state={state} />
        {isActive ? <Changes auth={auth} state={state} /> : null}
      </>
    ),
  });
}

/** Why it is held, and what to do about it; nothing for another key. */
function Held({ auth, state: { key, held, nowMs } }: { auth: AuthContext; state: KeyPageState }) {
  if (held === null) return null;
  const path = `/dashboard/keys/${key.id}`;
  const isRevoked = key.revokedAtMs !== null;
  return (
    <section class="card">
      <h2>Held</h2>
      <p>
        The key sends far above what it normally does{held.cause === null ? "" : `: ${causeText(held.cause)}`}. Its
        further messages are accepted and kept since <RelativeTime atMs={held.sinceMs} nowMs={nowMs} />, and none of
        them is sent.{" "}
        {isRevoked
          ? "The key is revoked, but its held messages can still be sent. If they are not yours, cancel them."
          : "If the messages are yours, release the key. Otherwise, revoke the key and cancel the messages."}
      </p>
      <Allowed to={`POST ${path}/release`}>
        <PostForm action={`${path}/release`} formToken={auth.formToken} class="bar">
          <button type="submit" class={isRevoked ? "danger" : "primary"}>
            {isRevoked ? "Send held messages" : "Release key"}
          </button>
          <a class="button" href={`/dashboard/messages?key=${encodeURIComponent(key.id)}&reason=${HELD}`}>
            Show waiting messages
          </a>
        </PostForm>
      </Allowed>
    </section>
  );
}

function Facts({ apiKey: key, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  return (
    <section class="card">
      <dl class="facts">
        <dt>Key</dt>
        <dd>
          <code>…{key.lastFour}</code> <span class="quiet">({key.id})</span>
        </dd>
        <dt>Permissions</dt>
        <dd>{permissionsText(key)}</dd>
        <dt>Domains</dt>
        <dd>{key.domains?.join(", ") ?? "All domains of the account, including future ones"}</dd>
        <dt>Networks</dt>
        <dd>{key.networks?.join(", ") ?? "Any"}</dd>
        <dt>Expires</dt>
        <dd>{key.expiresAtMs === null ? "Never" : <RelativeTime atMs={key.expiresAtMs} nowMs={nowMs} />}</dd>
        <dt>Created</dt>
        <dd>
          <RelativeTime atMs={key.createdAtMs} nowMs={nowMs} />
        </dd>
        <dt>Last used</dt>
        <dd>{key.lastUsedAtMs === null ? "Never" : <RelativeTime atMs={key.lastUsedAtMs} nowMs={nowMs} />}</dd>
        {key.revokedAtMs === null ? null : (
          <>
            <dt>Revoked</dt>
            <dd>
              <RelativeTime atMs={key.revokedAtMs} nowMs={nowMs} />
            </dd>
          </>
        )}
        <dt>Messages</dt>
        <dd>
          <a href={`/dashboard/messages?key=${encodeURIComponent(key.id)}`}>
            {countText(key.messagesSent)} {key.messagesSent === 1 ? "message" : "messages"} sent
          </a>
        </dd>
      </dl>
    </section>
  );
}

function permissionsText({ permissions, test }: ApiKey): string {
  const [sends, reads] = [permissions.includes("send"), permissions.includes("read")];
  const ofMessages = sends
    ? reads
      ? "Send messages, and read their results"
      : "Send messages only"
    : test
      ? "Read only: the messages that it has sent"
      : "Read only: the messages of all keys of the account";
  const parts = [
    ...(sends || reads ? [ofMessages] : []),
    ...(permissions.includes("manage") ? ["Manage the account"] : []),
    ...(permissions.includes("operate") ? ["Operate the service: all accounts and the installation"] : []),
  ];
  return parts.length === 0 ? "None" : parts.join("; ");
}

function Uses({ state: { key, requests } }: { state: KeyPageState }) {
  return (
    <section class="stack" aria-labelledby="uses">
      <h2 id="uses">Recent uses</h2>
      {requests.length === 0 ? (
        <p class="quiet">No request with this key in the last 7 days.</p>
      ) : (
        <RequestTable requests={requests} names={new Map([[key.id, key.name]])} />
      )}
      <p>
        <a href={`/dashboard/requests?key=${encodeURIComponent(key.id)}`}>All requests with this key</a>
      </p>
    </section>
  );
}

/** What may be done with an active key. */
function Changes({ auth, state }: { auth: AuthContext; state: KeyPageState }) {
  const path = `/dashboard/keys/${state.key.id}`;
  return (
    <Allowed to={`POST ${path}`}>
      <EditKey auth={auth} state={state} />
      <section class="card">
        <h2>Revoke</h2>
        <p>Requests with a revoked key are rejected. This cannot be undone.</p>
        <a class="button danger" href={`${path}/revoke`}>
          Revoke key …
        </a>
      </section>
    </Allowed>
  );
}

function EditKey({ auth, state }: { auth: AuthContext; state: KeyPageState }) {
  const { key, domains, typed, nameFault, accessFault } = state;
  return (
    <section class="card">
      <h2>Change the key</h2>
      <p>The key itself stays the same. A change holds for every request from now on, over HTTP and SMTP.</p>
      <PostForm action={`/dashboard/keys/${key.id}`} formToken={auth.formToken}>
        <Field
          label="Key name"
          name="name"
          value={typed?.name ?? key.name}
          error={nameFault}
          required
          maxLength={DISPLAY_NAME_LENGTH_MAX}
        />
        <AccessFields auth={auth} input={typed?.access ?? key} domains={domains} fault={accessFault} />
        <button type="submit" class="primary">
          Save changes
        </button>
      </PostForm>
    </section>
  );
}

export const keyAlreadyShownPage = (auth: AuthContext): string =>
  alreadyShownPage(auth, {
    at: "/keys/created",
    name: "key",
    text: "A key is shown once, and only its hash is stored. If you did not copy it, revoke it and create another.",
    link: { href: "/dashboard/keys", text: "Show all keys" },
  });

export function revokeKeyPage(auth: AuthContext, key: ApiKey, nowMs: number): string {
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
        <PostForm action={`/dashboard/keys/${key.id}/revoke`} formToken={auth.formToken}>
          <ConfirmButtons text={`Revoke ${key.name}`} back="/dashboard/keys" />
        </PostForm>
      </>
    ),
  });
}

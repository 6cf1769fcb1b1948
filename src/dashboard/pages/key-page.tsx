import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Copyable, Notice, PostForm, RelativeTime } from "../views/components.tsx";
import { sendCommand } from "../views/curl-commands.ts";
import { signedInPage } from "../views/layout.tsx";

export interface NewKeyState {
  /** Base URL of the service, without a final slash. */
  publicUrl: string;
  key: { key: string; name: string };
  /** A verified domain; null without one. */
  sender: string | null;
}

export function keyCreatedPage(auth: AuthContext, { publicUrl, key, sender }: NewKeyState): string {
  const curl = sendCommand({
    url: publicUrl,
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

export function keyAlreadyShownPage(auth: AuthContext): string {
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

import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Copyable, Notice, PostForm, RelativeTime } from "../views/components.tsx";
import { sendCommand } from "../views/curl-commands.ts";
import { signedInPage } from "../views/layout.tsx";

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
          <Copyable text={key.key} label="API key" />
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
      Run this command where your app's tests run. Nothing leaves this host: the local part of the recipient chooses the
      result, such as <code>delivered@</code>, <code>5xx-550@</code> or <code>greylist-1@</code>, at any domain.
    </>
  );
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

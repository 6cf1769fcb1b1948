import { encode } from "uqr";
import type { NoticeChoice } from "../../spool/port/notices.ts";
import type { Session } from "../../spool/port/people.ts";
import type { TotpSecret } from "../auth/second-factor.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Copyable, Field, Notice, PostForm, RelativeTime, Table } from "../views/components.tsx";
import { plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { PasswordField } from "../views/new-user-form.tsx";
import { ConfirmationFields, CurrentPassword } from "./confirmation.tsx";
import { NoticeSwitches } from "./notice-switches.tsx";

export interface ProfileState {
  nowMs: number;
  sessions: Session[];
  codesLeft: number;
  /** The identity provider of a user who may not use a password; null for others. */
  withoutPassword: { name: string } | null;
  noticeChoices: NoticeChoice[];
  notice?: string | undefined;
  error?: string;
}

export function profilePage(auth: AuthContext, state: ProfileState): string {
  const { user, formToken } = auth;
  return signedInPage(auth, "/you", {
    title: "Your profile",
    children: (
      <>
        <h1>Your profile</h1>
        <p class="lead">
          {user.email},{" "}
          {user.operator ? "operator of this installation" : `${auth.role} of the account ${auth.account.name}`}.
        </p>
        {state.notice === undefined ? null : <Notice tone="good">{state.notice}</Notice>}
        {state.error === undefined ? null : <Notice tone="bad">{state.error}</Notice>}
        {state.withoutPassword === null ? (
          <div class="columns">
            <section class="card">
              <h2>Password</h2>
              <PostForm action="/dashboard/you/password" formToken={formToken}>
                <CurrentPassword auth={auth} />
                <PasswordField label="New password" />
                <button type="submit">Change password</button>
              </PostForm>
            </section>
            <SecondFactor auth={auth} codesLeft={state.codesLeft} />
          </div>
        ) : (
          <p>You sign in with {state.withoutPassword.name}, which also checks your second factor.</p>
        )}
        <NoticeSwitches auth={auth} choices={state.noticeChoices} />
        <Sessions auth={auth} sessions={state.sessions} nowMs={state.nowMs} />
      </>
    ),
  });
}

function SecondFactor({ auth, codesLeft }: { auth: AuthContext; codesLeft: number }) {
  if (auth.user.sealedTotp === null) {
    return (
      <section class="card">
        <h2>Second factor</h2>
        <p>
          <Badge label={{ text: "Off", tone: "quiet" }} />
        </p>
        <p>Require an authenticator code at sign-in.</p>
        <a class="button" href="/dashboard/you/second-factor">
          Set up second factor
        </a>
      </section>
    );
  }
  return (
    <section class="card">
      <h2>Second factor</h2>
      <p>
        <Badge label={{ text: "On", tone: "good" }} />
      </p>
      <p>{plural(codesLeft, "recovery code")} left.</p>
      <PostForm action="/dashboard/you/second-factor/off" formToken={auth.formToken}>
        <ConfirmationFields auth={auth} id="field-current-off" />
        <button type="submit">Turn off second factor</button>
      </PostForm>
    </section>
  );
}

function Sessions({ auth, sessions, nowMs }: { auth: AuthContext; sessions: Session[]; nowMs: number }) {
  const isThis = (session: Session): boolean => session.hash.equals(auth.session.hash);
  return (
    <section class="card">
      <h2>Sessions</h2>
      <Table label="Sessions" class="stacked" head={["Browser", "IP address", "Signed in", "Last used", "Action"]}>
        {sessions.map((session) => (
          <tr key={session.hash.toString("hex")}>
            <td>{browserOf(session.agent)}</td>
            <td data-label="IP address">{session.ip}</td>
            <td data-label="Signed in">
              <RelativeTime atMs={session.createdAtMs} nowMs={nowMs} />
            </td>
            <td data-label="Last used">
              {isThis(session) ? "This session" : <RelativeTime atMs={session.seenAtMs} nowMs={nowMs} />}
            </td>
            <td>
              {isThis(session) ? null : (
                <PostForm
                  action="/dashboard/you/sessions/end"
                  formToken={auth.formToken}
                  entry={{ session: session.hash.toString("hex") }}
                >
                  <button type="submit" class="small">
                    End session
                  </button>
                </PostForm>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {sessions.length > 1 ? (
        <PostForm action="/dashboard/you/sessions/end-others" formToken={auth.formToken}>
          <button type="submit">End all other sessions</button>
        </PostForm>
      ) : null}
    </section>
  );
}

/** Names the browser and system of a User-Agent. */
function browserOf(agent: string): string {
  const [, browser] = /(Firefox|Edg|OPR|Chrome|Safari|curl)[/\w]*/.exec(agent) ?? [];
  const [, system] = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(agent) ?? [];
  return [browser, system].filter((part) => part !== undefined).join(" on ") || "Unknown";
}

export function secondFactorPage(auth: AuthContext, { secret, uri }: TotpSecret, error?: string): string {
  return signedInPage(auth, "/you", {
    title: "Set up a second factor",
    children: (
      <>
        <h1>Set up a second factor</h1>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <section class="card narrow">
          <p>Scan this QR code with an authenticator app, or type the secret into the app.</p>
          <QrCode text={uri} />
          <Copyable text={secret} label="secret" kind="secret" />
          <PostForm action="/dashboard/you/second-factor" formToken={auth.formToken}>
            <input type="hidden" name="secret" value={secret} />
            <Field
              label="Code from the app"
              name="code"
              required
              autoComplete="one-time-code"
              inputMode="numeric"
              autoFocus
            />
            <CurrentPassword auth={auth} />
            <button type="submit" class="primary">
              Turn on second factor
            </button>
          </PostForm>
        </section>
      </>
    ),
  });
}

function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { ecc: "M", border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code with the secret below">
      <rect width={size} height={size} />
      <path d={path.join("")} />
    </svg>
  );
}

export function recoveryPage(auth: AuthContext, codes: string[]): string {
  return signedInPage(auth, "/you", {
    title: "Second factor turned on",
    children: (
      <>
        <h1>Second factor turned on</h1>
        <section class="card narrow">
          <p>
            Store these recovery codes in a safe place. Each can be used once instead of a code from the app. They are
            not shown again. Your other sessions have ended.
          </p>
          <Copyable text={codes.join("\n")} label="recovery codes" block />
          <a class="button primary" href="/dashboard/you">
            Done
          </a>
        </section>
      </>
    ),
  });
}

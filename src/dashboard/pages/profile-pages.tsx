/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Everybody's own settings: password, second factor, sessions.
 */
import { encode } from "uqr";
import type { Session } from "../../spool/port/people.ts";
import type { Credentials } from "../auth/credentials.ts";
import { type NewSecret, newSecret, readSecret, turnOn } from "../auth/second-factor.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Badge, Copyable, Field, Notice, PostForm, Table } from "../views/components.tsx";
import { sentenceNamed } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { PasswordField, passwordFault } from "../views/new-user-form.tsx";
import { field, rawField } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ConfirmationFields, CurrentPassword, confirmPassword, confirmUser } from "./confirmation.tsx";
import type { Pages } from "./routes.ts";

const DONE: Record<string, string> = {
  password: "Your password is changed. Your other sessions have ended.",
  session: "The session has ended.",
  sessions: "Your other sessions have ended.",
  "second-factor-off": "The second factor is off.",
};

interface YouState {
  nowMs: number;
  sessions: Session[];
  codesLeft: number;
  done?: string | undefined;
  error?: string;
}

export function createYouPages(parts: DashboardParts, credentials: Credentials): Pages {
  const { people, clock } = parts;

  async function show(visit: Visit, said: { done?: string | undefined; error?: string }): Promise<string> {
    const sessions = await people.sessions(visit.user.id);
    const codesLeft = await people.recoveryCodesLeft(visit.user.id);
    return youPage(visit, { nowMs: clock.now(), sessions, codesLeft, ...said });
  }

  return {
    "GET /you": (ctx, visit) => show(visit, { done: sentenceNamed(DONE, ctx.query.done) }),

    "POST /you/password": async (ctx, visit) => {
      const confirmed = await confirmPassword(ctx, visit, credentials);
      if (confirmed.type === "refused") return show(visit, { error: confirmed.error });
      confirmed.settle();
      const password = rawField(ctx, "password");
      const error = passwordFault(password);
      if (error !== null) {
        ctx.status = 400;
        return show(visit, { error });
      }
      await people.setPassword(visit.user.id, await credentials.hash(password, visit.user.id));
      await people.endSessions(visit.user.id, visit.session.hash);
      ctx.redirect("/dashboard/you?done=password");
    },

    "POST /you/sessions/end": async (ctx, visit) => {
      const hash = Buffer.from(field(ctx, "session"), "hex");
      if (!(await people.endSession(visit.user.id, hash))) throw notFound();
      ctx.redirect("/dashboard/you?done=session");
    },

    "POST /you/sessions/end-others": async (ctx, visit) => {
      await people.endSessions(visit.user.id, visit.session.hash);
      ctx.redirect("/dashboard/you?done=sessions");
    },

    "GET /you/second-factor": async (ctx, visit) => {
      if (visit.user.sealedTotp !== null) return ctx.redirect("/dashboard/you");
      return secondFactorPage(visit, newSecret(visit.user.email));
    },

    "POST /you/second-factor": async (ctx, visit) => {
      const secret = readSecret(field(ctx, "secret"), visit.user.email);
      if (secret === null || visit.user.sealedTotp !== null) return ctx.redirect("/dashboard/you");
      const confirmed = await confirmPassword(ctx, visit, credentials);
      if (confirmed.type === "refused") return secondFactorPage(visit, secret, confirmed.error);
      // The code shows only that the app has the secret: there is nothing to guess.
      confirmed.settle();
      const codes = await turnOn(parts, visit.user, { secret: secret.secret, code: field(ctx, "code") });
      if (codes !== null) {
        await people.endSessions(visit.user.id, visit.session.hash);
        return recoveryPage(visit, codes);
      }
      ctx.status = 400;
      return secondFactorPage(visit, secret, "The code is not right. Are the clocks of phone and server?");
    },

    "POST /you/second-factor/off": async (ctx, visit) => {
      const confirmed = await confirmUser(ctx, visit, credentials);
      if (confirmed.type === "refused") return show(visit, { error: confirmed.error });
      confirmed.settle();
      await people.setTotp(visit.user.id, null);
      ctx.redirect("/dashboard/you?done=second-factor-off");
    },
  };
}

function youPage(visit: Visit, state: YouState): string {
  const { user, formToken } = visit;
  return signedInPage(visit, "/you", {
    title: "You",
    children: (
      <>
        <h1>You</h1>
        <p class="lead">
          {user.email}, {user.operator ? "operator of this installation" : `user of the account ${visit.account.name}`}.
        </p>
        {state.done === undefined ? null : <Notice tone="good">{state.done}</Notice>}
        {state.error === undefined ? null : <Notice tone="bad">{state.error}</Notice>}
        <div class="columns">
          <section class="card">
            <h2>Password</h2>
            <PostForm action="/dashboard/you/password" formToken={formToken}>
              <CurrentPassword />
              <PasswordField label="New password" />
              <button type="submit">Change password</button>
            </PostForm>
          </section>
          <SecondFactor visit={visit} codesLeft={state.codesLeft} />
        </div>
        <Sessions visit={visit} sessions={state.sessions} nowMs={state.nowMs} />
      </>
    ),
  });
}

function SecondFactor({ visit, codesLeft }: { visit: Visit; codesLeft: number }) {
  if (visit.user.sealedTotp === null) {
    return (
      <section class="card">
        <h2>Second factor</h2>
        <p>
          <Badge word={{ text: "Off", tone: "quiet" }} />
        </p>
        <p>With an authenticator app, your password alone signs nobody in.</p>
        <a class="button" href="/dashboard/you/second-factor">
          Set it up
        </a>
      </section>
    );
  }
  return (
    <section class="card">
      <h2>Second factor</h2>
      <p>
        <Badge word={{ text: "On", tone: "good" }} />
      </p>
      <p>{codesLeft} recovery codes are left.</p>
      <PostForm action="/dashboard/you/second-factor/off" formToken={visit.formToken}>
        <ConfirmationFields visit={visit} id="field-current-off" />
        <button type="submit">Turn it off</button>
      </PostForm>
    </section>
  );
}

function Sessions({ visit, sessions, nowMs }: { visit: Visit; sessions: Session[]; nowMs: number }) {
  const isThis = (session: Session): boolean => session.hash.equals(visit.session.hash);
  return (
    <section class="card">
      <h2>Sessions</h2>
      <Table label="Sessions" class="stacked" head={["Browser", "From", "Signed in", "Last used", "End"]}>
        {sessions.map((session) => (
          <tr key={session.hash.toString("hex")}>
            <td>{browserOf(session.agent)}</td>
            <td data-label="From">{session.ip}</td>
            <td data-label="Signed in">
              <Ago atMs={session.createdAtMs} nowMs={nowMs} />
            </td>
            <td data-label="Last used">
              {isThis(session) ? "This session" : <Ago atMs={session.seenAtMs} nowMs={nowMs} />}
            </td>
            <td>
              {isThis(session) ? null : (
                <PostForm action="/dashboard/you/sessions/end" formToken={visit.formToken}>
                  <input type="hidden" name="session" value={session.hash.toString("hex")} />
                  <button type="submit" class="small">
                    End
                  </button>
                </PostForm>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {sessions.length > 1 ? (
        <PostForm action="/dashboard/you/sessions/end-others" formToken={visit.formToken}>
          <button type="submit">End all others</button>
        </PostForm>
      ) : null}
    </section>
  );
}

/** Enough of a browser's name for itself to know it again. */
function browserOf(agent: string): string {
  const [, browser] = /(Firefox|Edg|OPR|Chrome|Safari|curl)[/\w]*/.exec(agent) ?? [];
  const [, system] = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(agent) ?? [];
  return [browser, system].filter((part) => part !== undefined).join(" on ") || "Unknown";
}

function secondFactorPage(visit: Visit, { secret, uri }: NewSecret, error?: string): string {
  return signedInPage(visit, "/you", {
    title: "Set up a second factor",
    children: (
      <>
        <h1>Set up a second factor</h1>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <section class="card narrow">
          <p>Scan this with an authenticator app, or type the secret into it.</p>
          <QrCode text={uri} />
          <Copyable text={secret} label="secret" />
          <PostForm action="/dashboard/you/second-factor" formToken={visit.formToken}>
            <input type="hidden" name="secret" value={secret} />
            <Field
              label="Code that the app shows"
              name="code"
              required
              autoComplete="one-time-code"
              inputMode="numeric"
              autoFocus
            />
            <CurrentPassword />
            <button type="submit" class="primary">
              Turn it on
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

function recoveryPage(visit: Visit, codes: string[]): string {
  return signedInPage(visit, "/you", {
    title: "The second factor is on",
    children: (
      <>
        <h1>The second factor is on</h1>
        <section class="card narrow">
          <p>
            Keep these recovery codes somewhere safe: each signs you in once in place of the app. They are shown only
            now. Your other sessions have ended.
          </p>
          <Copyable text={codes.join("\n")} label="recovery codes" block />
          <a class="button primary" href="/dashboard/you">
            I have kept them
          </a>
        </section>
      </>
    ),
  });
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Re-authentication. Every change of who can sign in, or how, whatever the role, and the deletion of an account require the acting
 * user's current password, and a code if that user has a second factor, so a stolen session is not enough for them. In a session that began
 * at the identity provider, a recent sign-in there stands for both. Ending sessions and revoking an invitation weaken no sign-in and
 * require none.
 */
import type { Context } from "koa";
import { type Credentials, reject } from "../auth/credentials.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Field } from "../views/components.tsx";
import { SignInAgainButton } from "../views/provider-form.tsx";
import { field, rawField } from "../web/form.ts";

const WRONG_PASSWORD = { status: 400, sentence: "Your current password is wrong." };
const WRONG_CODE = { status: 400, sentence: "The code is wrong or already used. Nothing was changed." };

/** Checks the form's current password. Returns an error message, with the response's status set; null if the password is right. */
export async function confirmPassword(
  ctx: Context,
  auth: AuthContext,
  credentials: Credentials,
): Promise<string | null> {
  if (isOfProvider(auth)) return confirmByProvider(ctx, auth);
  const password = await credentials.checkPassword(auth, rawField(ctx, "current"));
  if (password.type !== "right") return reject(ctx, password, WRONG_PASSWORD);
  await password.clearFailures();
  return null;
}

const isOfProvider = ({ confirmation }: AuthContext): boolean =>
  confirmation === "given" || confirmation === "provider";

function confirmByProvider(ctx: Context, { confirmation }: AuthContext): string | null {
  if (confirmation === "given") return null;
  ctx.status = 400;
  return "Sign in again at the identity provider to confirm this. Nothing was changed.";
}

/** As confirmPassword, and checks the form's code if the user has a second factor. A wrong password spends no code. */
export async function confirmUser(ctx: Context, auth: AuthContext, credentials: Credentials): Promise<string | null> {
  if (auth.user.sealedTotp === null || isOfProvider(auth)) return confirmPassword(ctx, auth, credentials);
  const password = await credentials.checkPassword(auth, rawField(ctx, "current"));
  if (password.type !== "right") return reject(ctx, password, WRONG_PASSWORD);
  const code = await credentials.checkCode(ctx, auth.user, field(ctx, "code"));
  if (code.type !== "right") return reject(ctx, code, WRONG_CODE);
  await code.clearFailures();
  await password.clearFailures();
  return null;
}

export interface CurrentPasswordProps {
  auth: AuthContext;
  /** Required for a second such field on a page. */
  id?: string;
}

/** The field that `confirmPassword` reads. */
export function CurrentPassword({ id = "field-current", auth }: CurrentPasswordProps) {
  if (auth.confirmation === "given") return null;
  if (auth.confirmation === "provider") {
    return (
      <p>
        Confirm this with a sign-in at the identity provider, which leads back here. <SignInAgainButton />
      </p>
    );
  }
  return (
    <Field
      label="Your current password"
      name="current"
      id={id}
      type="password"
      required
      autoComplete="current-password"
    />
  );
}

/** The fields that `confirmUser` reads. */
export function ConfirmationFields(props: CurrentPasswordProps) {
  const { auth } = props;
  return (
    <>
      <CurrentPassword {...props} />
      {auth.user.sealedTotp === null || isOfProvider(auth) ? null : (
        <Field
          label="Your code"
          name="code"
          required
          autoComplete="one-time-code"
          hint="From your authenticator app, or a recovery code."
        />
      )}
    </>
  );
}

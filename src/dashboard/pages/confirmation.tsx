/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Re-authentication. Actions that change how a user signs in require the acting user's current password, and a code if that
 * user has a second factor, so a stolen session is not enough for them.
 */
import type { Context } from "koa";
import { type CredentialCheck, type Credentials, reject } from "../auth/credentials.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Field } from "../views/components.tsx";
import { field, rawField } from "../web/form.ts";

const WRONG_PASSWORD = { status: 400, sentence: "Your current password is wrong." };
const WRONG_CODE = { status: 400, sentence: "The code is wrong or already used. Nothing was changed." };

/** `clearFailures` clears the counted failures; call it once no further check is required. */
export type Confirmation =
  | { type: "confirmed"; clearFailures: () => Promise<void> }
  | { type: "rejected"; error: string };

/** Checks the form's current password. A rejection sets the response's status. */
export async function confirmPassword(
  ctx: Context,
  auth: AuthContext,
  credentials: Credentials,
): Promise<Confirmation> {
  const check = await credentials.checkPassword(auth, rawField(ctx, "current"));
  return confirmed(ctx, check, WRONG_PASSWORD);
}

/** Checks the form's current password, and its code if the user has a second factor. A wrong password spends no code. */
export async function confirmUser(ctx: Context, auth: AuthContext, credentials: Credentials): Promise<Confirmation> {
  const password = await confirmPassword(ctx, auth, credentials);
  if (password.type === "rejected" || auth.user.sealedTotp === null) return password;
  const code = confirmed(ctx, await credentials.checkCode(ctx, auth.user, field(ctx, "code")), WRONG_CODE);
  if (code.type === "rejected") return code;
  return {
    type: "confirmed",
    async clearFailures() {
      await code.clearFailures();
      await password.clearFailures();
    },
  };
}

function confirmed(ctx: Context, check: CredentialCheck, wrong: { status: number; sentence: string }): Confirmation {
  if (check.type === "right") return { type: "confirmed", clearFailures: check.clearFailures };
  return { type: "rejected", error: reject(ctx, check, wrong) };
}

export interface CurrentPasswordProps {
  /** Required for a second such field on a page. */
  id?: string;
  /** False if the form can be submitted without it. */
  required?: boolean;
}

export function CurrentPassword({ id = "field-current", required = true }: CurrentPasswordProps) {
  return (
    <Field
      label="Your current password"
      name="current"
      id={id}
      type="password"
      required={required}
      autoComplete="current-password"
    />
  );
}

/** The fields that `confirmUser` reads. */
export function ConfirmationFields({ auth, ...props }: CurrentPasswordProps & { auth: AuthContext }) {
  return (
    <>
      <CurrentPassword {...props} />
      {auth.user.sealedTotp === null ? null : (
        <Field
          label="Your code"
          name="code"
          required={props.required ?? true}
          autoComplete="one-time-code"
          hint="From your authenticator app, or a recovery code."
        />
      )}
    </>
  );
}

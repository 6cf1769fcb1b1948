/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Confirms that the person behind a session is its user. A stolen session must not be enough to change how anybody signs
 * in, so such an action asks for the acting user's current password, and for a code where the user has a second factor.
 */
import type { Context } from "koa";
import { type Checked, type Credentials, sayRefused } from "../auth/credentials.ts";
import type { Visit } from "../auth/sessions.ts";
import { Field } from "../views/components.tsx";
import { field, rawField } from "../web/form.ts";

const WRONG_PASSWORD = { status: 400, sentence: "Your current password is not right." };
const WRONG_CODE = { status: 400, sentence: "The code is not right, or was used before. Nothing was changed." };

/** `settle` clears the failures that were counted beforehand; call it once the action needs nothing more. */
export type Confirmed = { type: "confirmed"; settle: () => void } | { type: "refused"; error: string };

/** Checks the form's current password. A refusal sets the status of the answer. */
export async function confirmPassword(ctx: Context, visit: Visit, credentials: Credentials): Promise<Confirmed> {
  const checked = await credentials.password(visit, rawField(ctx, "current"));
  return confirmed(ctx, checked, WRONG_PASSWORD);
}

/** Checks the form's current password, and its code where the user has a second factor. A wrong password spends no code. */
export async function confirmUser(ctx: Context, visit: Visit, credentials: Credentials): Promise<Confirmed> {
  const password = await confirmPassword(ctx, visit, credentials);
  if (password.type === "refused" || visit.user.sealedTotp === null) return password;
  const code = confirmed(ctx, await credentials.code(ctx, visit.user, field(ctx, "code")), WRONG_CODE);
  if (code.type === "refused") return code;
  return {
    type: "confirmed",
    settle() {
      code.settle();
      password.settle();
    },
  };
}

function confirmed(ctx: Context, checked: Checked, wrong: { status: number; sentence: string }): Confirmed {
  if (checked.type === "right") return { type: "confirmed", settle: checked.settle };
  return { type: "refused", error: sayRefused(ctx, checked, wrong) };
}

export interface CurrentPasswordProps {
  /** For the second one on a page. */
  id?: string;
  /** False where the form can be sent without it. */
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
export function ConfirmationFields({ visit, ...props }: CurrentPasswordProps & { visit: Visit }) {
  return (
    <>
      <CurrentPassword {...props} />
      {visit.user.sealedTotp === null ? null : (
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

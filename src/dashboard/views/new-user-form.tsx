/** @jsxRuntime automatic @jsxImportSource preact */
/** Validates the email address and password of a new user. */
import { parseMailbox } from "../../message/address.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../security/passwords.ts";
import { Field } from "./components.tsx";

/** Returns an error message, or null when both are valid. */
export const newUserFault = (email: string, password: string): string | null =>
  emailFault(email) ?? passwordFault(password);

/** Returns an error message, or null when the email address is valid. */
export function emailFault(email: string): string | null {
  const mailbox = parseMailbox(email);
  if (mailbox.type === "invalid") return `This email address cannot be used: ${mailbox.detail}`;
  if (mailbox.name !== null) return "Enter only the email address, without a name.";
  return null;
}

/** Returns an error message, or null when the password is valid. */
export function passwordFault(password: string): string | null {
  if (password.length < PASSWORD_LENGTH_MIN)
    return `The password must have at least ${PASSWORD_LENGTH_MIN} characters.`;
  if (password.length > PASSWORD_LENGTH_MAX) return `The password must have at most ${PASSWORD_LENGTH_MAX} characters.`;
  return null;
}

export function PasswordField({ label = "Password" }: { label?: string }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      required
      autoComplete="new-password"
      hint={`At least ${PASSWORD_LENGTH_MIN} characters. A phrase of several words works well.`}
    />
  );
}

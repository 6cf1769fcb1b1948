/** @jsxRuntime automatic @jsxImportSource preact */
/** What a user's address and password must be like, wherever one is made. */
import { parseMailbox } from "../../message/address.ts";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../security/passwords.ts";
import { Field } from "./components.tsx";

/** A sentence on what is wrong, or null. */
export function newUserFault(email: string, password: string): string | null {
  const mailbox = parseMailbox(email);
  if (mailbox.type === "invalid") return `The email cannot be used: ${mailbox.detail}`;
  if (mailbox.name !== null) return "Enter the address alone, without a name.";
  return passwordFault(password);
}

export function passwordFault(password: string): string | null {
  if (password.length < PASSWORD_LENGTH_MIN)
    return `The password must have at least ${PASSWORD_LENGTH_MIN} characters.`;
  if (password.length > PASSWORD_LENGTH_MAX) return `The password has more than ${PASSWORD_LENGTH_MAX} characters.`;
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
      hint={`At least ${PASSWORD_LENGTH_MIN} characters. A few words in a row are good.`}
    />
  );
}

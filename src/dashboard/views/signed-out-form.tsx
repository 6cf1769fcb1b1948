/** @jsxRuntime automatic @jsxImportSource preact */
/** The forms of the pages without a session: sign-in, setup, and the links with which somebody chooses a password. */
import type { ComponentChildren } from "preact";
import { Field, Notice } from "./components.tsx";

export interface SignedOutFormProps {
  action: string;
  error?: string | undefined;
  /** The text of the button. */
  button: string;
  children: ComponentChildren;
}

export function SignedOutForm({ action, error, button, children }: SignedOutFormProps) {
  return (
    <>
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
      <form method="post" action={action}>
        {children}
        <button type="submit" class="primary wide">
          {button}
        </button>
      </form>
    </>
  );
}

/** The email address that somebody signs in with. */
export function EmailField({ value, autoFocus = true }: { value: string; autoFocus?: boolean }) {
  return (
    <Field
      label="Email address"
      name="email"
      type="email"
      value={value}
      required
      autoComplete="username"
      autoFocus={autoFocus}
    />
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */
/** The button that leads to the identity provider, and the page between the two. */
import { SignedOutForm } from "./signed-out-form.tsx";

export const PROVIDER_PATH = "/dashboard/sign-in/provider";

export interface ProviderFormProps {
  /** The name of the provider. */
  name: string;
  /** The page to go to. */
  next?: string;
  /** The form to fill in after the sign-in, sealed. */
  kept?: string | undefined;
  error?: string | undefined;
}

export function ProviderForm({ name, next = "", kept = "", error }: ProviderFormProps) {
  return (
    <SignedOutForm action={PROVIDER_PATH} error={error} button={`Sign in with ${name}`}>
      <input type="hidden" name="next" value={next} />
      {kept === "" ? null : <input type="hidden" name="kept" value={kept} />}
    </SignedOutForm>
  );
}

/** Submits the form that it is in to a sign-in at the provider instead, which leads back to the form's page. */
export function SignInAgainButton() {
  return (
    <button type="submit" formAction={PROVIDER_PATH} formNoValidate name="again" value="1">
      Sign in again
    </button>
  );
}

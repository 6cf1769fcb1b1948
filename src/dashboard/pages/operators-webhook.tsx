/** @jsxRuntime automatic @jsxImportSource preact */
/** The form of the operators' webhook, the response to a test, and the page that shows its secret once. */
import { KINDS, type NoticeKind } from "../../app/notices/kinds.ts";
import { isSuccess, type WebhookResponse } from "../../app/webhooks/webhook-test-event.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { alreadyShownPage } from "../views/already-shown.tsx";
import { Copyable, Field, Notice, PostForm } from "../views/components.tsx";
import { Input } from "../views/kept-form.tsx";
import { spanText } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";

const PATH = "/dashboard/operator/notices";

export interface OperatorsWebhookFormState {
  url: string;
  kinds: readonly string[];
  /** Whether there is a webhook. */
  isSet: boolean;
  done: string | undefined;
  /** The response to a test that was just sent. */
  tested: WebhookResponse | null;
  error?: string;
}

export function OperatorsWebhookForm({ auth, form }: { auth: AuthContext; form: OperatorsWebhookFormState }) {
  return (
    <section class="card">
      <h2>Operators' webhook</h2>
      {form.done === undefined ? null : <Notice tone="good">{form.done}</Notice>}
      {form.tested === null ? null : <TestResult tested={form.tested} />}
      <p>
        Each notice is also sent to this URL, signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a>{" "}
        describes. Another URL gets another secret.
      </p>
      <PostForm action={`${PATH}/webhook`} formToken={auth.formToken}>
        <Field
          label="URL"
          name="url"
          value={form.url}
          error={form.error}
          required
          placeholder="https://example.com/notices"
        />
        <fieldset>
          <legend>Notices</legend>
          {(Object.keys(KINDS) as NoticeKind[]).map((kind) => (
            <label key={kind} class="check-box">
              <Input type="checkbox" name="kinds" value={kind} checked={form.kinds.includes(kind)} />{" "}
              {KINDS[kind].label}
            </label>
          ))}
        </fieldset>
        <button type="submit">{form.isSet ? "Change webhook" : "Set webhook"}</button>
      </PostForm>
      {form.isSet ? (
        <div class="bar">
          <PostForm action={`${PATH}/webhook/test`} formToken={auth.formToken}>
            <button type="submit">Send test notice</button>
          </PostForm>
          <PostForm action={`${PATH}/webhook/remove`} formToken={auth.formToken}>
            <button type="submit" class="danger">
              Remove webhook
            </button>
          </PostForm>
        </div>
      ) : null}
    </section>
  );
}

function TestResult({ tested }: { tested: WebhookResponse }) {
  const { status, error, durationMs } = tested;
  return (
    <Notice tone={isSuccess(tested) ? "good" : "bad"}>
      {isSuccess(tested) ? "The endpoint accepted the test notice." : "The endpoint did not accept the test notice."}{" "}
      {status === null ? "No response" : `Status ${status}`} after {spanText(durationMs)}. {error}
    </Notice>
  );
}

export function operatorsSecretPage(auth: AuthContext, secret: string): string {
  return signedInPage(auth, "/operator/notices", {
    title: "Operators' webhook set",
    children: (
      <>
        <h1>Operators' webhook set</h1>
        <Notice tone="warn">Copy the secret now: this is the only time it is shown.</Notice>
        <section class="card">
          <h2>Signing secret</h2>
          <Copyable text={secret} label="signing secret" kind="secret" />
        </section>
        <p class="bar">
          <a class="button primary" href={PATH}>
            Continue
          </a>
        </p>
      </>
    ),
  });
}

export const operatorsSecretShownPage = (auth: AuthContext): string =>
  alreadyShownPage(auth, {
    at: "/operator/notices",
    name: "secret",
    text: "A secret is shown once. If you did not copy it, remove the webhook and set it again.",
    link: { href: PATH, text: "Show all notices" },
  });

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The first step of Get started: a message with a test key, which needs no DNS. One form adds the sender's domain where it is
 * missing and creates the key; its page has the command that sends.
 */
import type { Context } from "koa";
import { createApiKey } from "../../app/send/create-key.ts";
import type { FoundMessage } from "../../spool/port/reports.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Field, PostForm, ResultBadge } from "../views/components.tsx";
import { plural } from "../views/labels.ts";
import { field } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";
import { ShownOnce } from "../web/shown-once.ts";
import { bindError } from "./domain-routes.ts";
import type { NewKey } from "./key-page.tsx";
import { NEW_KEYS } from "./key-routes.ts";
import { primaryResult } from "./primary-result.ts";

const KEY_NAME = "first test";
const TYPED_LENGTH_MAX = 1000;

/** What the user typed, and why it was rejected. */
export interface TestKeyInput {
  sender?: string;
  error?: string;
}

/** Creates a test key, and shows it on a separate page. Returns what was typed if it is rejected, else null. */
export async function createTestKey(
  ctx: Context,
  auth: AuthContext,
  { registry, domains, clock, limits, ...parts }: DashboardParts,
): Promise<TestKeyInput | null> {
  const accountId = auth.account.id;
  const sender = field(ctx, "sender").slice(0, TYPED_LENGTH_MAX);
  if ((await registry.domainNamed(accountId, sender)) === null) {
    const bound = await domains.bind(accountId, sender);
    if (bound.type !== "bound" && bound.type !== "exists") return { sender, error: bindError(bound, limits) };
  }
  const { keysMax } = limits;
  const request = { accountId, name: KEY_NAME, nowMs: clock.now(), keysMax, test: true };
  const created = await createApiKey(registry, request);
  if (created.type === "too_many") {
    const limit = plural(keysMax, "active key");
    return { sender, error: `This account has reached its limit of ${limit} (KEYS_MAX). Revoke one first.` };
  }
  const shown = new ShownOnce<NewKey>(parts, NEW_KEYS);
  const ticket = await shown.hold(accountId, { key: created.key, name: KEY_NAME, test: true });
  ctx.redirect(`/dashboard/keys/created/${ticket}`);
  return null;
}

interface TestStepProps {
  auth: AuthContext;
  /** The domain that test messages are sent from; null without one. */
  sender: string | null;
  hasTestKey: boolean;
  /** The newest message of a test key. */
  message: FoundMessage | null;
  input: TestKeyInput;
}

export function TestStep({ auth, sender, hasTestKey, message, input }: TestStepProps) {
  return (
    <>
      {/* A part of its own: the result appears although the form below is in use. */}
      <div id="first-test" data-live-part>
        {message === null ? (
          <p>{hasTestKey ? WITH_KEY : WITHOUT_KEY}</p>
        ) : (
          <p>
            Newest test message: <a href={`/dashboard/messages/${message.id}`}>{message.subject || "(no subject)"}</a>{" "}
            to {message.to} <ResultBadge result={primaryResult(message)} />
          </p>
        )}
      </div>
      <PostForm action="/dashboard/start/test-key" formToken={auth.formToken} class="inline-form">
        {sender === null || input.error !== undefined ? (
          <Field
            label="Sender domain"
            name="sender"
            value={input.sender ?? sender ?? undefined}
            error={input.error}
            required
            placeholder="example.com"
            hint="The part after the @ of your sender addresses. It need not be verified."
          />
        ) : (
          <input type="hidden" name="sender" value={sender} />
        )}
        <button type="submit" class={hasTestKey ? undefined : "primary"}>
          {hasTestKey ? "Create another test key" : "Create test key"}
        </button>
      </PostForm>
      <p class="quiet">
        Nothing that a test key sends leaves this server.{" "}
        <a href="/dashboard/docs/testing">Test your site against Postrider</a> has the recipients that play each result.
      </p>
    </>
  );
}

const WITHOUT_KEY =
  "Create a test key and run the command that is shown with it: your own message is accepted, sent and reported, without DNS.";
const WITH_KEY =
  "You have a test key. Run the command that was shown with it, and the message appears here. If you did not copy it, create another key.";

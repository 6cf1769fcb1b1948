/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The five steps from an empty installation to a first delivered message: the first is a test message, which needs no DNS. Each
 * step's state is read from the spool, so it is correct however the step was done.
 */
import type { Context } from "koa";
import type { ComponentChildren } from "preact";
import type { HostState } from "../../app/installation/host-watch.ts";
import { documentPage } from "../../lib/document-address.ts";
import { isMessageId } from "../../message/ids.ts";
import { CHECK_NAMES, type Domain } from "../../spool/port/domains.ts";
import type { FoundMessage, Reports } from "../../spool/port/reports.ts";
import type { MessageReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, PostForm, ResultBadge } from "../views/components.tsx";
import type { Label } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { Allowed } from "../views/permissions.tsx";
import { ServerCheck, serverCheckLabel, serverCheckVersion } from "../views/server-check.tsx";
import {
  TestMessageForm,
  type TestMessageInput,
  TestResult,
  testResultVersion,
  testStatus,
} from "../views/test-message.tsx";
import { field } from "../web/form.ts";
import type { DashboardParts } from "../web/parts.ts";
import { AddDomain, CheckMarks } from "./domain-list.tsx";
import { CreateKey } from "./key-list.tsx";
import { primaryResult } from "./primary-result.ts";
import type { Pages } from "./routes.ts";
import { createTestKey, type TestKeyInput, TestStep } from "./start-test.tsx";

export interface Progress {
  domains: Domain[];
  /** The newest verified domain, else the newest domain. */
  domain: Domain | null;
  /** Without test keys. */
  activeKeys: number;
  hasTestKey: boolean;
  /** The newest message of a test key. */
  testMessage: FoundMessage | null;
  /** The newest message, without test messages as all that follows. */
  message: FoundMessage | null;
  /** Whether any stored message was delivered. */
  delivered: boolean;
}

export async function progressOf({ registry, reports }: DashboardParts, accountId: string): Promise<Progress> {
  const domains = await registry.domains(accountId);
  const keys = await registry.keys(accountId);
  const { messages } = await reports.find({ accountId, test: false, limit: 1 });
  const message = messages[0] ?? null;
  const tests = await reports.find({ accountId, test: true, limit: 1 });
  const active = keys.filter((key) => key.revokedAtMs === null);
  const newest = domains.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  return {
    domains,
    domain: newest.find((domain) => domain.verified) ?? newest[0] ?? null,
    activeKeys: active.filter((key) => !key.test).length,
    hasTestKey: active.some((key) => key.test),
    testMessage: tests.messages[0] ?? null,
    message,
    delivered: message !== null && (await hasDelivered(reports, accountId, message)),
  };
}

async function hasDelivered(reports: Reports, accountId: string, newest: FoundMessage): Promise<boolean> {
  if (newest.results.delivered > 0) return true;
  return (await reports.find({ accountId, test: false, result: "delivered", limit: 1 })).messages.length > 0;
}

/** Changes whenever the steps do. */
function progressVersion(progress: Progress): string {
  const { domain, activeKeys, hasTestKey, testMessage, message, delivered } = progress;
  const tests = [hasTestKey, testMessage?.id, ...Object.values(testMessage?.results ?? {})];
  const checks = domain === null ? [] : [domain.id, domain.verified, ...CHECK_NAMES.map((n) => domain.checks[n].state)];
  return [...tests, ...checks, activeKeys, message?.id, ...Object.values(message?.results ?? {}), delivered].join(" ");
}

/** Returns whether the account has sent a message, of a test key too: from then on, the overview is more useful than these steps. */
export const hasSent = ({ message, testMessage }: Progress): boolean => message !== null || testMessage !== null;

export function createStartPages(parts: DashboardParts): Pages {
  async function stateFor(ctx: Context, auth: AuthContext, inputs: Inputs = {}): Promise<StartState> {
    return {
      progress: await progressOf(parts, auth.account.id),
      host: parts.host.look(),
      unavailableReason: parts.sending.unavailableReason(),
      nowMs: parts.clock.now(),
      sent: await sentMessage(parts, auth, ctx.query.message),
      input: inputs.message ?? {},
      testInput: inputs.testKey ?? {},
    };
  }

  return {
    "GET /start": async (ctx, auth) => startPage(auth, await stateFor(ctx, auth)),

    "GET /start/state": async (ctx, auth) => {
      ctx.body = { version: startVersion(await stateFor(ctx, auth)) };
    },

    "POST /start/test-key": async (ctx, auth) => {
      const rejected = await createTestKey(ctx, auth, parts);
      if (rejected === null) return undefined;
      ctx.status = 400;
      return startPage(auth, await stateFor(ctx, auth, { testKey: rejected }));
    },

    "POST /start": async (ctx, auth) => {
      const typed = typedIn(ctx);
      const request = { accountId: auth.account.id, requestId: ctx.state.requestId };
      const sent = await parts.sendTestMessage({ ...request, from: senderOf(typed), to: typed.to });
      if (sent.type === "accepted") {
        ctx.state.messageId = sent.id;
        return ctx.redirect(`/dashboard/start?message=${sent.id}#step-5`);
      }
      if (sent.type === "invalid") {
        ctx.status = 400;
        const error = sent.field === "from" ? { fromError: sent.detail } : { toError: sent.detail };
        return startPage(auth, await stateFor(ctx, auth, { message: { ...typed, ...error } }));
      }
      ctx.status = sent.retryAfterS === undefined ? 409 : 429;
      if (sent.retryAfterS !== undefined) ctx.set("Retry-After", String(sent.retryAfterS));
      return startPage(auth, await stateFor(ctx, auth, { message: { ...typed, error: sent.detail } }));
    },
  };
}

const TYPED_LENGTH_MAX = 1000;

const typedIn = (ctx: Context): { local: string; domain: string; to: string } => ({
  local: field(ctx, "local").slice(0, TYPED_LENGTH_MAX),
  domain: field(ctx, "domain").slice(0, TYPED_LENGTH_MAX),
  to: field(ctx, "to").slice(0, TYPED_LENGTH_MAX),
});

/** The local part may also be typed as a whole address. */
const senderOf = ({ local, domain }: { local: string; domain: string }): string =>
  local.includes("@") ? local : `${local}@${domain}`;

/** The message that was just sent; null for an id that is not one of the account's. */
async function sentMessage(
  { spool }: DashboardParts,
  { account }: AuthContext,
  id: unknown,
): Promise<MessageReport | null> {
  if (typeof id !== "string" || !isMessageId(id)) return null;
  const report = await spool.report(id, account.id);
  return report?.accountId === account.id ? report : null;
}

/** What was typed into a rejected form. */
interface Inputs {
  message?: TestMessageInput;
  testKey?: TestKeyInput;
}

interface StartState {
  progress: Progress;
  host: HostState;
  unavailableReason: string | null;
  nowMs: number;
  /** The test message whose result is shown. */
  sent: MessageReport | null;
  input: TestMessageInput;
  testInput: TestKeyInput;
}

/** Changes whenever the page does, except for its relative times. */
const startVersion = (state: StartState): string =>
  [
    progressVersion(state.progress),
    serverCheckVersion(state),
    state.sent === null ? "" : testResultVersion(state.sent),
  ].join(" ");

/** While a test message is watched. */
const POLL_MS = 1000;

const DONE: Label = { text: "Done", tone: "good" };
const NEXT: Label = { text: "Next", tone: "wait" };
const LATER: Label = { text: "Later", tone: "quiet" };

function startPage(auth: AuthContext, state: StartState): string {
  const { progress, sent } = state;
  const { domain, activeKeys, delivered, testMessage, message } = progress;
  const server = serverCheckLabel({ auth, ...state });
  const done = [testMessage !== null || message !== null, domain?.verified === true, activeKeys > 0, delivered];
  const next = done.indexOf(false);
  const labelOf = (step: number): Label => (done[step] ? DONE : step === next ? NEXT : LATER);
  const live = sent === null ? "/dashboard/start/state" : `/dashboard/start/state?message=${sent.id}`;
  return signedInPage(auth, "/start", {
    title: "Get started",
    children: (
      <>
        <h1>Get started</h1>
        <p
          class="lead"
          id="lead"
          data-live={live}
          data-poll-ms={sent === null ? undefined : POLL_MS}
          data-version={startVersion(state)}
        >
          {leadOf(next, server)}
        </p>
        <p class="unseen" role="status" id="test-status" data-live-part>
          {sent === null ? null : testStatus(sent)}
        </p>
        <ol class="steps" id="steps" data-live-part>
          <Step number={1} title="Send a message with a test key" label={labelOf(0)}>
            <Allowed to="POST /dashboard/start/test-key" instead={<NotAllowed />}>
              <TestStep auth={auth} {...testStepOf(state)} />
            </Allowed>
          </Step>
          <Step number={2} title="Check this server" label={server ?? DONE}>
            <ServerCheck auth={auth} {...state} />
          </Step>
          <Step number={3} title="Verify your domain" label={labelOf(1)}>
            {domain === null ? (
              <Allowed to="POST /dashboard/domains" instead={<NotAllowed />}>
                <AddDomain auth={auth} />
              </Allowed>
            ) : (
              <VerifyStep auth={auth} domain={domain} />
            )}
          </Step>
          <Step number={4} title="Create an API key" label={labelOf(2)}>
            {activeKeys > 0 ? (
              <p>
                You have{" "}
                <a href="/dashboard/keys">{activeKeys === 1 ? "an active key" : `${activeKeys} active keys`}</a>. A key
                and a curl command that uses it are shown once, when you create the key.
              </p>
            ) : (
              <Allowed to="POST /dashboard/keys" instead={<NotAllowed />}>
                <CreateKey auth={auth} />
              </Allowed>
            )}
          </Step>
          <Step number={5} title="Send your first message" label={labelOf(3)}>
            <SendStep auth={auth} state={state} />
          </Step>
        </ol>
        <p>
          Before you send to your users: the checklist <a href={documentPage("BEFORE-PRODUCTION")}>Before production</a>
          .
        </p>
      </>
    ),
  });
}

function testStepOf({ progress: { domain, hasTestKey, testMessage }, testInput }: StartState) {
  return { sender: domain?.name ?? null, hasTestKey, message: testMessage, input: testInput };
}

function leadOf(next: number, server: Label | null): string {
  if (next !== -1) return "Five steps to your first delivered message. You can return to this page at any time.";
  if (server?.tone === "bad") return "Your first message was delivered. This server still needs attention: see step 2.";
  return "All five steps are done: your first message was delivered.";
}

function Step(props: { number: number; title: string; label: Label; children: ComponentChildren }) {
  return (
    <li class={`card step ${props.label.tone}`} id={`step-${props.number}`}>
      <div class="step-head">
        <h2>
          <span class="step-number" aria-hidden="true">
            {props.number}
          </span>
          {props.title}
        </h2>
        <Badge label={props.label} />
      </div>
      {props.children}
    </li>
  );
}

const NotAllowed = () => <p class="quiet">A developer or an owner of the account does this.</p>;

function VerifyStep({ auth, domain }: { auth: AuthContext; domain: Domain }) {
  const missing = CHECK_NAMES.filter((name) => domain.checks[name].state !== "verified").length;
  return (
    <>
      <CheckMarks domain={domain} />
      <p>
        {domain.verified
          ? `${domain.name} is verified and can send messages.`
          : `${missing} of 5 checks ${missing === 1 ? "is" : "are"} not verified. The domain's page shows the records to publish and what was found.`}
      </p>
      {domain.verified ? null : (
        <div class="bar">
          <a class="button primary" href={`/dashboard/domains/${domain.name}`}>
            Show the records
          </a>
          <PostForm action={`/dashboard/domains/${domain.name}/verify`} formToken={auth.formToken}>
            <input type="hidden" name="from" value="start" />
            <button type="submit">Verify now</button>
          </PostForm>
        </div>
      )}
    </>
  );
}

function SendStep({ auth, state }: { auth: AuthContext; state: StartState }) {
  const { progress, sent, input, nowMs } = state;
  const verified = progress.domains.filter(({ verified: isVerified }) => isVerified);
  return (
    <>
      {/* A part of its own: the result appears although the form below is in use. */}
      <div id="test-result" data-live-part>
        {sent === null ? <NewestMessage message={progress.message} /> : null}
        {sent === null ? null : <TestResult auth={auth} report={sent} nowMs={nowMs} />}
      </div>
      {verified.length > 0 ? (
        <Allowed to="POST /dashboard/start" instead={<NotAllowed />}>
          <TestMessageForm auth={auth} domains={verified} input={input} />
        </Allowed>
      ) : (
        <p class="quiet">
          Once a domain is verified, you can send a test message to any address here. Creating a key shows a curl
          command that sends your own.
        </p>
      )}
    </>
  );
}

function NewestMessage({ message }: { message: FoundMessage | null }) {
  if (message === null) return null;
  return (
    <p>
      Newest message: <a href={`/dashboard/messages/${message.id}`}>{message.subject || "(no subject)"}</a> to{" "}
      {message.to} <ResultBadge result={primaryResult(message)} />
    </p>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The four steps from an empty installation to a first delivered message. Each step's state is read from the spool, so it
 * is correct however the step was done.
 */
import type { ComponentChildren } from "preact";
import { sendTestMessage } from "../../app/test-message.ts";
import { CHECK_NAMES, type Domain } from "../../spool/port/domains.ts";
import type { FoundMessage, Reports } from "../../spool/port/reports.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, Notice, PostForm, ResultBadge } from "../views/components.tsx";
import type { Label } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { Allowed } from "../views/permissions.tsx";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { AddDomain, CheckMarks } from "./domain-list.tsx";
import { CreateKey } from "./key-list.tsx";
import type { Pages } from "./routes.ts";

export interface Progress {
  domains: Domain[];
  /** The newest verified domain, else the newest domain. */
  domain: Domain | null;
  /** Without test keys. */
  activeKeys: number;
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
  const newest = domains.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  return {
    domains,
    domain: newest.find((domain) => domain.verified) ?? newest[0] ?? null,
    activeKeys: keys.filter((key) => key.revokedAtMs === null && !key.test).length,
    message,
    delivered: message !== null && (await hasDelivered(reports, accountId, message)),
  };
}

async function hasDelivered(reports: Reports, accountId: string, newest: FoundMessage): Promise<boolean> {
  if (newest.results.delivered > 0) return true;
  return (await reports.find({ accountId, test: false, result: "delivered", limit: 1 })).messages.length > 0;
}

/** Changes whenever the steps do. */
export function progressVersion({ domain, activeKeys, message, delivered }: Progress): string {
  const checks = domain === null ? [] : [domain.id, domain.verified, ...CHECK_NAMES.map((n) => domain.checks[n].state)];
  return [...checks, activeKeys, message?.id, ...Object.values(message?.results ?? {}), delivered].join(" ");
}

/** Returns whether the account has sent a message: from then on, the overview is more useful than these steps. */
export const hasSent = (progress: Progress): boolean => progress.message !== null;

export function createStartPages(parts: DashboardParts): Pages {
  return {
    "GET /start": async (_ctx, auth) => startPage(auth, await progressOf(parts, auth.account.id)),

    "GET /start/state": async (ctx, auth) => {
      ctx.body = { version: progressVersion(await progressOf(parts, auth.account.id)) };
    },

    "POST /start/test": async (ctx, auth) => {
      const name = field(ctx, "domain");
      const domain = await parts.registry.domainNamed(auth.account.id, name);
      if (domain === null) throw notFound();
      const sent = domain.verified
        ? await sendTestMessage(parts, domain, { to: auth.user.email, requestId: ctx.state.requestId })
        : { type: "rejected" as const, detail: `${domain.name} is not verified yet.` };
      if (sent.type === "accepted") {
        ctx.state.messageId = sent.id;
        return ctx.redirect(`/dashboard/messages/${sent.id}`);
      }
      ctx.status = 409;
      return startPage(auth, await progressOf(parts, auth.account.id), sent.detail);
    },
  };
}

const DONE: Label = { text: "Done", tone: "good" };
const NEXT: Label = { text: "Next", tone: "wait" };
const LATER: Label = { text: "Later", tone: "quiet" };

function startPage(auth: AuthContext, progress: Progress, error?: string): string {
  const { domain, activeKeys, delivered } = progress;
  const done = [domain !== null, domain?.verified === true, activeKeys > 0, delivered];
  const next = done.indexOf(false);
  const labelOf = (step: number): Label => (done[step] ? DONE : step === next ? NEXT : LATER);
  return signedInPage(auth, "/start", {
    title: "Get started",
    children: (
      <>
        <h1>Get started</h1>
        <p class="lead" id="lead" data-live-part>
          {next === -1
            ? "All four steps are done: your first message was delivered."
            : "Four steps to your first delivered message. You can return to this page at any time."}
        </p>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <ol class="steps" id="steps" data-live="/dashboard/start/state" data-version={progressVersion(progress)}>
          <Step number={1} title="Add a domain" label={labelOf(0)}>
            {domain === null ? (
              <Allowed to="POST /dashboard/domains" instead={<NotAllowed />}>
                <AddDomain auth={auth} />
              </Allowed>
            ) : (
              <p>
                You have added <a href={`/dashboard/domains/${domain.name}`}>{domain.name}</a>.
              </p>
            )}
          </Step>
          <Step number={2} title="Publish and verify its DNS records" label={labelOf(1)}>
            <VerifyStep auth={auth} domain={domain} />
          </Step>
          <Step number={3} title="Create an API key" label={labelOf(2)}>
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
          <Step number={4} title="Send your first message" label={labelOf(3)}>
            <SendStep auth={auth} progress={progress} />
          </Step>
        </ol>
      </>
    ),
  });
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

function VerifyStep({ auth, domain }: { auth: AuthContext; domain: Domain | null }) {
  if (domain === null) return <p class="quiet">Add a domain to get its five DNS records.</p>;
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

function SendStep({ auth, progress: { domain, message } }: { auth: AuthContext; progress: Progress }) {
  return (
    <>
      {message === null ? null : (
        <p>
          Newest message: <a href={`/dashboard/messages/${message.id}`}>{message.subject || "(no subject)"}</a> to{" "}
          {message.to} <ResultBadge result={primaryResult(message)} />
        </p>
      )}
      {domain?.verified === true ? (
        <PostForm action="/dashboard/start/test" formToken={auth.formToken} class="bar">
          <input type="hidden" name="domain" value={domain.name} />
          <button type="submit" class={message === null ? "primary" : ""}>
            Send a test message to {auth.user.email}
          </button>
        </PostForm>
      ) : (
        <p class="quiet">
          Once a domain is verified, you can send a test message to {auth.user.email} here. Creating a key shows a curl
          command that sends your own.
        </p>
      )}
    </>
  );
}

/** Returns the most urgent result among the recipients. */
export function primaryResult({
  results,
}: Pick<FoundMessage, "results">): "delivered" | "failed" | "pending" | "unknown" {
  if (results.unknown > 0) return "unknown";
  if (results.failed > 0) return "failed";
  return results.pending > 0 ? "pending" : "delivered";
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * From an empty installation to a first delivered mail, in four steps. Each step's state is read from the spool, so it
 * is true however it came about.
 */
import type { ComponentChildren } from "preact";
import { sendTestMessage } from "../../app/test-message.ts";
import { CHECK_NAMES, type Domain } from "../../spool/port/accounts.ts";
import type { FoundMessage, Reports } from "../../spool/port/reports.ts";
import type { Visit } from "../auth/sessions.ts";
import { Badge, Notice, PostForm, ResultBadge } from "../views/components.tsx";
import type { Word } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import { AddDomain, CheckMarks } from "./domain-pages.tsx";
import { CreateKey } from "./key-pages.tsx";
import type { Pages } from "./routes.ts";

export interface Progress {
  domains: Domain[];
  /** The one that mail is sent from, or that is closest to it. */
  domain: Domain | null;
  activeKeys: number;
  /** The newest one. */
  message: FoundMessage | null;
  /** Whether any message was ever delivered, as far as messages are kept. */
  delivered: boolean;
}

export async function progressOf({ registry, reports }: DashboardParts, accountId: string): Promise<Progress> {
  const domains = await registry.domains(accountId);
  const keys = await registry.keys(accountId);
  const { messages } = await reports.find({ accountId, limit: 1 });
  const message = messages[0] ?? null;
  const newest = domains.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  return {
    domains,
    domain: newest.find((domain) => domain.verified) ?? newest[0] ?? null,
    activeKeys: keys.filter((key) => key.revokedAtMs === null).length,
    message,
    delivered: message !== null && (await hasDelivered(reports, accountId, message)),
  };
}

async function hasDelivered(reports: Reports, accountId: string, newest: FoundMessage): Promise<boolean> {
  if (newest.results.delivered > 0) return true;
  return (await reports.find({ accountId, result: "delivered", limit: 1 })).messages.length > 0;
}

/** Changes with what these steps show. */
export function progressVersion({ domain, activeKeys, message, delivered }: Progress): string {
  const checks = domain === null ? [] : [domain.id, domain.verified, ...CHECK_NAMES.map((n) => domain.checks[n].state)];
  return [...checks, activeKeys, message?.id, ...Object.values(message?.results ?? {}), delivered].join(" ");
}

/** Whether somebody has come so far that the overview says more than these steps. */
export const hasBegun = (progress: Progress): boolean => progress.message !== null;

export function createStartPages(parts: DashboardParts): Pages {
  return {
    "GET /start": async (_ctx, visit) => startPage(visit, await progressOf(parts, visit.account.id)),

    "GET /start/state": async (ctx, visit) => {
      ctx.body = { version: progressVersion(await progressOf(parts, visit.account.id)) };
    },

    "POST /start/test": async (ctx, visit) => {
      const name = field(ctx, "domain");
      const domain = await parts.registry.domainNamed(visit.account.id, name);
      if (domain === null) throw notFound();
      const sent = domain.verified
        ? await sendTestMessage(parts, domain, visit.user.email)
        : { type: "rejected" as const, detail: `${domain.name} is not verified yet.` };
      if (sent.type === "accepted") {
        ctx.state.messageId = sent.id;
        return ctx.redirect(`/dashboard/messages/${sent.id}`);
      }
      ctx.status = 409;
      return startPage(visit, await progressOf(parts, visit.account.id), sent.detail);
    },
  };
}

const DONE: Word = { text: "Done", tone: "good" };
const NEXT: Word = { text: "Next", tone: "wait" };
const LATER: Word = { text: "Later", tone: "quiet" };

function startPage(visit: Visit, progress: Progress, error?: string): string {
  const { domain, activeKeys, delivered } = progress;
  const done = [domain !== null, domain?.verified === true, activeKeys > 0, delivered];
  const next = done.indexOf(false);
  const wordOf = (step: number): Word => (done[step] ? DONE : step === next ? NEXT : LATER);
  return signedInPage(visit, "/start", {
    title: "Get started",
    children: (
      <>
        <h1>Get started</h1>
        <p class="lead" id="lead" data-live-part>
          {next === -1
            ? "All four steps are done: your mail is on its way."
            : "Four steps to the first delivered mail. Come back here at any time."}
        </p>
        {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
        <ol class="steps" id="steps" data-live="/dashboard/start/state" data-version={progressVersion(progress)}>
          <Step number={1} title="Bind a domain" word={wordOf(0)}>
            {domain === null ? (
              <AddDomain visit={visit} />
            ) : (
              <p>
                <a href={`/dashboard/domains/${domain.name}`}>{domain.name}</a> is bound.
              </p>
            )}
          </Step>
          <Step number={2} title="Publish and verify its DNS records" word={wordOf(1)}>
            <VerifyStep visit={visit} domain={domain} />
          </Step>
          <Step number={3} title="Create an API key" word={wordOf(2)}>
            {activeKeys > 0 ? (
              <p>
                You have{" "}
                <a href="/dashboard/keys">{activeKeys === 1 ? "an active key" : `${activeKeys} active keys`}</a>. A
                key's text and a ready curl line are shown once, when it is created.
              </p>
            ) : (
              <CreateKey visit={visit} />
            )}
          </Step>
          <Step number={4} title="Send the first mail" word={wordOf(3)}>
            <SendStep visit={visit} progress={progress} />
          </Step>
        </ol>
      </>
    ),
  });
}

function Step(props: { number: number; title: string; word: Word; children: ComponentChildren }) {
  return (
    <li class={`card step ${props.word.tone}`} id={`step-${props.number}`}>
      <div class="step-head">
        <h2>
          <span class="step-number" aria-hidden="true">
            {props.number}
          </span>
          {props.title}
        </h2>
        <Badge word={props.word} />
      </div>
      {props.children}
    </li>
  );
}

function VerifyStep({ visit, domain }: { visit: Visit; domain: Domain | null }) {
  if (domain === null) return <p class="quiet">Five records, ready to copy once a domain is bound.</p>;
  const missing = CHECK_NAMES.filter((name) => domain.checks[name].state !== "verified").length;
  return (
    <>
      <CheckMarks domain={domain} />
      <p>
        {domain.verified
          ? `${domain.name} is verified and may send.`
          : `${missing} of five checks are still missing. The records to publish, and what was found, are on the domain's page.`}
      </p>
      {domain.verified ? null : (
        <div class="bar">
          <a class="button primary" href={`/dashboard/domains/${domain.name}`}>
            Show the records
          </a>
          <PostForm action={`/dashboard/domains/${domain.name}/verify`} formToken={visit.formToken}>
            <input type="hidden" name="from" value="start" />
            <button type="submit">Verify now</button>
          </PostForm>
        </div>
      )}
    </>
  );
}

function SendStep({ visit, progress: { domain, message } }: { visit: Visit; progress: Progress }) {
  return (
    <>
      {message === null ? null : (
        <p>
          The newest: <a href={`/dashboard/messages/${message.id}`}>{message.subject || "(no subject)"}</a> to{" "}
          {message.to} <ResultBadge result={leading(message)} />
        </p>
      )}
      {domain?.verified === true ? (
        <PostForm action="/dashboard/start/test" formToken={visit.formToken} class="bar">
          <input type="hidden" name="domain" value={domain.name} />
          <button type="submit" class={message === null ? "primary" : ""}>
            Send a test mail to {visit.user.email}
          </button>
        </PostForm>
      ) : (
        <p class="quiet">
          A button for a test mail to {visit.user.email} stands here once a domain is verified. Creating a key shows a
          curl line for your own.
        </p>
      )}
    </>
  );
}

/** The result to show where there is room for one: what asks for attention first. */
export function leading({ results }: Pick<FoundMessage, "results">): "delivered" | "failed" | "pending" | "unknown" {
  if (results.unknown > 0) return "unknown";
  if (results.failed > 0) return "failed";
  return results.pending > 0 ? "pending" : "delivered";
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Sending domains: add, publish, verify, rotate the DKIM key, remove. What a check sees and means is not decided here.
 */
import type { Context } from "koa";
import { CHECK_NAMES, type CheckChange, type Domain, isWarned, type Rotation } from "../../spool/port/domains.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Badge, Copyable, Empty, Field, Moment, Notice, PostForm, Table } from "../views/components.tsx";
import { RotationView } from "../views/dkim-rotation.tsx";
import { CheckView, wantedRecord } from "../views/dns-record.tsx";
import { type DomainNews, News } from "../views/domain-changes.tsx";
import { CHECK_STATE_WORDS, CHECK_WORDS, checkWord, plural, sentenceNamed, type Word } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { zoneLine } from "../views/zone-lines.ts";
import { field } from "../web/form.ts";
import { notFound } from "../web/page-error.ts";
import type { AccountLimits, BindResult, DashboardParts } from "../web/parts.ts";
import type { Pages } from "./routes.ts";

const HISTORY_MAX = 50;

const DONE: Record<string, string> = {
  removed: "The domain is removed. Mail accepted before is still delivered.",
  rotating: "A new key is made. Publish its record; the present key signs until the record is seen.",
  "took-over":
    "The record of the new DKIM key is seen: it signs from now on. Leave the former record for a week, for mail on its way.",
  "rotation-cancelled": "The new key is dropped.",
};

export function createDomainPages(parts: DashboardParts): Pages {
  const { registry, domains, clock } = parts;

  async function domainOf(ctx: Context, visit: Visit): Promise<Domain> {
    const domain = await registry.domainNamed(visit.account.id, ctx.params.name ?? "");
    if (domain === null) throw notFound();
    return domain;
  }

  const rotationOf = async (domain: Domain): Promise<Rotation | null> =>
    (await registry.rotations()).find(({ domainId }) => domainId === domain.id) ?? null;

  const pathOf = (domain: Pick<Domain, "name">): string => `/dashboard/domains/${domain.name}`;

  return {
    "GET /domains": async (ctx, visit) =>
      listPage(visit, { domains: await registry.domains(visit.account.id), done: sentenceNamed(DONE, ctx.query.done) }),

    "POST /domains": async (ctx, visit) => {
      const typed = field(ctx, "name").slice(0, 1000);
      const bound = await domains.bind(visit.account.id, typed);
      if (bound.type === "bound") return ctx.redirect(pathOf(bound.domain));
      ctx.status = 400;
      const error = bindFault(bound, parts.limits);
      return listPage(visit, { domains: await registry.domains(visit.account.id), typed, error });
    },

    "GET /domains/:name": async (ctx, visit) => {
      const domain = await domainOf(ctx, visit);
      const rotation = await rotationOf(domain);
      const history = await registry.checkHistory(visit.account.id, domain.name, HISTORY_MAX);
      const { done } = ctx.query;
      const verified = done === "verify" || done === "took-over";
      const hasKey = (await registry.keys(visit.account.id)).some((key) => key.revokedAtMs === null);
      const waitingKey = verified && rotation !== null ? await domains.lookAtRotation(domain, rotation) : null;
      const news = { done: sentenceNamed(DONE, done), verified, waitingKey, hasKey };
      return domainPage(visit, { parts, domain, rotation, history, news });
    },

    "GET /domains/:name/state": async (ctx, visit) => {
      const domain = await domainOf(ctx, visit);
      ctx.body = { version: domainVersion(domain, await rotationOf(domain)) };
    },

    "POST /domains/:name/verify": async (ctx, visit) => {
      const domain = await domainOf(ctx, visit);
      const before = await rotationOf(domain);
      await domains.verify(domain);
      if (field(ctx, "from") === "start") return ctx.redirect("/dashboard/start");
      const tookOver = before !== null && (await rotationOf(domain)) === null;
      ctx.redirect(`${pathOf(domain)}?done=${tookOver ? "took-over" : "verify"}`);
    },

    "POST /domains/:name/rotate": async (ctx, visit) => {
      const domain = await domainOf(ctx, visit);
      await domains.rotate(domain);
      ctx.redirect(`${pathOf(domain)}?done=rotating#rotation`);
    },

    "POST /domains/:name/rotate/cancel": async (ctx, visit) => {
      const domain = await domainOf(ctx, visit);
      if (!(await registry.cancelRotation(domain.id))) throw notFound();
      ctx.redirect(`${pathOf(domain)}?done=rotation-cancelled`);
    },

    "GET /domains/:name/remove": async (ctx, visit) => removePage(visit, await domainOf(ctx, visit)),

    "POST /domains/:name/remove": async (ctx, visit) => {
      const domain = await domainOf(ctx, visit);
      await registry.removeDomain(visit.account.id, domain.name, clock.now());
      ctx.redirect("/dashboard/domains?done=removed");
    },
  };
}

function bindFault(bound: Exclude<BindResult, { type: "bound" }>, { domainsMax }: AccountLimits): string {
  switch (bound.type) {
    case "exists":
      return "This domain is bound already.";
    case "too_many":
      return `This account has reached its limit of ${plural(domainsMax, "domain")} (DOMAINS_MAX). Remove one first.`;
    case "invalid":
      return bound.detail;
  }
}

/** How a domain stands as a whole. */
export function standingWord({ verified, checks }: Pick<Domain, "verified" | "checks">): Word {
  const failing = CHECK_NAMES.filter((name) => checks[name].state === "failed");
  if (verified) {
    const warned = CHECK_NAMES.filter((name) => isWarned(checks[name])).length;
    if (failing.length === 0 && warned > 0) return { text: `May send, ${plural(warned, "warning")}`, tone: "warn" };
    if (failing.length === 0) return { text: "May send", tone: "good" };
    return { text: `May send, ${plural(failing.length, "check fails", "checks fail")}`, tone: "warn" };
  }
  if (failing.length > 0) return { text: "Not verified", tone: "bad" };
  return { text: "Not verified yet", tone: "wait" };
}

export function AddDomain({
  visit,
  typed,
  error,
}: {
  visit: Visit;
  typed?: string | undefined;
  error?: string | undefined;
}) {
  return (
    <PostForm action="/dashboard/domains" formToken={visit.formToken} class="inline-form">
      <Field
        label="Domain name"
        name="name"
        value={typed}
        error={error}
        required
        placeholder="example.com"
        hint="The domain that stands after the @ of your senders. Names below it are covered too."
      />
      <button type="submit" class="primary">
        Add domain
      </button>
    </PostForm>
  );
}

function listPage(
  visit: Visit,
  state: { domains: Domain[]; typed?: string; error?: string; done?: string | undefined },
): string {
  return signedInPage(visit, "/domains", {
    title: "Domains",
    children: (
      <>
        <h1>Domains</h1>
        {state.done === undefined ? null : <Notice tone="good">{state.done}</Notice>}
        {state.domains.length === 0 ? (
          <Empty title="No domain yet">
            <p>Add the domain that you send from. You then get five DNS records to publish.</p>
          </Empty>
        ) : (
          <Table label="Domains" class="stacked" head={["Domain", "State", "Checks"]}>
            {state.domains.map((domain) => (
              <tr key={domain.id}>
                <th scope="row">
                  <a href={`/dashboard/domains/${domain.name}`}>{domain.name}</a>
                </th>
                <td>
                  <Badge word={standingWord(domain)} />
                </td>
                <td>
                  <CheckMarks domain={domain} />
                </td>
              </tr>
            ))}
          </Table>
        )}
        <section class="card">
          <h2>Add a domain</h2>
          <AddDomain visit={visit} typed={state.typed} error={state.error} />
        </section>
      </>
    ),
  });
}

/** The five checks in one line. */
export function CheckMarks({ domain }: { domain: Domain }) {
  return (
    <ul class="marks">
      {CHECK_NAMES.map((name) => {
        const { text, tone } = checkWord(domain.checks[name]);
        return (
          <li key={name}>
            <Badge word={{ text: CHECK_WORDS[name], tone }} />
            <span class="unseen">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}

interface DomainState {
  parts: DashboardParts;
  domain: Domain;
  rotation: Rotation | null;
  history: CheckChange[];
  news: DomainNews;
}

/** Changes with what the page shows. */
function domainVersion({ verified, nextCheckAtMs, checks }: Domain, rotation: Rotation | null): string {
  const seen = CHECK_NAMES.map((name) => `${checks[name].state}${checks[name].checkedAtMs}`);
  return [verified, nextCheckAtMs, rotation?.selector, ...seen].join(" ");
}

function domainPage(visit: Visit, state: DomainState): string {
  const { domain, parts } = state;
  const records = parts.domains.records(domain);
  const nowMs = parts.clock.now();
  const action = `/dashboard/domains/${domain.name}`;
  return signedInPage(visit, "/domains/one", {
    title: domain.name,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/domains">Domains</a>
        </p>
        <div class="title-row" id="title" data-live-part>
          <h1>{domain.name}</h1>
          <Badge word={standingWord(domain)} />
        </div>
        <News domain={domain} news={state.news} />
        <div class="bar" id="verify" data-live-part>
          <PostForm action={`${action}/verify`} formToken={visit.formToken}>
            <button type="submit" class="primary">
              Verify now
            </button>
          </PostForm>
          <p class="quiet">
            Also checked automatically; next check <Ago atMs={domain.nextCheckAtMs} nowMs={nowMs} />.
          </p>
        </div>
        <h2>Records to publish</h2>
        <div
          class="checks"
          id="checks"
          data-live={`/dashboard/domains/${domain.name}/state`}
          data-version={domainVersion(domain, state.rotation)}
        >
          {records.map((record) => (
            <CheckView key={record.check} record={record} check={domain.checks[record.check]} nowMs={nowMs} />
          ))}
        </div>
        <details class="card">
          <summary>The same as lines of a zone file</summary>
          <Copyable
            text={records.map((record) => zoneLine(wantedRecord(record, domain.checks[record.check]))).join("\n")}
            label="zone file lines"
            block
          />
        </details>
        <RotationView visit={visit} domain={domain} rotation={state.rotation} parts={parts} />
        <History history={state.history} />
        <section class="card">
          <h2>Remove</h2>
          <p>Nothing more is accepted from a removed domain.</p>
          <a class="button danger" href={`${action}/remove`}>
            Remove {domain.name} …
          </a>
        </section>
      </>
    ),
  });
}

function History({ history }: { history: CheckChange[] }) {
  if (history.length === 0) return null;
  return (
    <details class="card">
      <summary>History of the checks</summary>
      <Table label="History of the checks" head={["When (UTC)", "Check", "Became", "Why"]}>
        {history.map((change) => (
          <tr key={`${change.atMs} ${change.check}`}>
            <td class="nowrap">
              <Moment atMs={change.atMs} />
            </td>
            <td>{CHECK_WORDS[change.check]}</td>
            <td>
              <Badge word={CHECK_STATE_WORDS[change.state]} />
            </td>
            <td class="wide-cell">{change.detail}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

function removePage(visit: Visit, domain: Domain): string {
  return signedInPage(visit, "/domains/one", {
    title: `Remove ${domain.name}`,
    children: (
      <>
        <h1>Remove {domain.name}?</h1>
        <p>
          From then on every send from {domain.name} is refused. Mail accepted before is still signed and delivered:
          leave its DKIM record in place for a few days.
        </p>
        <PostForm action={`/dashboard/domains/${domain.name}/remove`} formToken={visit.formToken} class="bar">
          <button type="submit" class="danger">
            Remove {domain.name}
          </button>
          <a class="button" href={`/dashboard/domains/${domain.name}`}>
            Keep it
          </a>
        </PostForm>
      </>
    ),
  });
}

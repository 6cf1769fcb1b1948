/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The domains that cannot send, or are about to become unable to, with their checks that are not verified. The details are
 * on each domain's page.
 */

import type { Registry } from "../../spool/port/accounts.ts";
import { CHECK_NAMES, type Domain, isWarned } from "../../spool/port/domains.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge } from "../views/components.tsx";
import { CHECK_TITLES, checkLabel, domainLabel, type Label, plural } from "../views/labels.ts";
import { Task } from "../views/mail-health.tsx";

/** Returns the domains of an account, or of all accounts for null. */
export async function domainsOf(registry: Registry, accountId: string | null): Promise<Domain[]> {
  if (accountId !== null) return registry.domains(accountId);
  const accounts = await registry.accounts();
  return (await Promise.all(accounts.map(({ id }) => registry.domains(id)))).flat();
}

/** Changes whenever the section does. */
export const problemDomainsVersion = (domains: Domain[]): string =>
  domains
    .map(({ id, verified, checks }) => [id, verified, ...CHECK_NAMES.map((name) => checkLabel(checks[name]).text)])
    .join(" ");

export function ProblemDomains({ domains, auth }: { domains: Domain[]; auth: AuthContext }) {
  const problems = domains.filter((domain) => domainLabel(domain).tone !== "good");
  const none: Label = domains.length === 0 ? { text: "No domains yet", tone: "quiet" } : { text: "None", tone: "good" };
  return (
    <section class="card" aria-labelledby="problem-domains-title">
      <h2 id="problem-domains-title">Domains with problems</h2>
      {problems.length === 0 ? (
        <p>
          <Badge label={none} />
        </p>
      ) : (
        <ul class="plain-list">
          {problems.map((domain) => (
            <ProblemDomain key={domain.id} domain={domain} auth={auth} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Domains in the overview's list; further ones are counted. */
const TASKS_MAX = 3;

/** A task for each domain that cannot send, or is about to become unable to. */
export function DomainTasks({ domains, auth }: { domains: Domain[]; auth: AuthContext }) {
  const problems = domains.filter((domain) => domainLabel(domain).tone !== "good");
  const more = problems.length - TASKS_MAX;
  return (
    <>
      {problems.slice(0, TASKS_MAX).map((domain) => (
        <Task
          key={domain.id}
          tone={domain.verified ? "warn" : "bad"}
          action={
            domain.accountId === auth.account.id
              ? { href: `/dashboard/domains/${domain.name}`, text: "Open the domain" }
              : { href: `/dashboard/operator/accounts/${domain.accountId}`, text: "Open its account" }
          }
        >
          <strong>{domain.name}</strong>: {domainLabel(domain).text.toLowerCase()}.
        </Task>
      ))}
      {more > 0 ? (
        <Task tone="warn" action={{ href: "/dashboard/domains", text: "Open the domains" }}>
          {plural(more, "more domain has", "more domains have")} problems.
        </Task>
      ) : null}
    </>
  );
}

function ProblemDomain({ domain, auth }: { domain: Domain; auth: AuthContext }) {
  // A domain of another account has a page only after the operator has switched to that account.
  const isOwn = domain.accountId === auth.account.id;
  const path = isOwn ? `/dashboard/domains/${domain.name}` : `/dashboard/operator/accounts/${domain.accountId}`;
  const unverified = CHECK_NAMES.filter(
    (name) => domain.checks[name].state !== "verified" || isWarned(domain.checks[name]),
  );
  return (
    <li>
      <p>
        <a href={path}>{domain.name}</a> {isOwn ? null : <span class="quiet">of another account</span>}{" "}
        <Badge label={domainLabel(domain)} />
      </p>
      <ul class="marks">
        {unverified.map((name) => {
          const { text, tone } = checkLabel(domain.checks[name]);
          return (
            <li key={name}>
              <Badge label={{ text: `${CHECK_TITLES[name]}: ${text}`, tone }} />
            </li>
          );
        })}
      </ul>
    </li>
  );
}

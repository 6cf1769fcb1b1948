/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * Domains that cannot send, or are about to lose that: which checks stand how, in short. What was found is on each
 * domain's own page.
 */

import type { Registry } from "../../spool/port/accounts.ts";
import { CHECK_NAMES, type Domain, isWarned } from "../../spool/port/domains.ts";
import type { Visit } from "../auth/sessions.ts";
import { Badge } from "../views/components.tsx";
import { CHECK_WORDS, checkWord, type Word } from "../views/labels.ts";
import { standingWord } from "./domain-pages.tsx";

/** The domains of an account; null: of all accounts. */
export async function domainsOf(registry: Registry, accountId: string | null): Promise<Domain[]> {
  if (accountId !== null) return registry.domains(accountId);
  const accounts = await registry.accounts();
  return (await Promise.all(accounts.map(({ id }) => registry.domains(id)))).flat();
}

/** Changes with what is shown of these domains. */
export const troubleVersion = (domains: Domain[]): string =>
  domains
    .map(({ id, verified, checks }) => [id, verified, ...CHECK_NAMES.map((name) => checkWord(checks[name]).text)])
    .join(" ");

export function DomainsInTrouble({ domains, visit }: { domains: Domain[]; visit: Visit }) {
  const troubled = domains.filter((domain) => standingWord(domain).tone !== "good");
  const none: Word = domains.length === 0 ? { text: "No domain yet", tone: "quiet" } : { text: "None", tone: "good" };
  return (
    <section class="card" aria-labelledby="trouble-title">
      <h2 id="trouble-title">Domains in trouble</h2>
      {troubled.length === 0 ? (
        <p>
          <Badge word={none} />
        </p>
      ) : (
        <ul class="plain-list">
          {troubled.map((domain) => (
            <Troubled key={domain.id} domain={domain} visit={visit} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Troubled({ domain, visit }: { domain: Domain; visit: Visit }) {
  // Another account's is seen by whoever turns to that account.
  const isOwn = domain.accountId === visit.account.id;
  const path = isOwn ? `/dashboard/domains/${domain.name}` : `/dashboard/operator/accounts/${domain.accountId}`;
  const missing = CHECK_NAMES.filter(
    (name) => domain.checks[name].state !== "verified" || isWarned(domain.checks[name]),
  );
  return (
    <li>
      <p>
        <a href={path}>{domain.name}</a> {isOwn ? null : <span class="quiet">of another account</span>}{" "}
        <Badge word={standingWord(domain)} />
      </p>
      <ul class="marks">
        {missing.map((name) => {
          const { text, tone } = checkWord(domain.checks[name]);
          return (
            <li key={name}>
              <Badge word={{ text: `${CHECK_WORDS[name]}: ${text}`, tone }} />
            </li>
          );
        })}
      </ul>
    </li>
  );
}

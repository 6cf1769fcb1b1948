/** The notices of domains that stop verifying: a check fails, though the domain may still send, and the domain may not send any more. */
import { DAY_MS } from "../../lib/units.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import { domainStanding } from "../../spool/port/domain-standing.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { DomainTrouble, Notices } from "../../spool/port/notices.ts";
import type { NoticeDraft } from "./notice.ts";

export interface FailingDomainParts {
  store: Pick<Notices, "domainTroubles">;
  registry: Pick<Registry, "domainNamed">;
}

/** The process that had the duty before has noticed what happened earlier. */
const WITHIN_MS = DAY_MS;
const TROUBLES_MAX = 500;

/** The standing that an event says, while it lasts. */
const STANDING = { "domain.failing": "failing", "domain.lost": "unverified" } as const;

export async function domainNotices({ store, registry }: FailingDomainParts, nowMs: number): Promise<NoticeDraft[]> {
  const troubles = await store.domainTroubles({ accountId: null, sinceMs: nowMs - WITHIN_MS, limit: TROUBLES_MAX });
  const seen = new Set<string>();
  const drafts: NoticeDraft[] = [];
  for (const trouble of troubles) {
    // The newest event of a domain is the first one; the others are over.
    const name = `${trouble.accountId} ${trouble.domain}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const domain = await registry.domainNamed(trouble.accountId, trouble.domain);
    if (domain !== null && domainStanding(domain) === STANDING[trouble.type]) drafts.push(draftOf(trouble, domain));
  }
  return drafts;
}

function draftOf({ id, type, accountId }: DomainTrouble, { name, checks }: Domain): NoticeDraft {
  const isLost = type === "domain.lost";
  const failed = Object.entries(checks).filter(
    ([, { failedSinceMs, standing }]) => failedSinceMs !== null || !standing,
  );
  return {
    kind: "domain_failing",
    accountId,
    cause: `domain ${accountId} ${name}`,
    occurrence: id,
    subject: isLost ? `The domain ${name} may not send any more` : `A check of the domain ${name} fails`,
    paragraphs: [
      isLost
        ? `A check of ${name} has failed for a day. Messages from it are rejected until all checks are verified again.`
        : `${name} may still send. If the check fails for a day, messages from it are rejected.`,
      ...failed.map(([check, { detail }]) => `${check.toUpperCase()}: ${detail}`),
      "The records to publish, and what was found:",
    ],
    link: `/dashboard/domains/${name}`,
  };
}

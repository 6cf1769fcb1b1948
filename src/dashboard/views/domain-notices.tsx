/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The notices at the top of a domain's page: the result of the last action, and the next step.
 */

import type { KeyLookup } from "../../app/domains/domain-actions.ts";
import { CHECK_NAMES, type Domain, isWarned } from "../../spool/port/domains.ts";
import { Notice } from "./components.tsx";
import { CHECK_TITLES } from "./labels.ts";
import { shortened } from "./long-words.ts";

export interface RecentChanges {
  /** The notice for the last action. */
  notice?: string | undefined;
  /** Whether the user has just run the checks. */
  verified: boolean;
  /** The lookup of the pending DKIM key's record. */
  pendingKey: KeyLookup | null;
  /** Whether the account has an active API key. */
  hasKey: boolean;
}

export function DomainNotices({ domain, changes }: { domain: Domain; changes: RecentChanges }) {
  const { notice, verified, pendingKey, hasKey } = changes;
  return (
    <div id="notices" data-live-part>
      {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
      {verified ? <VerifyNotice domain={domain} /> : null}
      {pendingKey === null ? null : <PendingKey domain={domain} lookup={pendingKey} />}
      {domain.verified && !hasKey ? <NextStep /> : null}
    </div>
  );
}

function VerifyNotice({ domain }: { domain: Domain }) {
  const missing = CHECK_NAMES.filter((name) => domain.checks[name].state !== "verified");
  const warned = CHECK_NAMES.filter((name) => isWarned(domain.checks[name]));
  if (missing.length === 0 && warned.length > 0) {
    return (
      <Notice tone="warn">
        All five checks are verified: {domain.name} can send messages. There is a warning on{" "}
        {warned.map((name) => CHECK_TITLES[name]).join(", ")}.
      </Notice>
    );
  }
  if (missing.length === 0)
    return <Notice tone="good">All five checks are verified: {domain.name} can send messages.</Notice>;
  const names = missing.map((name) => CHECK_TITLES[name]).join(", ");
  return (
    <Notice tone={domain.verified ? "warn" : "bad"}>
      {passedText(CHECK_NAMES.length - missing.length)} Not verified: {names}. Below each record is what was found and
      how to fix it. New records can take a few minutes to become visible.
    </Notice>
  );
}

function passedText(count: number): string {
  if (count === 0) return "None of the five checks has passed.";
  return `${count} of the five checks ${count === 1 ? "has" : "have"} passed.`;
}

function NextStep() {
  return (
    <p>
      Next:{" "}
      <a class="button primary" href="/dashboard/keys">
        Create a key
      </a>{" "}
      to send messages, or see the remaining steps in <a href="/dashboard/start">Get started</a>.
    </p>
  );
}

function PendingKey({ domain, lookup }: { domain: Domain; lookup: KeyLookup }) {
  return (
    <Notice tone="warn">
      The new DKIM key does not sign yet; <code>{domain.selector}</code> still does. {shortened(lookup.detail)}{" "}
      <a href="#check-dkim-new">Show its record</a>
    </Notice>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * What stands on top of a domain's page: what was just done or seen, and where to go from here.
 */
import { CHECK_NAMES, type Domain, isWarned } from "../../spool/port/domains.ts";
import type { SeenKey } from "../web/parts.ts";
import { Notice } from "./components.tsx";
import { CHECK_WORDS } from "./labels.ts";

export interface DomainNews {
  /** A sentence on what was just done. */
  done?: string | undefined;
  /** Whether the checks were just looked at by hand. */
  verified: boolean;
  /** What was just seen of a DKIM key that waits to take over. */
  waitingKey: SeenKey | null;
  /** Whether the account has an active API key. */
  hasKey: boolean;
}

export function News({ domain, news }: { domain: Domain; news: DomainNews }) {
  const { done, verified, waitingKey, hasKey } = news;
  return (
    <div id="news" data-live-part>
      {done === undefined ? null : <Notice tone="good">{done}</Notice>}
      {verified ? <VerifyNotice domain={domain} /> : null}
      {waitingKey === null ? null : <WaitingKey domain={domain} seen={waitingKey} />}
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
        All five checks are verified: {domain.name} may send. There is a warning on{" "}
        {warned.map((name) => CHECK_WORDS[name]).join(", ")}.
      </Notice>
    );
  }
  if (missing.length === 0) return <Notice tone="good">All five checks are verified: {domain.name} may send.</Notice>;
  const names = missing.map((name) => CHECK_WORDS[name]).join(", ");
  return (
    <Notice tone={domain.verified ? "warn" : "bad"}>
      {passedText(CHECK_NAMES.length - missing.length)} Not yet: {names}. Each check shows what was found and how to fix
      it. New records can take a few minutes to be seen.
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
      to send with, or see what is left at <a href="/dashboard/start">Get started</a>.
    </p>
  );
}

function WaitingKey({ domain, seen }: { domain: Domain; seen: SeenKey }) {
  return (
    <Notice tone="warn">
      The new DKIM key does not sign yet; <code>{domain.selector}</code> still does. {seen.detail}{" "}
      <a href="#rotation">Its record</a>
    </Notice>
  );
}

/** `destinations`: the recipient domains of all accounts at which recipients wait, and what an operator can do about one. */
import { pauseDestination, resumeDestination, retryDestination } from "../app/destinations.ts";
import { rfc3339 } from "../lib/clock.ts";
import type { WaitingDomain } from "../spool/port/reports.ts";
import { type Implementation, pluralize, Refusal } from "./command.ts";
import { type Cell, table } from "./table.ts";

const DOMAINS_MAX = 1000;

export const listDestinations: Implementation = {
  async run({ store, nowMs }) {
    const waiting = await store.reports.waiting({ accountId: null, nowMs, limit: DOMAINS_MAX });
    const listed = new Set(waiting.domains.map(({ domain }) => domain));
    const paused = (await store.pausedDomains()).filter(({ domain }) => !listed.has(domain));
    const domains: WaitingDomain[] = [
      ...waiting.domains,
      ...paused.map(({ domain, atMs }) => ({ ...NOTHING, domain, pausedAtMs: atMs })),
    ];
    const json = {
      ...{ waiting: waiting.waiting, unknown: waiting.unknown },
      oldest_at: timeOf(waiting.oldestAtMs),
      destinations: domains.map(destinationJson),
    };
    const more = waiting.domains.length === DOMAINS_MAX ? `\nOnly the first ${DOMAINS_MAX} are shown.` : "";
    const none = "No recipient is waiting, and no recipient domain is paused.";
    return { json, text: table(HEADING, domains.map(rowOf), none) + more };
  },
};

const NOTHING = { waiting: 0, due: 0, nextAttemptAtMs: null, reason: null, category: null, smtp: null };
const HEADING = ["DOMAIN", "WAITING", "DUE", "STATE", "NEXT", "CATEGORY", "REASON"];

const timeOf = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

function destinationJson({ domain, waiting, due, nextAttemptAtMs, reason, category, smtp, pausedAtMs }: WaitingDomain) {
  return {
    ...{ domain, waiting, due, next_attempt_at: timeOf(nextAttemptAtMs), reason, category, smtp },
    paused_at: timeOf(pausedAtMs),
  };
}

function rowOf({ domain, waiting, due, nextAttemptAtMs, reason, category, smtp, pausedAtMs }: WaitingDomain): Cell[] {
  const state: Cell = pausedAtMs === null ? "active" : { style: "warn", text: `paused since ${rfc3339(pausedAtMs)}` };
  const reply = smtp === null ? (reason ?? "") : `${smtp.code} ${smtp.message.replaceAll("\n", " / ")}`;
  return [domain, String(waiting), String(due), state, timeOf(nextAttemptAtMs) ?? "", category ?? "", reply];
}

export const pauseDestinationCommand: Implementation = {
  async run({ store, nowMs }, { positionals: [typed = ""] }) {
    const domain = await pauseDestination(store, typed, nowMs);
    if (domain === null) throw notADomain(typed);
    const text = `No attempt is made at ${domain} until you run: destinations resume ${domain}. Attempts under way end normally.`;
    return { json: { domain, paused: true }, text };
  },
};

export const resumeDestinationCommand: Implementation = {
  async run({ store }, { positionals: [typed = ""] }) {
    const result = await resumeDestination(store, typed);
    if (result === null) throw notADomain(typed);
    const { domain, wasPaused } = result;
    if (!wasPaused) throw new Refusal(`${domain} is not paused`);
    return { json: { domain, paused: false }, text: `Attempts at ${domain} go on.` };
  },
};

export const retryDestinationCommand: Implementation = {
  async run({ store, nowMs }, { positionals: [typed = ""] }) {
    const result = await retryDestination({ registry: store, spool: store }, typed, nowMs);
    if (result === null) throw notADomain(typed);
    const { domain, retried, isPaused } = result;
    if (retried === 0) throw new Refusal(`no recipient at ${domain} waits for a later attempt`);
    const due = `${pluralize(retried, "recipient")} at ${domain} ${retried === 1 ? "is" : "are"} due now`;
    const but = isPaused ? `, but ${domain} is paused: destinations resume ${domain}` : "";
    return { json: { domain, retried, paused: isPaused }, text: `${due}${but}.` };
  },
};

const notADomain = (typed: string): Refusal =>
  new Refusal(`${typed} is not a recipient domain: give the part after the @, such as example.org`);

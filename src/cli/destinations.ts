/** `destinations`: the recipient domains of all accounts at which recipients wait, and what an operator can do about one. */
import { pauseDestination, resumeDestination, retryDestination } from "../app/decide/destinations.ts";
import {
  type IdleClosing,
  type QueueDestination,
  type QueuedDestination,
  readQueue,
} from "../app/reports/queue-report.ts";
import { queueView, sentenceText, waitText } from "../app/reports/queue-view.ts";
import { DELIVERY_PAUSED_TEXT } from "../app/reports/queue-wait-text.ts";
import { storedTraffic } from "../app/reports/traffic-board.ts";
import { rfc3339 } from "../lib/clock.ts";
import { closedSentence } from "../message/result/closed-destination.ts";
import { destinationLabel } from "../receivers/names.ts";
import { type Implementation, pluralize, Refusal } from "./command.ts";
import { type Cell, table } from "./table.ts";

const DOMAINS_MAX = 1000;

export const listDestinations: Implementation = {
  async run({ store, nowMs }) {
    const traffic = () => storedTraffic(store, nowMs);
    const filter = { accountId: null, nowMs, limit: DOMAINS_MAX };
    const queue = await readQueue({ reports: store.reports, spool: store, traffic }, filter);
    const json = queueView(queue);
    const more = queue.domains.length === DOMAINS_MAX ? `\nOnly the first ${DOMAINS_MAX} are shown.` : "";
    const none = "No recipient is waiting, and no recipient domain is paused.";
    const notes = [...(queue.isDeliveryPaused ? [DELIVERY_PAUSED_TEXT] : []), ...queue.idleClosings.map(closingText)];
    return { json, text: [table(HEADING, queue.domains.map(rowOf), none) + more, ...notes].join("\n") };
  },
};

const HEADING = ["DOMAIN", "DUE", "DEFERRED", "IN FLIGHT", "OLDEST", "DELIVERED/MIN", "CONNECTIONS", "WHY IT WAITS"];

function rowOf(entry: QueueDestination): Cell[] {
  const { domain, due, deferred, inFlight, oldestAtMs, deliveredLastMinute, destination, reason, smtp } = entry;
  const reply = smtp === null ? (reason ?? "") : `${smtp.code} ${smtp.message.replaceAll("\n", " / ")}`;
  const why = [waitText(entry), reply].filter((text) => text !== "").join(" ");
  return [
    domain,
    String(due),
    String(deferred),
    String(inFlight),
    oldestAtMs === null ? "" : rfc3339(oldestAtMs),
    deliveredLastMinute === null ? "" : String(deliveredLastMinute),
    destination === null ? "" : connectionsText(destination),
    entry.pausedAtMs === null ? why : { style: "warn", text: why },
  ];
}

const connectionsText = ({ connections, limit }: QueuedDestination): string =>
  limit === null ? String(connections) : `${connections} of ${limit}`;

const closingText = ({ name, domains, closed }: IdleClosing): string =>
  `${destinationLabel(name)}${domains.length === 0 ? "" : ` (${domains.join(", ")})`}, for which no recipient waits: ${sentenceText(closedSentence(closed))}`;

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
    const traffic = () => storedTraffic(store, nowMs);
    const result = await retryDestination(
      { registry: store, spool: store, reports: store.reports, traffic },
      typed,
      nowMs,
    );
    if (result === null) throw notADomain(typed);
    const { domain, retried, hold, waits } = result;
    const isClosed = hold === "closed" && waits;
    if (retried === 0 && !isClosed) {
      const closed =
        hold === "closed" ? ": delivery to it is closed, and the next message for it is tried as a probe" : "";
      throw new Refusal(`no recipient at ${domain} waits for a later attempt${closed}`);
    }
    const due = `${pluralize(retried, "recipient")} at ${domain} ${retried === 1 ? "is" : "are"} due now`;
    const but = hold === "paused" ? `, but ${domain} is paused: destinations resume ${domain}` : "";
    const text = isClosed ? `${retried === 0 ? "" : `${due}. `}${probeText([domain])}` : `${due}${but}.`;
    return { json: { domain, retried, paused: hold === "paused", probe: isClosed }, text };
  },
};

/** What a probe that was asked for does. */
export const probeText = (domains: readonly string[]): string =>
  `${domains.join(", ")} ${domains.length === 1 ? "is" : "are"} closed: one message is tried within seconds, and the others follow once it is accepted. See the result with: destinations`;

const notADomain = (typed: string): Refusal =>
  new Refusal(`${typed} is not a recipient domain: give the part after the @, such as example.org`);

/** `receivers`: who takes mail, at which pace and in which state, and the limits that an operator sets. */
import {
  type LimitFault,
  type LimitField,
  resetReceiverLimits,
  setReceiverLimits,
  type TypedLimits,
  UNKNOWN_RECEIVER,
} from "../app/decide/receivers.ts";
import { sentenceText } from "../app/reports/queue-view.ts";
import { receiverView } from "../app/reports/receiver-view.ts";
import {
  type PreflightSession,
  type ReceiverReport,
  type ReceiverSources,
  readReceiver,
  readReceivers,
} from "../app/reports/receivers.ts";
import { storedTraffic } from "../app/reports/traffic-board.ts";
import { rfc3339 } from "../lib/clock.ts";
import { closedSentence } from "../message/result/closed-destination.ts";
import { MESSAGES_PER_CONNECTION, type ReceiverOverride } from "../receivers/limits.ts";
import { OVERRIDES_MAX } from "../spool/port/receiver-limits.ts";
import type { ReceiverCounts } from "../spool/port/receiver-results.ts";
import { type CommandContext, type CommandResult, type Implementation, Refusal, UsageError } from "./command.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

async function sourcesOf({ store, config, nowMs }: CommandContext): Promise<ReceiverSources> {
  const traffic = await storedTraffic(store, nowMs);
  return { spool: store, traffic, configured: config.destinationLimits, nowMs };
}

export const listReceivers: Implementation = {
  async run(context) {
    const receivers = await readReceivers(await sourcesOf(context));
    const rows = receivers.map(({ name, limits, overridden, state, connections }) => [
      name,
      resultCell(state),
      String(connections),
      limitText(limits.connections),
      limitText(limits.messagesPerConnection),
      limitText(limits.messagesPerMinute),
      limits.pauseSeconds === undefined ? "" : `${limits.pauseSeconds} s`,
      overridden.length === 0 ? "" : "by an operator",
    ]);
    const heading = ["RECEIVER", "STATE", "OPEN", "CONNECTIONS", "MESSAGES EACH", "A MINUTE", "PAUSE", "SET"];
    const json = receivers.map((each) => receiverView(each, context.config.sendingIps ?? []));
    return { json, text: table(heading, rows, "No receiver is known.") };
  },
};

const limitText = (limit: number | undefined): string => (limit === undefined ? "" : String(limit));

export const showReceiver: Implementation = {
  async run(context, { positionals: [name = ""] }) {
    const receiver = await readReceiver(await sourcesOf(context), name);
    if (receiver === null) throw new Refusal(`no receiver is named ${name}; receivers list shows all`);
    return { json: receiverView(receiver, context.config.sendingIps ?? []), text: shownText(receiver) };
  },
};

function shownText(receiver: ReceiverReport): string {
  const { name, profile, limits, overridden, state, closed, attempts, connections, lastDay, sessions } = receiver;
  const why = (field: keyof ReceiverOverride): string => (overridden.includes(field) ? "set by an operator" : "");
  const rows = [
    ["Receiver", profile?.label ?? name, ""],
    ["Servers", (profile?.mx ?? [name]).map((domain) => `${domain} and names below it`).join(", "), ""],
    ["State", resultCell(state), closed === null ? "" : sentenceText(closedSentence(closed))],
    ...receiver.addresses.map((each) => [
      `From ${each.address}`,
      resultCell(each.state),
      each.closed === null ? "" : sentenceText(closedSentence(each.closed)),
    ]),
    ["Last 24 hours", lastDayText(lastDay), ""],
    ...sessions.map((each) => ["Preflight", preflightText(each), ""]),
    ["Now", `${attempts} attempts, ${connections} connections`, ""],
    [
      "Connections at one time",
      limits.connections === undefined ? "by its replies" : String(limits.connections),
      why("connections"),
    ],
    [
      "Messages a connection",
      String(limits.messagesPerConnection ?? MESSAGES_PER_CONNECTION),
      why("messagesPerConnection"),
    ],
    ["Messages a minute", limitText(limits.messagesPerMinute), why("messagesPerMinute")],
    ["Pause after a rate limit", pauseText(receiver), why("pauseSeconds")],
    ["TLS", profile?.requiresTls === true ? "required by the receiver" : "used where it is offered", ""],
    ["For senders", profile?.sendersUrl ?? "", ""],
    ["Delisting", profile?.delistingUrl ?? "", ""],
    ["Source", profile === null ? "no profile" : `${profile.source}, ${profile.asOf}`, ""],
  ];
  return table(
    null,
    rows.filter(([, value]) => value !== ""),
    "",
  );
}

const preflightText = ({ atMs, address, verdict, step, reply }: PreflightSession): string =>
  `${verdict}${address === null ? "" : ` from ${address}`} at ${rfc3339(atMs)}${verdict === "accepted" ? "" : `, ${step}: ${reply}`}`;

const lastDayText = ({ delivered, deferred, failed, unknown }: ReceiverCounts): string =>
  `${delivered} delivered, ${deferred} deferred, ${failed} failed, ${unknown} unknown`;

function pauseText({ profile, limits }: ReceiverReport): string {
  if (limits.pauseSeconds !== undefined) return `${limits.pauseSeconds} s`;
  const pauses = (profile?.pauses ?? []).map(
    ({ after, seconds }) => `${seconds} s after a reply with ${after.map((part) => `“${part}”`).join(" or ")}`,
  );
  return ["as long as a reply says", ...pauses].join("; ");
}

const OPTIONS: Readonly<Record<Exclude<LimitField, "name">, string>> = {
  connections: "connections",
  messagesPerConnection: "messages-per-connection",
  messagesPerMinute: "messages-per-minute",
  pause: "pause",
};

export const setReceiver: Implementation = {
  async run({ store }, { positionals: [typed = ""], options }) {
    const given = Object.entries(OPTIONS).flatMap(([field, option]) => {
      const value = options[option];
      return typeof value === "string" ? [[field, value]] : [];
    });
    if (given.length === 0)
      throw new UsageError(
        `receivers set needs one of ${Object.values(OPTIONS)
          .map((option) => `--${option}`)
          .join(", ")}`,
      );
    const limits = Object.fromEntries(given) as TypedLimits;
    const result = await setReceiverLimits(store, typed, limits);
    if (result.type === "full")
      throw new Refusal(`limits of ${OVERRIDES_MAX} receivers are set already: reset some first`);
    if (result.type === "invalid") throw new UsageError(faultText(typed, limits, result.fault));
    return changed(result.name, "set");
  },
};

function faultText(typed: string, limits: TypedLimits, { field, detail }: LimitFault): string {
  return field === "name"
    ? `${typed}: ${receiverFault(detail)}`
    : `--${OPTIONS[field]} ${limits[field] ?? ""}: ${detail}`;
}

/** Why a text names no receiver, with the command that helps. */
export const receiverFault = (detail: string): string =>
  detail === UNKNOWN_RECEIVER ? `${detail}; receivers list shows all` : detail;

export const resetReceiver: Implementation = {
  async run({ store }, { positionals: [typed = ""] }) {
    const name = await resetReceiverLimits(store, typed);
    if (name === null) throw new UsageError(`no receiver is named ${typed}; receivers list shows all`);
    return changed(name, "reset");
  },
};

function changed(name: string, what: "set" | "reset"): CommandResult {
  const text = `The limits of ${name} are ${what}. Delivery follows within 10 seconds.`;
  return { json: { name, done: what }, text };
}

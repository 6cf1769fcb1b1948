/** `receivers`: who takes mail, at which pace and in which state, and the limits that an operator sets. */
import { type ReceiverReport, readReceivers } from "../app/reports/receivers.ts";
import { storedTraffic } from "../app/reports/traffic-board.ts";
import { rfc3339 } from "../lib/clock.ts";
import { closedSentence } from "../message/result/closed-destination.ts";
import { parseDuration } from "../message/retry.ts";
import type { ReceiverOverride } from "../receivers/limits.ts";
import { OVERRIDES_MAX, readReceiverOverrides, writeReceiverOverride } from "../spool/port/receiver-limits.ts";
import {
  type CommandContext,
  type CommandResult,
  type Implementation,
  type ParsedArguments,
  Refusal,
  UsageError,
} from "./command.ts";
import { sentenceText } from "./destinations.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

async function receiversOf({ store, config, nowMs }: CommandContext): Promise<ReceiverReport[]> {
  const traffic = await storedTraffic(store, nowMs);
  return readReceivers({ spool: store, traffic, configured: config.destinationLimits });
}

export const listReceivers: Implementation = {
  async run(context) {
    const receivers = await receiversOf(context);
    const rows = receivers.map(({ name, limits, overridden, state, connections }) => [
      name,
      resultCell(state),
      String(connections),
      limitText(limits.connections),
      limitText(limits.messagesPerConnection),
      limits.pauseSeconds === undefined ? "" : `${limits.pauseSeconds} s`,
      overridden.length === 0 ? "" : "by an operator",
    ]);
    const heading = ["RECEIVER", "STATE", "OPEN", "CONNECTIONS", "MESSAGES EACH", "PAUSE", "SET"];
    return { json: receivers.map(receiverJson), text: table(heading, rows, "No receiver is known.") };
  },
};

const limitText = (limit: number | undefined): string => (limit === undefined ? "" : String(limit));

function receiverJson({ name, profile, limits, overridden, state, closed, attempts, connections }: ReceiverReport) {
  return {
    name,
    label: profile?.label ?? name,
    mx: profile?.mx ?? [name],
    limits: {
      connections: limits.connections ?? null,
      messages_per_connection: limits.messagesPerConnection ?? null,
      pause_seconds: limits.pauseSeconds ?? null,
    },
    overridden: overridden.map((field) => JSON_NAMES[field]),
    state,
    attempts,
    connections,
    since: closed === null ? null : rfc3339(Math.round(closed.sinceMs)),
    reply: closed?.last?.text ?? null,
    next_probe_at: closed === null ? null : rfc3339(Math.round(closed.probeAtMs)),
    requires_tls: profile?.requiresTls ?? false,
    senders_url: profile?.sendersUrl ?? null,
    delisting_url: profile?.delistingUrl ?? null,
    source: profile === null ? null : `${profile.source}, ${profile.asOf}`,
  };
}

const JSON_NAMES: Readonly<Record<keyof ReceiverOverride, string>> = {
  connections: "connections",
  messagesPerConnection: "messages_per_connection",
  pauseSeconds: "pause_seconds",
};

export const showReceiver: Implementation = {
  async run(context, { positionals: [name = ""] }) {
    const receiver = (await receiversOf(context)).find((each) => each.name === name.toLowerCase());
    if (receiver === undefined) throw new Refusal(`no receiver is named ${name}; receivers list shows all`);
    return { json: receiverJson(receiver), text: shownText(receiver) };
  },
};

function shownText(receiver: ReceiverReport): string {
  const { name, profile, limits, overridden, state, closed, attempts, connections } = receiver;
  const why = (field: keyof ReceiverOverride): string => (overridden.includes(field) ? "set by an operator" : "");
  const rows = [
    ["Receiver", profile?.label ?? name, ""],
    ["Mail exchangers", (profile?.mx ?? [name]).map((domain) => `${domain} and names below it`).join(", "), ""],
    ["State", resultCell(state), closed === null ? "" : sentenceText(closedSentence(closed))],
    ["Now", `${attempts} attempts, ${connections} connections`, ""],
    [
      "Connections at one time",
      limits.connections === undefined ? "by its replies" : String(limits.connections),
      why("connections"),
    ],
    [
      "Messages a connection",
      limits.messagesPerConnection === undefined ? "100" : String(limits.messagesPerConnection),
      why("messagesPerConnection"),
    ],
    ["Pause after a rate limit", pauseText(receiver), why("pauseSeconds")],
    ["TLS", profile?.requiresTls === true ? "required by it" : "used where it is offered", ""],
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

function pauseText({ profile, limits }: ReceiverReport): string {
  if (limits.pauseSeconds !== undefined) return `${limits.pauseSeconds} s`;
  const pauses = (profile?.pauses ?? []).map(({ after, seconds }) => `${seconds} s after ${after.join(", ")}`);
  return ["as long as a reply says", ...pauses].join("; ");
}

/** The most that an option may set. */
const LIMITS = { connections: 1000, messages: 10_000, pauseMs: 24 * 3_600_000 };

export const setReceiver: Implementation = {
  async run({ store }, args) {
    const name = receiverName(args);
    const change = changeOf(args);
    if (Object.keys(change).length === 0)
      throw new UsageError("receivers set needs --connections, --messages-per-connection or --pause");
    const before = (await readReceiverOverrides(store)).get(name) ?? {};
    return stored(await writeReceiverOverride(store, name, { ...before, ...change }), name, "set");
  },
};

export const resetReceiver: Implementation = {
  async run({ store }, args) {
    const name = receiverName(args);
    return stored(await writeReceiverOverride(store, name, {}), name, "reset");
  },
};

function stored(isStored: boolean, name: string, what: "set" | "reset"): CommandResult {
  if (!isStored) throw new Refusal(`limits of ${OVERRIDES_MAX} receivers are set already: reset some first`);
  const text = `The limits of ${name} are ${what}. Delivery follows within 10 seconds.`;
  return { json: { name, done: what }, text };
}

/** Of a profile, or the organisational domain of mail exchangers. */
function receiverName({ positionals: [typed = ""] }: ParsedArguments): string {
  const name = typed.toLowerCase();
  if (name.length <= 253 && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/u.test(name)) return name;
  throw new UsageError(`${typed} is no receiver: give a name of receivers list, or the domain of mail exchangers`);
}

function changeOf({ options }: ParsedArguments): ReceiverOverride {
  const change: ReceiverOverride = {};
  const connections = numberOf(options.connections, "--connections", LIMITS.connections);
  if (connections !== null) change.connections = connections;
  const messages = numberOf(options["messages-per-connection"], "--messages-per-connection", LIMITS.messages);
  if (messages !== null) change.messagesPerConnection = messages;
  if (typeof options.pause === "string") change.pauseSeconds = pauseSeconds(options.pause);
  return change;
}

function numberOf(text: string | boolean | undefined, option: string, max: number): number | null {
  if (typeof text !== "string") return null;
  const value = /^\d{1,6}$/u.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw new UsageError(`${option} ${text}: it must be a number from 1 to ${max}`);
}

function pauseSeconds(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms >= 1000 && ms <= LIMITS.pauseMs) return Math.round(ms / 1000);
  throw new UsageError(`--pause ${text}: it must be a duration from 1s to 24h, such as 15m`);
}

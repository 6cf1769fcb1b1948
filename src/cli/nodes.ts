/**
 * `nodes`: the processes that share a database, and draining one of them, for example before its host is shut down. What a node
 * does while it drains is decided in spool/engine/postgres/.
 */
import { nodeView } from "../app/reports/node-view.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { parseDuration } from "../message/retry.ts";
import type { NodeReport, Nodes } from "../spool/port/nodes.ts";
import {
  type CommandContext,
  type CommandResult,
  type Implementation,
  type ParsedArguments,
  pluralize,
  Refusal,
  UsageError,
} from "./command.ts";
import { table } from "./table.ts";

/** As long as delivery waits for the reply to a final dot. */
const TIMEOUT = "10m";
/** How often the nodes are looked at meanwhile. */
const LOOK_EVERY_MS = 500;

const ONE_SERVICE = "The spool in DATA_DIR belongs to one service, so there are no nodes. With DATABASE_URL there are.";

export const listNodes: Implementation = {
  async run({ store, nowMs }) {
    if (store.nodes === null) return { json: [], text: ONE_SERVICE };
    const nodes = await store.nodes.list();
    const rows = nodes.map((node) => [
      node.name,
      node.state,
      node.version,
      node.address,
      `${Math.max(0, Math.round((nowMs - node.heartbeatAtMs) / 1000))} s ago`,
      String(node.leases),
      `${node.deliveredLastMinute}/min`,
      node.sendingIps.join(", "),
    ]);
    const heading = ["NAME", "STATE", "VERSION", "ADDRESS", "HEARTBEAT", "LEASES", "DELIVERED", "SENDS FROM"];
    return { json: nodes.map(nodeView), text: table(heading, rows, "No node is running.") };
  },
};

export const drainNode: Implementation = {
  async run(context, { positionals: [name = ""], options }) {
    const nodes = nodesOf(context);
    const timeoutMs = timeoutOf(options);
    const drained = await nodes.drain(name);
    if (drained.type === "unknown_node") throw unknownNode(name, drained.names);
    if (drained.type === "last_node") {
      throw new Refusal(`no node would deliver without ${name}: start another node first, or stop ${name} as it is`);
    }
    return drainResult(name, await waitUntilDrained(nodes, { names: drained.names, timeoutMs, clock: systemClock }));
  },
};

export const resumeNode: Implementation = {
  async run(context, { positionals: [name = ""] }) {
    const resumed = await nodesOf(context).resume(name);
    if (resumed.type === "unknown_node") throw unknownNode(name, resumed.names);
    if (resumed.type === "not_draining") throw new Refusal(`${name} is not draining`);
    const text = `${listOf(resumed.names)} ${resumed.names.length === 1 ? "claims" : "claim"} again.`;
    return { json: { name, resumed: resumed.names }, text };
  },
};

function nodesOf({ store }: CommandContext): Nodes {
  if (store.nodes !== null) return store.nodes;
  throw new Refusal(
    "the spool in DATA_DIR belongs to one service, which cannot be drained: stop it, and it completes what is in progress",
  );
}

function unknownNode(name: string, names: string[]): Refusal {
  const known =
    names.length === 0 ? "no node is running" : `there ${names.length === 1 ? "is" : "are"} ${listOf(names)}`;
  return new Refusal(`there is no node ${name}: ${known}`);
}

const listOf = (names: string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

function timeoutOf({ timeout = TIMEOUT }: ParsedArguments["options"]): number {
  const ms = parseDuration(String(timeout));
  if (ms === null) throw new UsageError(`--timeout '${timeout}' is not a duration such as 30s or 10m`);
  return ms;
}

interface Wait {
  names: string[];
  timeoutMs: number;
  clock: Clock;
}

/** Returns the nodes that run when all are drained, one of them drains no more, or the time is over. */
async function waitUntilDrained(nodes: Nodes, { names, timeoutMs, clock }: Wait): Promise<NodeReport[]> {
  const untilMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const running = (await nodes.list()).filter(({ name }) => names.includes(name));
    const leftMs = untilMs - clock.monotonicMs();
    if (!running.some(({ state }) => state === "draining" || state === "expired") || leftMs <= 0) return running;
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_EVERY_MS, leftMs)));
  }
}

function drainResult(name: string, running: NodeReport[]): CommandResult {
  const left = running.filter(({ state }) => state !== "drained");
  const leases = left.reduce((sum, node) => sum + node.leases, 0);
  const state = left.length === 0 ? "drained" : "draining";
  const text = `${state}: ${pluralize(leases, "lease")}`;
  const json = { name, state, leases };
  if (left.length === 0) return { json, text: `${text}\nIt claims again after nodes resume ${name}, or a restart.` };
  const undrained = left.filter(({ isDraining }) => !isDraining);
  if (undrained.length > 0)
    throw new Refusal(`${namesOf(undrained)} is no longer draining: it was resumed or restarted`);
  const isOne = left.length === 1;
  const failure = `${namesOf(left)} ${isOne ? "is" : "are"} not drained yet: nodes list shows what ${isOne ? "it leases" : "they lease"}, and nodes resume ends the draining`;
  return { json, text, failure };
}

const namesOf = (nodes: NodeReport[]): string => listOf([...new Set(nodes.map(({ name }) => name))]);

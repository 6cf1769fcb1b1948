/**
 * What happens to the cluster in a round: one fault with its victims, its beginning and its end. The order of the faults follows
 * from the seed; the exact moment of each still depends on the machine.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Prng } from "../../simulate/prng.ts";
import type { Cluster } from "./cluster.ts";
import type { ClusterNode } from "./cluster-node.ts";

/** Other nodes may end one that has not renewed its lease for this time. */
const LEASE_MS = 6000;
const HEARTBEAT_EVERY_MS = 1500;
/** Longer than a lease, by so much that the others have noticed. */
const LONG_MS = [LEASE_MS + 1500, LEASE_MS + 3500] as const;
/** Shorter than the rest of any lease. */
const SHORT_MS = [200, 2000] as const;
const DOWN_MS = [10, LEASE_MS + 2000] as const;
/** At the clients' rate, no node accepts more than it names of its lost messages in this time. */
const LAG_MS = [200, 3000] as const;
/** After the restart that makes the standby. */
const REGISTERED_MAX_MS = 60_000;
/** A node's clock may differ from the database's by 30 s. */
const SKEW_MAX_MS = 25_000;
/** Some heartbeats. */
const SKEWED_MS = [500, 5000] as const;
const BIAS_MS = [20, 1000] as const;

export interface Fault {
  name: string;
  /** The nodes whose work may be interrupted. All others must notice nothing but more work. */
  victims: readonly ClusterNode[];
  /** Whether the victims' leases end, so that the other nodes must take over their work. */
  endsLeases: boolean;
  begin(): Promise<void>;
  /** From the beginning to the end. */
  durationMs: number;
  /** Removes the cause. The cluster may need longer to be as before. */
  end(): Promise<void>;
}

interface FaultOptions {
  cluster: Cluster;
  prng: Prng;
}

type DrawFault = (options: FaultOptions) => Omit<Fault, "name">;

const none = (): Promise<void> => Promise.resolve();

const victimOf = ({ cluster, prng }: FaultOptions): ClusterNode => prng.pick(cluster.nodes as [ClusterNode]);

/** Draws a time between the two. */
export const durationOf = (prng: Prng, [min, max]: readonly [number, number]): number =>
  min + prng.next() * (max - min);

/** SIGKILL of one node, or of two at the same time. */
function kill({ cluster, prng }: FaultOptions): Omit<Fault, "name"> {
  const spared = prng.integer(0, cluster.nodes.length - 1);
  const others = cluster.nodes.filter((_, i) => i !== spared);
  const victims = prng.chance(0.7) ? others.slice(0, 1) : others;
  return {
    victims,
    endsLeases: true,
    durationMs: durationOf(prng, DOWN_MS),
    begin: async () => void (await Promise.all(victims.map((node) => node.end("SIGKILL")))),
    end: async () => void (await Promise.all(victims.map((node) => node.start()))),
  };
}

/**
 * SIGSTOP for longer than a lease. In most rounds the exchangers do not reply to the node for a moment before, or its path to the
 * database is interrupted, so that many of its attempts stand before the mark, or between the mark and the dot.
 */
function suspend(options: FaultOptions): Omit<Fault, "name"> {
  const { cluster, prng } = options;
  const { exchangers } = cluster;
  const node = victimOf(options);
  const bias = prng.pick(["replies", "database", "database until the end", "none"]);
  const durationMs = durationOf(prng, LONG_MS);
  const biasMs = prng.logUniform(BIAS_MS);
  return {
    victims: [node],
    endsLeases: true,
    durationMs,
    async begin() {
      if (bias === "replies") exchangers.holdReplies(node.hostname);
      else if (bias !== "none") node.link.cut();
      if (bias !== "none") await delay(biasMs);
      node.suspend();
      if (bias === "database") node.link.restore("continue");
    },
    async end() {
      exchangers.releaseReplies(node.hostname);
      if (bias === "database until the end") node.link.restore("continue");
      node.resume();
    },
  };
}

/** The path between a node and the database is interrupted, for a moment or for longer than a lease. */
function cut(options: FaultOptions): Omit<Fault, "name"> {
  const { prng } = options;
  const node = victimOf(options);
  const isLong = prng.chance(0.6);
  const afterwards = prng.pick(["stay cut", "continue"]);
  return {
    victims: [node],
    endsLeases: isLong,
    durationMs: durationOf(prng, isLong ? LONG_MS : SHORT_MS),
    begin: async () => node.link.cut(),
    end: async () => node.link.restore(afterwards),
  };
}

/** The server ends one session of a node, or all of them. */
function terminate(options: FaultOptions): Omit<Fault, "name"> {
  const { cluster, prng } = options;
  const node = victimOf(options);
  const most = prng.chance(0.5) ? 1 : 100;
  const sql = `SELECT pg_terminate_backend(pid) FROM
    (SELECT pid FROM pg_stat_activity WHERE application_name = $1 ORDER BY (state = 'idle'), random() LIMIT $2) AS sessions`;
  return {
    victims: [node],
    endsLeases: false,
    durationMs: 0,
    begin: async () => void (await cluster.query(sql, [node.applicationName, most])),
    end: none,
  };
}

/** PostgreSQL stops or is killed, and starts again. */
function restart({ cluster, prng }: FaultOptions): Omit<Fault, "name"> {
  const how = prng.pick(["fast", "immediate", "kill"]);
  const { server } = cluster;
  return {
    victims: [],
    endsLeases: false,
    durationMs: durationOf(prng, SHORT_MS),
    begin: () => (how === "kill" ? server.kill() : server.stop(how)),
    end: () => server.restart(),
  };
}

/** The clock of a node is set, to be ahead of the others or behind them, and set again. */
function skew(options: FaultOptions): Omit<Fault, "name"> {
  const { prng } = options;
  const node = victimOf(options);
  const draw = (): number => (prng.next() * 2 - 1) * SKEW_MAX_MS;
  const [first, then] = [draw(), prng.chance(0.5) ? draw() : 0];
  return {
    victims: [],
    endsLeases: false,
    durationMs: durationOf(prng, SKEWED_MS),
    begin: async () => node.clock.set(first),
    end: async () => node.clock.set(then),
  };
}

/**
 * A node is ended although it runs, as when the database's clock leaps. It notices with its next heartbeat. Meanwhile the others
 * take over its work, and only the database knows that its leases are over. In most rounds it is ended just after a heartbeat, and
 * the exchangers reply to no node until shortly before the next one: then two nodes are about to mark the same recipients.
 */
function endNode(options: FaultOptions): Omit<Fault, "name"> {
  const { cluster, prng } = options;
  const { exchangers, nodes } = cluster;
  const node = victimOf(options);
  const isRace = prng.chance(0.7);
  const held = isRace ? nodes : [node];
  const biasMs = prng.logUniform(BIAS_MS);
  const sql = "UPDATE nodes SET ended_at = clock_timestamp(), slot = NULL WHERE name = $1 AND ended_at IS NULL";
  return {
    victims: [node],
    endsLeases: true,
    durationMs: durationOf(prng, isRace ? [HEARTBEAT_EVERY_MS - 500, HEARTBEAT_EVERY_MS - 200] : [300, 1500]),
    async begin() {
      for (const { hostname } of held) exchangers.holdReplies(hostname);
      await delay(biasMs);
      if (isRace) await cluster.untilHeartbeat(node);
      await cluster.query(sql, [node.name]);
    },
    end: async () => {
      for (const { hostname } of held) exchangers.releaseReplies(hostname);
    },
  };
}

/** A standby that lags is promoted while the nodes run: what was committed since is lost. */
function lossyFailover({ cluster, prng }: FaultOptions): Omit<Fault, "name"> {
  return {
    victims: cluster.nodes,
    endsLeases: false,
    durationMs: durationOf(prng, LAG_MS),
    begin: () => cluster.addLaggingStandby(REGISTERED_MAX_MS),
    end: () => cluster.failOver(),
  };
}

const FAULTS = {
  kill,
  suspend,
  cut,
  terminate,
  restart,
  skew,
  "end node": endNode,
  "lossy failover": lossyFailover,
} satisfies Record<string, DrawFault>;

export type FaultName = keyof typeof FAULTS;

/** Draws the details of a fault. */
export const drawFault = (name: FaultName, options: FaultOptions): Fault => ({ name, ...FAULTS[name](options) });

/** Returns the faults of a list with commas; all if it is empty. Throws if one is unknown. */
export function namedFaults(list: string): FaultName[] {
  const known = Object.keys(FAULTS) as FaultName[];
  if (list === "") return known;
  return list.split(",").map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined) throw new Error(`unknown fault ${name}; known: ${known.join(", ")}`);
    return found;
  });
}

/** Yields these names without end: all of them in one order, then in another. */
export function* faultNames(prng: Prng, of: readonly FaultName[]): Generator<FaultName, never> {
  for (;;) {
    const names = [...of];
    while (names.length > 0) yield names.splice(prng.integer(0, names.length - 1), 1)[0] as FaultName;
  }
}

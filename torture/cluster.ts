/**
 * Three nodes on one PostgreSQL, under load, and a fault in each round: SIGKILL, SIGSTOP beyond the lease, ended sessions, a restart
 * of PostgreSQL, a cut connection, a clock that is set, a node that is ended although it runs, a failover that loses transactions.
 * Checks the invariants when nothing is in progress any more, and measures when work was taken over and when the rate was restored.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "../simulate/prng.ts";
import { missingPostgres } from "../test/support/postgres/installation.ts";
import { Clients } from "./cluster/clients.ts";
import { Cluster } from "./cluster/cluster.ts";
import { drawFault, durationOf, type Fault, faultNames, namedFaults } from "./cluster/faults.ts";
import { FeedReader } from "./cluster/feed-reader.ts";
import { checkCluster, noNodeWasEndedInError } from "./cluster/invariants.ts";
import { deliveredShare, type Takeover, untilRestored, untilTakenOver } from "./cluster/measures.ts";
import { readStored } from "./cluster/stored.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";

/** Rounds on the same database. The invariants are checked after them. */
const ROUNDS_TOGETHER = 20;
const PER_SECOND = 25;
/** From the start of a cluster until it works at its rate. */
const WARM_UP_MS = 4000;
/** From the end of a round, when the rate is as usual, to the next fault. */
const PAUSE_MS = [200, 2000] as const;
const TAKEOVER_MAX_MS = 10_000;
const RESTORED_MAX_MS = 30_000;
/** Where times are not checked, the machine may be in use by others: then only what never ends is a violation. */
const REGISTERED_MAX_MS = { timed: 30_000, untimed: 180_000 };
const DRAINED_MAX_MS = { timed: 60_000, untimed: 360_000 };
/** After a fault, until attempts that it has interrupted have ended. */
const AFTERMATH_MS = 2000;
const RETRY_POLICY_PROBABILITY = 0.25;

export const cluster: Scenario = {
  name: "cluster",
  obstacle: () => missingPostgres() || null,
  run,
};

interface Totals {
  rounds: number;
  accepted: number;
  deliveries: number;
  takeovers: Takeover[];
  /** How long after each fault the rate was restored. */
  restoredMs: number[];
}

async function run(options: ScenarioOptions): Promise<ScenarioResult> {
  const { prng, rounds, print, timed = false, faults = "", together = ROUNDS_TOGETHER } = options;
  const totals: Totals = { rounds: 0, accepted: 0, deliveries: 0, takeovers: [], restoredMs: [] };
  const violations: string[] = [];
  const names = faultNames(fork(prng), namedFaults(faults));
  while (totals.rounds < rounds && violations.length === 0) {
    const unknownPolicy = prng.chance(RETRY_POLICY_PROBABILITY) ? "retry" : "hold";
    const started = await Cluster.start({ prng: fork(prng), unknownPolicy });
    try {
      const torture = new ClusterTorture(started, { prng: fork(prng), totals, print, timed });
      const most = Math.min(together, rounds - totals.rounds);
      violations.push(...(await torture.run(names, most)));
      print(`  ${describe(totals)}`);
    } finally {
      const keepsDir = violations.length > 0;
      if (keepsDir) print(`  the logs of the nodes are in ${started.dir}`);
      await started.close({ keepsDir });
    }
  }
  return { figures: describe(totals), violations };
}

/** What draws from it does not depend on how often others draw. */
const fork = (prng: Prng): Prng => new Prng(prng.integer(0, 2 ** 31));

function describe({ rounds, accepted, deliveries, takeovers, restoredMs }: Totals): string {
  const recipients = takeovers.reduce((sum, takeover) => sum + takeover.recipients, 0);
  return [
    `${rounds} rounds, ${accepted} messages accepted, ${deliveries} deliveries to peers`,
    `${recipients} unmarked recipients of lost nodes taken over after ${timesOf(takeovers.map(({ tookMs }) => tookMs))}`,
    `rate restored after ${timesOf(restoredMs)}`,
  ].join(", ");
}

/** The median, the 99th percentile and the maximum, in seconds. */
function timesOf(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b);
  const [half, most, all] = [0.5, 0.99, 1].map((part) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0);
  const seconds = (value = 0): string => (value / 1000).toFixed(1);
  return `${seconds(half)} s, 99 % within ${seconds(most)} s, at most ${seconds(all)} s`;
}

class ClusterTorture {
  readonly #cluster: Cluster;
  readonly #options: { prng: Prng; totals: Totals; print: (line: string) => void; timed: boolean };
  readonly #clients: Clients;
  readonly #readers: FeedReader[];

  constructor(
    started: Cluster,
    options: { prng: Prng; totals: Totals; print: (line: string) => void; timed: boolean },
  ) {
    this.#cluster = started;
    this.#options = options;
    const { nodes, senders, history } = started;
    this.#clients = new Clients({ nodes, senders, history, prng: fork(options.prng), perSecond: PER_SECOND });
    this.#readers = senders.map((sender) => new FeedReader(sender, nodes));
  }

  async run(names: Iterator<Fault["name"]>, rounds: number): Promise<string[]> {
    await delay(WARM_UP_MS);
    const violations: string[] = [];
    for (let round = 0; round < rounds && violations.length === 0; round += 1) {
      this.#options.totals.rounds += 1;
      const fault = drawFault(names.next().value, { cluster: this.#cluster, prng: this.#options.prng });
      violations.push(...(await this.#round(fault)).map((line) => `round ${this.#options.totals.rounds}, ${line}`));
    }
    return [...violations, ...(await this.#finish())];
  }

  #limitOf({ timed, untimed }: { timed: number; untimed: number }): number {
    return this.#options.timed ? timed : untimed;
  }

  async #round(fault: Fault): Promise<string[]> {
    const { totals, print, timed } = this.#options;
    await delay(durationOf(this.#options.prng, PAUSE_MS));
    const usualShare = deliveredShare(this.#cluster, this.#clients);
    const recover = fault.victims.map((node) => node.afflict());
    const numbers = (await Promise.all(fault.victims.map((node) => this.#cluster.numbersOf(node)))).flat();
    await fault.begin();
    const sinceMs = performance.now();
    const limits = { sinceMs, limitMs: 3 * TAKEOVER_MAX_MS };
    const takenOver = fault.endsLeases ? untilTakenOver(this.#cluster, numbers, limits) : Promise.resolve(null);
    await delay(fault.durationMs);
    await fault.end();
    const registeredMaxMs = this.#limitOf(REGISTERED_MAX_MS);
    const missing = await this.#cluster.untilRegistered(registeredMaxMs);
    const takeover = await takenOver;
    if (takeover !== null && takeover.recipients > 0) totals.takeovers.push(takeover);
    const restoredMs = await untilRestored(this.#cluster, this.#clients, {
      usualShare,
      sinceMs,
      limitMs: RESTORED_MAX_MS,
    });
    totals.restoredMs.push(restoredMs ?? RESTORED_MAX_MS);
    setTimeout(() => {
      for (const end of recover) end();
    }, AFTERMATH_MS);
    print(`  ${describeRound(fault, takeover, restoredMs)}`);
    return [
      ...missing.map((name) => `${fault.name}: node ${name} was not registered again after ${registeredMaxMs} ms`),
      ...violationUnless(
        (takeover?.leased ?? 0) === 0,
        `${fault.name}: ${takeover?.leased} unmarked recipients still leased to a lost node`,
      ),
      ...this.#cluster.nodes.flatMap(({ name, exits }) => exits.map((exit) => `node ${name} has exited: ${exit}`)),
      ...(timed ? inTime(fault, takeover, restoredMs) : []),
      ...(timed ? noNodeWasEndedInError(this.#cluster) : []),
    ];
  }

  /** Lets everything end, and checks the invariants. */
  async #finish(): Promise<string[]> {
    const { totals } = this.#options;
    const drainedMaxMs = this.#limitOf(DRAINED_MAX_MS);
    this.#cluster.stopPeerFaults();
    const givenUp = await this.#clients.stop(drainedMaxMs);
    const isDrained = await this.#cluster.untilDrained(drainedMaxMs);
    const stored = await readStored(this.#cluster);
    const unread: string[] = [];
    for (const reader of this.#readers) if (!(await reader.finish())) unread.push(reader.sender.domain);
    const { history } = this.#cluster;
    totals.accepted += history.acceptedSends.length;
    totals.deliveries += history.deliveries.length;
    return [
      ...violationUnless(
        givenUp === 0,
        `${givenUp} messages were not accepted ${drainedMaxMs} ms after the last fault`,
      ),
      ...violationUnless(isDrained, `work is left ${drainedMaxMs} ms after the last fault`),
      ...unread.map((domain) => `no node answers the feed of ${domain}`),
      ...checkCluster(this.#cluster, stored, this.#readers),
    ];
  }
}

function describeRound(
  { name, victims, durationMs }: Fault,
  takeover: Takeover | null,
  restoredMs: number | null,
): string {
  const nodes = victims.map((node) => node.name).join(" and ");
  const parts = [`${name} ${nodes}`.trim(), `${Math.round(durationMs)} ms`];
  if (takeover !== null)
    parts.push(`${takeover.recipients} recipients taken over after ${Math.round(takeover.tookMs)} ms`);
  parts.push(restoredMs === null ? "rate not restored" : `rate restored after ${Math.round(restoredMs)} ms`);
  return parts.join(", ");
}

function inTime({ name }: Fault, takeover: Takeover | null, restoredMs: number | null): string[] {
  const tookMs = Math.round(takeover?.tookMs ?? 0);
  return [
    ...violationUnless(tookMs <= TAKEOVER_MAX_MS, `${name}: unmarked work was taken over after ${tookMs} ms`),
    ...violationUnless(restoredMs !== null, `${name}: the rate was not restored within ${RESTORED_MAX_MS} ms`),
  ];
}

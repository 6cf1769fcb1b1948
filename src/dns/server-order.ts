/**
 * Decides which DNS server is queried first and when the next one is. After any failure (SERVFAIL, REFUSED, NOTIMP, a
 * malformed answer, a timeout, a closed port) the next server is queried; after an answer, NXDOMAIN and NODATA included, none
 * is. The caller sends the queries and interprets the replies.
 */
import type { LookupFailure } from "./resolver.ts";

/** A single failure may be the zone's fault: a validating resolver answers SERVFAIL for a broken zone. */
const FAILURES_MAX = 2;

/** How long a server is queried last after that many consecutive failures. */
const DEMOTED_MS = 30_000;

interface ServerHealth<S> {
  server: S;
  consecutiveFailures: number;
  demotedUntilMs: number;
}

/** The servers in the configured order, except that failing ones are queried last for a while. */
export class ServerOrder<S> {
  readonly #servers: ServerHealth<S>[];
  readonly #elapsedMs: () => number;

  /** `elapsedMs` is monotonic. */
  constructor(servers: S[], elapsedMs: () => number = () => performance.now()) {
    this.#servers = servers.map((server) => ({ server, consecutiveFailures: 0, demotedUntilMs: 0 }));
    this.#elapsedMs = elapsedMs;
  }

  /** All servers for one lookup, best first. */
  ranked(): S[] {
    const nowMs = this.#elapsedMs();
    const last = new Set<ServerHealth<S>>();
    for (const health of this.#servers) {
      if (health.consecutiveFailures < FAILURES_MAX) continue;
      if (health.demotedUntilMs > nowMs) last.add(health);
      // This lookup probes whether the server answers again; concurrent lookups do not.
      else health.demotedUntilMs = nowMs + DEMOTED_MS;
    }
    const first = this.#servers.filter((health) => !last.has(health));
    return [...first, ...last].map(({ server }) => server);
  }

  recordAnswer(server: S): void {
    const health = this.#healthOf(server);
    health.consecutiveFailures = 0;
    health.demotedUntilMs = 0;
  }

  recordFailure(server: S): void {
    const health = this.#healthOf(server);
    health.consecutiveFailures += 1;
    if (health.consecutiveFailures >= FAILURES_MAX) health.demotedUntilMs = this.#elapsedMs() + DEMOTED_MS;
  }

  #healthOf(server: S): ServerHealth<S> {
    const health = this.#servers.find((known) => known.server === server);
    if (health === undefined) throw new Error("unknown DNS server");
    return health;
  }
}

export interface QueryPlan<S, A> {
  order: ServerOrder<S>;
  /** How often a silent server is queried. A server that replies with a failure is queried once. */
  rounds: number;
  /** By performance.now(): no query starts after that. */
  endsMs: number;
  /** `round` counts from 0. */
  query(server: S, round: number): Promise<A | LookupFailure>;
}

/** The first answer; where no server has one, the failure of the first server. */
export async function queryServers<S, A extends { type: string }>(plan: QueryPlan<S, A>): Promise<A | LookupFailure> {
  const { order, rounds, endsMs, query } = plan;
  let failure: LookupFailure | null = null;
  let candidates = order.ranked();
  for (let round = 0; round < rounds; round += 1) {
    const silent: S[] = [];
    for (const server of candidates) {
      if (performance.now() >= endsMs) return failure ?? TIMEOUT;
      const answer = await query(server, round);
      if (!isFailure(answer)) {
        order.recordAnswer(server);
        return answer;
      }
      if (answer.code === "ECANCELLED") return answer;
      if (round === 0) order.recordFailure(server);
      if (answer.code === TIMEOUT.code) silent.push(server);
      failure ??= answer;
    }
    candidates = silent;
  }
  return failure ?? TIMEOUT;
}

const TIMEOUT: LookupFailure = { type: "failure", code: "ETIMEOUT" };

function isFailure(answer: { type: string }): answer is LookupFailure {
  return answer.type === "failure";
}

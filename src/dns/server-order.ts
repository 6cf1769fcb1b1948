/**
 * Which DNS server is asked, and when the next one is. Any trouble (SERVFAIL, REFUSED, NOTIMP, a malformed answer,
 * silence, a closed port) is asked of the next server; an answer, NXDOMAIN and NODATA included, never is. How a server is
 * asked, and what its answer is, the caller decides.
 */
import type { LookupFailure } from "./resolver.ts";

/** One failure may be the name's own: SERVFAIL is also what a validating resolver says of a broken zone. */
const FAILURES_MAX = 2;

/** How long a server that failed so often in a row is asked last. */
const ASKED_LAST_MS = 30_000;

interface ServerHealth<S> {
  server: S;
  /** In a row. */
  failures: number;
  askedLastUntilMs: number;
}

/** The servers in the order given, except that those that fail are asked last for a while. */
export class ServerOrder<S> {
  readonly #standings: ServerHealth<S>[];
  readonly #elapsedMs: () => number;

  /** `elapsedMs` never goes back, as the time of day may. */
  constructor(servers: S[], elapsedMs: () => number = () => performance.now()) {
    this.#standings = servers.map((server) => ({ server, failures: 0, askedLastUntilMs: 0 }));
    this.#elapsedMs = elapsedMs;
  }

  /** All servers, best first, for one question. */
  ranked(): S[] {
    const nowMs = this.#elapsedMs();
    const last = new Set<ServerHealth<S>>();
    for (const standing of this.#standings) {
      if (standing.failures < FAILURES_MAX) continue;
      if (standing.askedLastUntilMs > nowMs) last.add(standing);
      // This question finds out whether the server answers again, and no other does meanwhile.
      else standing.askedLastUntilMs = nowMs + ASKED_LAST_MS;
    }
    const first = this.#standings.filter((standing) => !last.has(standing));
    return [...first, ...last].map(({ server }) => server);
  }

  recordAnswer(server: S): void {
    const standing = this.#standingOf(server);
    standing.failures = 0;
    standing.askedLastUntilMs = 0;
  }

  recordFailure(server: S): void {
    const standing = this.#standingOf(server);
    standing.failures += 1;
    if (standing.failures >= FAILURES_MAX) standing.askedLastUntilMs = this.#elapsedMs() + ASKED_LAST_MS;
  }

  #standingOf(server: S): ServerHealth<S> {
    const standing = this.#standings.find((known) => known.server === server);
    if (standing === undefined) throw new Error("a DNS server that was not given");
    return standing;
  }
}

export interface QueryPlan<S, A> {
  order: ServerOrder<S>;
  /** How often a server that stays silent is asked. One that answers with trouble is asked once. */
  rounds: number;
  /** By performance.now(): after that no server is asked any more. */
  endsMs: number;
  /** `round` counts from 0. */
  ask(server: S, round: number): Promise<A | LookupFailure>;
}

/** The first answer; where no server has one, the trouble of the server that was asked first. */
export async function askServers<S, A extends { type: string }>(asking: QueryPlan<S, A>): Promise<A | LookupFailure> {
  const { order, rounds, endsMs, ask } = asking;
  let trouble: LookupFailure | null = null;
  let waiting = order.ranked();
  for (let round = 0; round < rounds; round += 1) {
    const silent: S[] = [];
    for (const server of waiting) {
      if (performance.now() >= endsMs) return trouble ?? SILENCE;
      const answer = await ask(server, round);
      if (!isFailure(answer)) {
        order.recordAnswer(server);
        return answer;
      }
      if (answer.code === "ECANCELLED") return answer;
      if (round === 0) order.recordFailure(server);
      if (answer.code === SILENCE.code) silent.push(server);
      trouble ??= answer;
    }
    waiting = silent;
  }
  return trouble ?? SILENCE;
}

const SILENCE: LookupFailure = { type: "failure", code: "ETIMEOUT" };

function isFailure(answer: { type: string }): answer is LookupFailure {
  return answer.type === "failure";
}

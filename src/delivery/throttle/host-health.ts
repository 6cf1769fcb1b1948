/**
 * Which addresses of mail hosts are dead, which have greeted, and whose TLS does not work. After repeated failures to connect, or one greeting that never
 * came, an address is only probed now and then, by one attempt. The other attempts fail at once with the error of the last try,
 * so a dead host costs neither time nor slots, however much mail waits for it.
 */

import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { HandshakeHistory } from "../smtp/tls.ts";

/** The state that survives a restart, with times of the wall clock. */
export interface HealthState {
  address: string;
  port: number;
  /** Failures to connect since the last success; once the address is dead, those of probes only. */
  failures: number;
  sinceMs: number;
  /** No attempt before then. */
  probeAtMs: number;
  error: string;
}

interface Health extends HealthState {
  /** Here by the monotonic clock. */
  probeAtMs: number;
  /** Whether a probe is under way. */
  isProbed: boolean;
}

const FAILURES_UNTIL_DEAD = 2;
/** What one silence counts as: a probe of a silent address takes a minute, so that the first one waits as long. */
const FAILURES_OF_SILENCE = 8;
const PROBE_FIRST_MS = 1000;
const PROBE_MAX_MS = 300_000;

/** A probe whose result is never reported, as when its attempt aborts, blocks the address no longer than this. */
const PROBE_LIMIT_MS = 60_000;

/** At the limit, the address whose last failure is the oldest is dropped. */
const ADDRESSES_MAX = 10_000;

/** TLS handshakes within the limit, one after another, that make an address familiar. */
const FAMILIAR_HANDSHAKES = 100;
/** Addresses whose handshakes are known. Beyond this, the one that had none for longest is forgotten. */
const HANDSHAKES_MAX = 10_000;

/** TLS sessions in a row that did not come about, after which none is begun for a time: such a one can take two minutes. */
const BROKEN_TLS_SHOWN = 2;
const BROKEN_TLS_KEPT_MS = 3 * DAY_MS;
/** Beyond this, the address whose TLS has worked, or not, the longest time ago is forgotten. */
const BROKEN_TLS_MAX = 10_000;

interface BrokenTls {
  times: number;
  atMs: number;
  error: string;
}

/** Addresses that have greeted. Beyond this, the one that has not greeted for longest is forgotten. */
const GREETED_MAX = 10_000;

export class HostHealth {
  readonly #clock: Clock;
  readonly #states = boundedMap<Health>(ADDRESSES_MAX);
  readonly #greeted = boundedMap<1>(GREETED_MAX);
  /** Small handshakes of each address; -1 after a large one, which it stays. */
  readonly #handshakes = boundedMap<number>(HANDSHAKES_MAX);

  readonly #brokenTls = boundedMap<BrokenTls>(BROKEN_TLS_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Null when the address may be tried now; otherwise the reason as text. A caller that gets null for a dead address is its probe
   * and must report the result.
   */
  refusalReason(address: string, port: number): string | null {
    const state = this.#states.peek(keyOf(address, port));
    if (state === undefined || state.failures < FAILURES_UNTIL_DEAD) return null;
    const monotonicMs = this.#clock.monotonicMs();
    if (monotonicMs >= state.probeAtMs + PROBE_MAX_MS) {
      // So long ago that jobs due together must not wait for one probe. A single failure makes the address dead again.
      state.failures = FAILURES_UNTIL_DEAD - 1;
      return null;
    }
    if (monotonicMs >= state.probeAtMs) {
      state.probeAtMs = monotonicMs + PROBE_LIMIT_MS;
      state.isProbed = true;
      return null;
    }
    const [since, probe] = [state.sinceMs, this.#wallMs(state.probeAtMs)].map((ms) => new Date(ms).toISOString());
    return `not tried: no connection since ${since} (${state.error}), next probe from ${probe}`;
  }

  /** Whether the address has greeted, and has not been silent instead since. Not known from before a restart. */
  hasGreeted(address: string, port: number): boolean {
    return this.#greeted.peek(keyOf(address, port)) !== undefined;
  }

  /** The address has greeted. */
  recordGreeting(address: string, port: number): void {
    const key = keyOf(address, port);
    this.#states.delete(key);
    this.#greeted.set(key, 1);
  }

  /** The address's TLS handshakes: a familiar one that then has a large handshake is not familiar again. */
  handshakesOf(address: string, port: number): HandshakeHistory {
    const key = keyOf(address, port);
    const countOf = (): number => this.#handshakes.peek(key) ?? 0;
    return {
      isFamiliar: countOf() >= FAMILIAR_HANDSHAKES,
      record: (size) => {
        const count = countOf();
        if (size === "large" || count < 0) this.#handshakes.set(key, -1);
        else this.#handshakes.set(key, Math.min(count + 1, FAMILIAR_HANDSHAKES));
      },
    };
  }

  /** How TLS has failed with the address twice in a row in the last three days; null if it may work. */
  brokenTlsOf(address: string, port: number): string | null {
    const { times = 0, atMs = 0, error = "" } = this.#brokenTls.peek(keyOf(address, port)) ?? {};
    const isKept = this.#clock.monotonicMs() < atMs + BROKEN_TLS_KEPT_MS;
    return times >= BROKEN_TLS_SHOWN && isKept ? error : null;
  }

  /** TLS has stalled or broken with the address. */
  recordBrokenTls(address: string, port: number, error: string): void {
    const key = keyOf(address, port);
    const times = (this.#brokenTls.peek(key)?.times ?? 0) + 1;
    this.#brokenTls.set(key, { times, atMs: this.#clock.monotonicMs(), error });
  }

  /** TLS has worked with the address, or the address takes nothing without it. */
  forgetBrokenTls(address: string, port: number): void {
    this.#brokenTls.delete(keyOf(address, port));
  }

  /** The address has accepted a connection. */
  recordSuccess(address: string, port: number): void {
    this.#states.delete(keyOf(address, port));
  }

  /** The address has accepted a connection and did not greet in time. It is dead at once: each further try would wait as long. */
  recordSilence(address: string, port: number, error: string): void {
    this.#greeted.delete(keyOf(address, port));
    this.#recordFailures(address, port, { error, least: FAILURES_OF_SILENCE });
  }

  recordFailure(address: string, port: number, error: string): void {
    this.#recordFailures(address, port, { error, least: 1 });
  }

  #recordFailures(address: string, port: number, { error, least }: { error: string; least: number }): void {
    const key = keyOf(address, port);
    const known = this.#states.peek(key);
    // Attempts that began together fail together: only a probe shows that the address is still dead.
    if (known !== undefined && known.failures >= FAILURES_UNTIL_DEAD && !known.isProbed) return;
    const failures = Math.max(least, (known?.failures ?? 0) + 1);
    this.#states.set(key, {
      address,
      port,
      failures,
      sinceMs: known?.sinceMs ?? this.#clock.now(),
      probeAtMs: this.#clock.monotonicMs() + gapMs(failures),
      isProbed: false,
      error,
    });
  }

  /** How many addresses accepted no connection when they were last tried; those not tried for long do not count. */
  deadCount(): number {
    const monotonicMs = this.#clock.monotonicMs();
    const isDead = ({ failures, probeAtMs }: Health): boolean =>
      failures >= FAILURES_UNTIL_DEAD && monotonicMs < probeAtMs + PROBE_MAX_MS;
    return [...this.#states.values()].filter(isDead).length;
  }

  /** The states worth keeping across a restart, the oldest first. */
  states(): HealthState[] {
    return [...this.#states.values()].reverse().map(({ isProbed: _, ...state }) => {
      return { ...state, probeAtMs: this.#wallMs(state.probeAtMs) };
    });
  }

  restore(states: HealthState[]): void {
    for (const state of states) this.#states.set(keyOf(state.address, state.port), this.#restored(state));
  }

  /** A probe further ahead than any gap was scheduled by a clock that was ahead: it is due. */
  #restored({ address, port, failures, sinceMs, probeAtMs, error }: HealthState): Health {
    const restMs = probeAtMs - this.#clock.now();
    const isPossible = restMs <= Math.max(gapMs(failures), PROBE_LIMIT_MS);
    const dueMs = this.#clock.monotonicMs() + (isPossible ? restMs : 0);
    return { address, port, failures, sinceMs, probeAtMs: dueMs, isProbed: false, error };
  }

  #wallMs(monotonicMs: number): number {
    return Math.round(this.#clock.now() + monotonicMs - this.#clock.monotonicMs());
  }
}

const gapMs = (failures: number): number =>
  Math.min(PROBE_MAX_MS, PROBE_FIRST_MS * 2 ** Math.max(0, failures - FAILURES_UNTIL_DEAD));

const keyOf = (address: string, port: number): string => `${address} ${port}`;

/**
 * Whether the service can accept and deliver. Decides when all new sends are refused, and what /readyz reports. A single send
 * that the spool cannot commit is rejected by the spool itself.
 */
import type { Clock } from "../../lib/clock.ts";
import { TtlCache } from "../../lib/ttl-cache.ts";
import { describePause, readDeliveryPause } from "../../spool/port/delivery-pause.ts";
import type { OwnNode } from "../../spool/port/nodes.ts";
import type { Spool } from "../../spool/port/spool.ts";

/** Waiting recipients at which nothing more is accepted until delivery has caught up. */
const BACKLOG_MAX = 2_000_000;
const BACKLOG_INTERVAL_MS = 5000;

/** How long the result of a probe is reused, and how long the spool may take to commit one and to be read. */
const PROBE_TTL_MS = 1000;
const PROBE_TIMEOUT_MS = 5000;

const DRAINING = "This node is draining: it sends nothing until it is resumed (postrider nodes resume) or restarted.";

export interface Readiness {
  /** Why nothing new is accepted; null when new sends are accepted. */
  refusal(): string | null;
  /** Why the service cannot accept and deliver; empty when it can. Probes the spool with a commit. */
  reasons(): Promise<string[]>;
  /** Aborts shortly before the service ends, when results no longer change: long polls should end. */
  readonly longPollsEnd: AbortSignal;
  /** Refuses new sends from now on. */
  stop(): void;
  endLongPolls(): void;
}

export interface ReadinessOptions {
  /** Why nothing can be delivered from this server, by the latest findings. */
  hostReasons?: () => string[];
  /** This process's node. While it drains, another host should be asked, although it goes on accepting. */
  node?: Pick<OwnNode, "isHostDraining"> | null;
  /** Between two counts of the waiting recipients. */
  backlogIntervalMs?: number;
}

/** Rejects if the spool cannot be read at the start. */
export async function watchReadiness(spool: Spool, clock: Clock, options: ReadinessOptions = {}): Promise<Readiness> {
  return new ReadinessWatch(spool, clock, { ...options, backlog: await spool.backlog() });
}

class ReadinessWatch implements Readiness {
  readonly #spool: Spool;
  readonly #clock: Clock;
  readonly #hostReasons: () => string[];
  readonly #node: Pick<OwnNode, "isHostDraining"> | null;
  readonly #backlogIntervalMs: number;
  readonly #probes: TtlCache<string | null>;
  readonly #longPollsEnd = new AbortController();
  #backlog: number;
  #isStopping = false;

  constructor(spool: Spool, clock: Clock, options: ReadinessOptions & { backlog: number }) {
    this.#spool = spool;
    this.#clock = clock;
    this.#hostReasons = options.hostReasons ?? (() => []);
    this.#node = options.node ?? null;
    this.#backlogIntervalMs = options.backlogIntervalMs ?? BACKLOG_INTERVAL_MS;
    this.#backlog = options.backlog;
    this.#probes = new TtlCache({ clock, keptMs: PROBE_TTL_MS, max: 1, worthKeeping: () => true });
    this.#countLater();
  }

  get longPollsEnd(): AbortSignal {
    return this.#longPollsEnd.signal;
  }

  refusal(): string | null {
    if (this.#isStopping) return "The mail engine is stopping. Retry with the same Idempotency-Key.";
    if (this.#backlog < BACKLOG_MAX) return null;
    return "Too many messages are waiting to be delivered. Retry with the same Idempotency-Key.";
  }

  async reasons(): Promise<string[]> {
    const refusal = this.refusal();
    const reasons = this.#isStopping
      ? [refusal]
      : [refusal, ...(await Promise.all(this.#spoolReasons())), ...this.#hostReasons()];
    return reasons.filter((reason) => reason !== null);
  }

  stop(): void {
    this.#isStopping = true;
  }

  endLongPolls(): void {
    this.#longPollsEnd.abort();
  }

  #spoolReasons(): Promise<string | null>[] {
    return [this.#pauseReason(), this.#drainReason(), this.#probe()];
  }

  #probe(): Promise<string | null> {
    return this.#probes.get("spool", () => probeSpool(this.#spool, this.#clock));
  }

  /** Why delivery is paused. A spool that cannot be read is reported by the probe. */
  #pauseReason(): Promise<string | null> {
    return this.#ifRead(readDeliveryPause(this.#spool).then((pause) => (pause === null ? null : describePause(pause))));
  }

  async #drainReason(): Promise<string | null> {
    if (this.#node === null) return null;
    const reason = this.#node.isHostDraining().then((isDraining) => (isDraining ? DRAINING : null));
    return this.#ifRead(reason);
  }

  #ifRead(reason: Promise<string | null>): Promise<string | null> {
    return withTimeLimit(
      this.#clock,
      reason.catch(() => null),
      null,
    );
  }

  #countLater(): void {
    this.#clock.after(this.#backlogIntervalMs, () => void this.#countBacklog());
  }

  async #countBacklog(): Promise<void> {
    // A spool that cannot be read rejects the next accept itself.
    this.#backlog = await this.#spool.backlog().catch(() => this.#backlog);
    if (!this.#isStopping) this.#countLater();
  }
}

/** Returns why the spool cannot commit what an acceptance does, or null. */
function probeSpool(spool: Spool, clock: Clock): Promise<string | null> {
  const committed = spool.probe(clock.now()).then(
    () => null,
    (error: Error) => `The spool cannot commit: ${error.message}`,
  );
  return withTimeLimit(clock, committed, "The spool takes too long to commit.");
}

/** What `work` resolves with, or `late` if it takes longer than PROBE_TIMEOUT_MS. */
function withTimeLimit<T>(clock: Clock, work: Promise<T>, late: T): Promise<T> {
  return new Promise((resolve) => {
    const cancel = clock.after(PROBE_TIMEOUT_MS, () => resolve(late));
    void work.then((value) => {
      cancel();
      resolve(value);
    });
  });
}

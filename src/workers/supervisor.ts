/**
 * Keeps a number of workers running: starts them, replaces those that end, and stops them together. Decides when a start has
 * failed permanently; how a process is made is left to worker-process.ts.
 *
 * The first worker starts before the others. If it fails, the others would fail for the same reason, and so the program ends as it would with
 * one process.
 */
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";

/** A worker that ends is replaced after the first delay, and after twice the last one each time that it ends again soon. */
const RESTART_MIN_MS = 1000;
const RESTART_MAX_MS = 30_000;
/** A worker that has run for so long does not end again soon. */
const STABLE_MS = 60_000;

/** Starts that fail while no worker runs before the program ends. */
const FAILED_STARTS_MAX = 5;

/** Cores that a worker, with its threads and PostgreSQL's share for it, uses under load; see docs/CLUSTER.md#capacity. */
const CORES_PER_WORKER = 2;

/** One sentence where so many workers compete for the cores; null otherwise. */
export function workersWarning(workers: number, cores: number): string | null {
  const most = Math.max(1, Math.floor(cores / CORES_PER_WORKER));
  if (workers <= most) return null;
  return `WORKERS=${workers} is more than half of this server's ${cores} cores, so the workers compete for them: use at most ${most}`;
}

export interface WorkerEnd {
  /** The exit code; null if a signal ended it. */
  code: number | null;
  signal: string | null;
}

export interface SupervisedWorker {
  /** Resolves once the worker listens. */
  readonly ready: Promise<void>;
  /** Resolves when the process has ended, and all that it has written is read. */
  readonly ended: Promise<WorkerEnd>;
  /** Does nothing if the process has ended. */
  kill(signal: NodeJS.Signals): void;
}

export interface SupervisorOptions {
  workers: number;
  /** Starts the worker with this number, from 1. */
  start: (number: number) => SupervisedWorker;
  clock: Clock;
  log: Logger;
}

interface Running {
  worker: SupervisedWorker;
  startedMs: number;
  isReady: boolean;
}

/** A number of a worker, with the process that has it now. */
interface Slot {
  running: Running | null;
  /** How often it has ended soon after its start, one after the other. */
  failures: number;
  cancelRestart: () => void;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #slots: Map<number, Slot>;
  readonly #exitCode: Promise<number>;
  #end: (exitCode: number) => void = () => {};
  /** Whether the first worker was ready once. */
  #hasBegun = false;
  /** Starts that have failed since a worker ran. */
  #failedStarts = 0;
  /** Set while the workers are stopped: the exit code if they end well. */
  #stopCode: number | null = null;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const numbers = Array.from({ length: options.workers }, (_, index) => index + 1);
    this.#slots = new Map(numbers.map((number) => [number, { running: null, failures: 0, cancelRestart: () => {} }]));
    this.#exitCode = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Starts the workers. Resolves with the program's exit code when all have ended and none starts again. */
  run(): Promise<number> {
    this.#start(1);
    return this.#exitCode;
  }

  /** Lets each worker end as the signal says. `run` resolves when all have ended. */
  stop(signal: NodeJS.Signals): void {
    this.#stopCode ??= 0;
    for (const { running, cancelRestart } of this.#slots.values()) {
      cancelRestart();
      running?.worker.kill(signal);
    }
    this.#endIfAllHave();
  }

  #start(number: number): void {
    const { start, clock } = this.#options;
    const slot = this.#slots.get(number) as Slot;
    const running: Running = { worker: start(number), startedMs: clock.monotonicMs(), isReady: false };
    slot.running = running;
    void running.worker.ready.then(() => this.#isReady(running));
    void running.worker.ended.then((end) => this.#hasEnded(number, end));
  }

  #isReady(running: Running): void {
    running.isReady = true;
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (this.#stopCode !== null) return;
    for (const number of this.#slots.keys()) if (number !== 1) this.#start(number);
  }

  #hasEnded(number: number, end: WorkerEnd): void {
    const slot = this.#slots.get(number) as Slot;
    const { running } = slot;
    if (running === null) return;
    slot.running = null;
    const code = end.code ?? 1;
    if (this.#stopCode !== null) {
      if (code !== 0) this.#stopCode ||= code;
      this.#endIfAllHave();
    } else if (this.#hasBegun) this.#replace(number, running, end);
    else this.#end(code);
  }

  #replace(number: number, { startedMs, isReady }: Running, { code, signal }: WorkerEnd): void {
    const { clock, log } = this.#options;
    this.#failedStarts = isReady || this.#isAnyReady() ? 0 : this.#failedStarts + 1;
    if (this.#failedStarts >= FAILED_STARTS_MAX) {
      log.fatal({ worker: number, code, signal }, "no worker starts");
      this.#stopCode = code ?? 1;
      this.stop("SIGTERM");
      return;
    }
    const slot = this.#slots.get(number) as Slot;
    const isStable = isReady && clock.monotonicMs() - startedMs >= STABLE_MS;
    slot.failures = isStable ? 1 : slot.failures + 1;
    const restartInMs = Math.min(RESTART_MIN_MS * 2 ** (slot.failures - 1), RESTART_MAX_MS);
    log.error({ worker: number, code, signal, restartInMs }, "worker ended");
    slot.cancelRestart = clock.after(restartInMs, () => this.#start(number));
  }

  #isAnyReady(): boolean {
    return [...this.#slots.values()].some(({ running }) => running?.isReady === true);
  }

  #endIfAllHave(): void {
    if (this.#stopCode === null) return;
    if ([...this.#slots.values()].every(({ running }) => running === null)) this.#end(this.#stopCode);
  }
}

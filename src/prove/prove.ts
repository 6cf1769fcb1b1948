/**
 * Proves on a disk that mail survives kills: load on a separate service, which is killed at random moments, and a comparison of what was
 * answered, delivered and reported at the end. It uses a new folder, which it removes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { nearestExisting } from "../doctor/disk.ts";
import { type Durability, durabilityOf, fileSystemAt, measureSyncs, type SyncRate } from "../doctor/durability.ts";
import { systemReason } from "../lib/error-text.ts";
import { MIB } from "../lib/units.ts";
import { type Comparison, compare } from "./comparison.ts";
import { ProveFailure } from "./failure.ts";
import { Load } from "./load.ts";
import { lookUpAll } from "./look-up.ts";
import { type ServiceProcess, startService } from "./programs.ts";
import type { Recorder } from "./recording-sink.ts";
import { bindSender, createKey, openScene, type Scene } from "./scene.ts";

const MEASURE_MAX_MS = 2000;
/** Of the time of the load. */
const MEASURE_SHARE = 0.05;
/** The longest time between the start of a service and its kill. */
const UP_MAX_MS = 10_000;
/** In a short run; a service that has just started is slow. */
const UP_MAX_SHORT_MS = 1500;
/** The least number of kills in the time, with starts that take no time. */
const KILLS_MIN = 4;
const KILL_IN_START_PROBABILITY = 0.15;
const START_KILL_MAX_MS = 1500;
const DRAIN_MAX_MS = 60_000;
/** A verdict on fewer messages would say little: on a slow host, a run goes on for them, for so long at most. */
const ACCEPTED_MIN = 20;
const EXTRA_MS = 60_000;
const PROGRESS_MS = 500;
/** The spool of the most messages takes less than half of it. */
const FREE_MIB_MIN = 512;

export interface ProveOptions {
  /** The directory whose file system is tried. It, or the nearest existing parent, gets the folder of the run. */
  dir: string;
  /** How long the load lasts. */
  runMs: number;
  /** Ends the run without a verdict. */
  signal: AbortSignal;
  /** Called with one line, again and again. */
  progress: (line: string) => void;
  /** For tests. */
  faults?: {
    recorder?: Recorder;
    /** Called with the service's DATA_DIR before the first message, and after each kill. */
    beforeLoad?: (dataDir: string) => void;
    afterKill?: (dataDir: string) => void;
  };
}

export interface Proof extends Comparison {
  /** Where the folder was. */
  place: string;
  fileSystem: string;
  runMs: number;
  kills: number;
  answersMs: { p50: number; p99: number; max: number };
  disk: SyncRate & Durability;
}

/** Rejects with a ProveFailure if there is no verdict. */
export async function prove(options: ProveOptions): Promise<Proof> {
  const place = await nearestExisting(resolve(options.dir));
  const dir = folderIn(place);
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    return await proveIn({ ...options, dir, place });
  } catch (error) {
    if (options.signal.aborted) throw new ProveFailure("stopped before its end: there is no verdict");
    throw error;
  } finally {
    process.off("exit", remove);
    remove();
  }
}

function folderIn(place: string): string {
  try {
    return mkdtempSync(join(place, ".prove-"));
  } catch (error) {
    throw new ProveFailure(
      `${place} is not writable: ${systemReason(error)}. Choose a directory on the same disk with --dir`,
    );
  }
}

async function proveIn(options: ProveOptions & { place: string }): Promise<Proof> {
  const { dir, place, runMs, signal, faults } = options;
  options.progress("measuring fsync");
  await requireSpace(dir);
  const fileSystem = await fileSystemAt(dir);
  const rate = await measureSyncs(dir, Math.min(MEASURE_MAX_MS, runMs * MEASURE_SHARE));
  signal.throwIfAborted();
  const scene = await openScene(dir, faults?.recorder);
  const run = new Run(options, scene);
  try {
    const observed = await run.toTheEnd();
    return {
      ...observed,
      place,
      fileSystem: fileSystem.name,
      runMs,
      disk: { ...rate, ...durabilityOf(fileSystem, rate.fsyncUs) },
    };
  } finally {
    await run.close();
    await scene.close();
  }
}

async function requireSpace(dir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dir);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  if (freeMib < FREE_MIB_MIN) {
    throw new ProveFailure(`${freeMib} MiB are free on the disk of ${dirname(dir)}: a run needs ${FREE_MIB_MIN} MiB`);
  }
}

/** One run: the services, one after the other, and the load on them. */
class Run {
  readonly #options: ProveOptions;
  readonly #scene: Scene;
  readonly #over = new AbortController();
  /** Aborts when the run is stopped, or over. */
  readonly #signal: AbortSignal;
  #service: ServiceProcess | null = null;
  #kills = 0;
  /** What it does after the load. */
  #phase: string | null = null;

  constructor(options: ProveOptions, scene: Scene) {
    this.#options = options;
    this.#scene = scene;
    this.#signal = AbortSignal.any([options.signal, this.#over.signal]);
    this.#signal.addEventListener("abort", this.#killAtOnce);
    process.once("exit", this.#killAtOnce);
  }

  async toTheEnd(): Promise<Comparison & Pick<Proof, "kills" | "answersMs">> {
    const { runMs, progress } = this.#options;
    progress("creating a spool");
    const key = await createKey(this.#scene, this.#signal);
    const url = await this.#start().url;
    await bindSender(this.#scene, { url, key });
    const load = new Load({ key, runMs, signal: this.#signal });
    const sinceMs = performance.now();
    const shown = setInterval(() => progress(this.#progressText(load, performance.now() - sinceMs)), PROGRESS_MS);
    try {
      load.url = url;
      const found = await this.#killAndLookUp(load, key);
      const { accepted, answersMs } = load;
      if (accepted.size === 0) throw new ProveFailure("no message was accepted: there is no verdict");
      const compared = compare({ accepted, found, arrivals: this.#scene.sink.arrivals });
      return { ...compared, kills: this.#kills, answersMs: percentiles(answersMs) };
    } finally {
      clearInterval(shown);
    }
  }

  /** Ends what still runs. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#service?.ended;
    process.off("exit", this.#killAtOnce);
  }

  async #killAndLookUp(load: Load, key: string) {
    const { runMs } = this.#options;
    const sending = load.run();
    // Awaited below.
    sending.catch(() => {});
    const killing = this.#killUntil(load, performance.now() + runMs);
    // The load ends first only with an error.
    await Promise.race([killing, sending.then(() => killing)]);
    const url = await this.#startOver(load);
    this.#phase = "waiting for the last 202";
    load.end();
    await within(DRAIN_MAX_MS, sending, "messages were not answered with 202 within a minute after the last start");
    const ids = [...load.accepted.values()].flatMap((each) => [...each]);
    const onPass = (left: number): void => {
      this.#phase = `looking up ${left} messages`;
    };
    const found = await lookUpAll({ url, key, ids, waitMs: DRAIN_MAX_MS, signal: this.#signal, onPass });
    await this.#stop();
    return found;
  }

  async #killUntil(load: Load, endMs: number): Promise<void> {
    const { runMs, faults = {} } = this.#options;
    const signal = this.#signal;
    const upMaxMs = Math.max(UP_MAX_SHORT_MS, Math.min(UP_MAX_MS, runMs / KILLS_MIN));
    const dataDir = this.#scene.env.DATA_DIR ?? "";
    const goesOn = (): boolean => performance.now() < endMs + (load.accepted.size < ACCEPTED_MIN ? EXTRA_MS : 0);
    faults.beforeLoad?.(dataDir);
    for (let isFirst = true; isFirst || goesOn(); isFirst = false) {
      const isInStart = !isFirst && Math.random() < KILL_IN_START_PROBABILITY;
      if (isInStart) this.#start();
      else if (!isFirst) await this.#startOver(load);
      await this.#unlessEnded(delay(Math.random() * (isInStart ? START_KILL_MAX_MS : upMaxMs), undefined, { signal }));
      await this.#kill();
      load.url = null;
      faults.afterKill?.(dataDir);
    }
  }

  #start(): ServiceProcess {
    this.#signal.throwIfAborted();
    this.#service = startService(this.#scene.env);
    return this.#service;
  }

  async #startOver(load: Load): Promise<string> {
    const url = await this.#start().url;
    load.url = url;
    return url;
  }

  async #kill(): Promise<void> {
    await this.#service?.kill("SIGKILL");
    this.#service = null;
    this.#kills += 1;
  }

  async #stop(): Promise<void> {
    const end = await this.#service?.kill("SIGTERM");
    this.#service = null;
    if (end !== undefined && end.code !== 0) throw endedByItself(end);
  }

  /** Rejects if the service ends meanwhile, which only the kill may cause. */
  async #unlessEnded(wait: Promise<void>): Promise<void> {
    const ended = this.#service?.ended.then((end) => Promise.reject(endedByItself(end)));
    await Promise.race([wait, ...(ended === undefined ? [] : [ended])]);
  }

  readonly #killAtOnce = (): void => void this.#service?.kill("SIGKILL");

  #progressText(load: Load, elapsedMs: number): string {
    const { runMs } = this.#options;
    const time = `${clockText(Math.min(elapsedMs, runMs))} of ${clockText(runMs)}`;
    return `${this.#phase ?? time}, ${this.#kills} kills, ${load.accepted.size} accepted, ${this.#scene.sink.arrivals.size} delivered`;
  }
}

const endedByItself = ({ code, signal, stderr }: Awaited<ServiceProcess["ended"]>): ProveFailure =>
  new ProveFailure(`the service ended unexpectedly (${signal ?? `exit ${code}`}): ${stderr.trim()}`);

async function within(limitMs: number, work: Promise<void>, otherwise: string): Promise<void> {
  const over = new AbortController();
  const limit = delay(limitMs, undefined, { signal: over.signal }).then(
    () => Promise.reject(new ProveFailure(otherwise)),
    () => {},
  );
  await Promise.race([work, limit]).finally(() => over.abort());
}

/** `1:05`. */
const clockText = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms / 1000) % 60)).padStart(2, "0")}`;

function percentiles(answersMs: readonly number[]): Proof["answersMs"] {
  const sorted = answersMs.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

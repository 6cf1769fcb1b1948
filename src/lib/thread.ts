/** Starts a worker thread, from TypeScript in a checkout or from JavaScript in a build. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Worker, type WorkerOptions, workerData } from "node:worker_threads";
import { errorText, toCloneableError } from "./error-text.ts";
import { THREAD_NOT_STARTED } from "./resource-shortage.ts";

/**
 * tsx registers itself only in the main thread, so a worker runs this before its own file. It registers require hooks: import
 * hooks would start one more thread and take twice as long.
 */
const PREAMBLE = `
const { workerData } = require("node:worker_threads");
require(workerData.loader).register();
require(workerData.entry);
`;

/** Objects of the threads live for milliseconds. Node's default of 48 MB would let much more garbage accumulate. */
const YOUNG_MAX = { maxYoungGenerationSizeMb: 6 };

const YOUNG_FLAG = "--max-semi-space-size";

/** The main thread's heap has its limit from the command line when this is loaded. For threads, V8 would prefer that one to YOUNG_MAX. */
if (process.execArgv.some((arg) => arg.startsWith(YOUNG_FLAG))) setFlagsFromString(`${YOUNG_FLAG}=0`);

/**
 * Must be called first in a thread's file, after its imports: uncaught errors then reach the parent thread with their message. Errors of native
 * modules, such as SQLite's, would otherwise keep only their enumerable properties.
 */
export function reportUncaughtErrors(): void {
  const { loaded } = (workerData ?? {}) as { loaded?: Int32Array };
  if (loaded !== undefined) Atomics.store(loaded, 0, 1);
  process.on("uncaughtException", (error) => {
    throw toCloneableError(error);
  });
}

/** Half a second is usual; a busy host may need several. */
const LOAD_MAX_MS = 60_000;

const IS_BUILT = import.meta.url.endsWith(".js");

/**
 * A thread that knows whether its files were loaded. They were there when the service started, so one that cannot be loaded now
 * could not be opened. Without descriptors Node reports that as a module that is not found, if it was a package.json.
 */
class Thread extends Worker {
  readonly #loaded: Int32Array;
  #isEnded = false;

  constructor(file: URL | string, { workerData, ...options }: WorkerOptions, loadMaxMs: number) {
    const loaded = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    super(file, { ...options, workerData: { ...workerData, loaded } });
    this.#loaded = loaded;
    setTimeout(() => this.#giveUp(loadMaxMs), loadMaxMs).unref();
  }

  get #isLoaded(): boolean {
    return Atomics.load(this.#loaded, 0) === 1;
  }

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event !== "error") return super.emit(event as string, ...values);
    this.#isEnded = true;
    return super.emit("error", this.#isLoaded ? values[0] : notLoaded(values[0]));
  }

  override terminate(): Promise<number> {
    this.#isEnded = true;
    return super.terminate();
  }

  /** A thread that waits for what it cannot get, or has ended without an error, would leave its questions unanswered for ever. */
  #giveUp(loadMaxMs: number): void {
    if (this.#isLoaded || this.#isEnded) return;
    this.emit("error", new Error(`it took longer than ${loadMaxMs / 1000} s`));
    void this.terminate();
  }
}

const notLoaded = (cause: unknown): Error =>
  Object.assign(new Error(`a thread could not load its files: ${errorText(cause)}`, { cause }), {
    code: THREAD_NOT_STARTED,
  });

/**
 * Runs `entry` (the file URL of a .ts source) in a thread with `workerData.data`. Uncaught errors become `error` events, with the
 * code THREAD_NOT_STARTED if they come before reportUncaughtErrors. The thread ends with an error if its heap exceeds `heapMaxMb`.
 */
export function startThread(entry: URL, data: unknown, heapMaxMb?: number, loadMaxMs = LOAD_MAX_MS): Worker {
  const resourceLimits = heapMaxMb === undefined ? YOUNG_MAX : { ...YOUNG_MAX, maxOldGenerationSizeMb: heapMaxMb };
  if (IS_BUILT)
    return new Thread(new URL(entry.href.replace(/\.ts$/, ".js")), { workerData: { data }, resourceLimits }, loadMaxMs);
  const loader = createRequire(import.meta.url).resolve("tsx/cjs/api");
  const workerData = { loader, entry: fileURLToPath(entry), data };
  return new Thread(PREAMBLE, { eval: true, workerData, resourceLimits }, loadMaxMs);
}

/**
 * Gathers the API's requests in memory and writes them to the request log once a second. Floods are recorded in part, so
 * that they cost little: of each second a limited number, shared fairly between accounts.
 */
import type { Clock } from "../../lib/clock.ts";
import { FairBuffer } from "../../lib/fair-buffer.ts";
import type { Logger } from "../../lib/log.ts";
import type { ApiRequest, RecordedRequest, RequestFault } from "../../spool/port/request-log.ts";
import type { Spool } from "../../spool/port/spool.ts";

const FLUSH_MS = 1000;
/** The most successful requests of a flush, and the most failed ones. */
const SUCCESSES_MAX = 200;
const FAILURES_MAX = 500;
/** How often old requests are deleted while there are no new ones. */
const IDLE_WRITE_MS = 60_000;

/** The owner of requests without a valid key. */
const NO_ACCOUNT = "";

export interface RecorderParts {
  spool: Pick<Spool, "recordRequests">;
  clock: Clock;
  log: Logger;
  metrics: { unrecorded(count: number): void };
}

export class RequestRecorder {
  readonly #parts: RecorderParts;
  readonly #successes = new FairBuffer<RecordedRequest>(SUCCESSES_MAX);
  readonly #failures = new FairBuffer<RecordedRequest>(FAILURES_MAX);
  #writeAtMs = 0;
  #hasFailed = false;
  #cancel: () => void = () => {};
  #flushing: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#flushLater();
  }

  /** Takes about a microsecond: each 202 passes here. `faultOf` is called only if the request is recorded. */
  record(request: ApiRequest, faultOf?: () => RequestFault): void {
    const buffer = request.status < 400 ? this.#successes : this.#failures;
    const entry = (): RecordedRequest => (faultOf === undefined ? request : { ...request, fault: faultOf() });
    buffer.add(request.accountId ?? NO_ACCOUNT, entry);
  }

  /** Writes what is gathered, and nothing from then on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#flushing;
    await this.#flush();
  }

  /** The next flush waits for the one before: a slow disk gets fewer writes. */
  #flushLater(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#parts.clock.after(FLUSH_MS, () => {
      this.#flushing = this.#flush().then(() => this.#flushLater());
    });
  }

  async #flush(): Promise<void> {
    const { spool, clock, log, metrics } = this.#parts;
    const [successes, failures] = [this.#successes.takeAll(), this.#failures.takeAll()];
    const requests = [...successes.entries, ...failures.entries].sort((a, b) => a.atMs - b.atMs);
    if (requests.length === 0 && clock.monotonicMs() < this.#writeAtMs) return;
    this.#writeAtMs = clock.monotonicMs() + IDLE_WRITE_MS;
    let unrecorded = successes.dropped + failures.dropped;
    try {
      await spool.recordRequests(requests, clock.now());
      this.#hasFailed = false;
    } catch (error) {
      unrecorded += requests.length;
      // The first failure of a series is a warning.
      log[this.#hasFailed ? "debug" : "warn"]({ err: error, requests: requests.length }, "requests not recorded");
      this.#hasFailed = true;
    }
    if (unrecorded > 0) metrics.unrecorded(unrecorded);
  }
}

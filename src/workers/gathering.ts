/**
 * Gathers the metrics of all workers of a host: a scrape reaches one of them, which asks the supervisor, which asks them all. A
 * worker that does not answer in time is left out.
 */
import type { Clock } from "../lib/clock.ts";
import { joinExpositions } from "./expositions.ts";
import type { ToSupervisor, ToWorker } from "./messages.ts";

/** How long the supervisor waits for a worker, and a worker for the supervisor. Prometheus waits 10 s. */
const WORKER_TIMEOUT_MS = 3000;
const SUPERVISOR_TIMEOUT_MS = 5000;

/** Answers that are waited for, each by its id. */
class Awaited<T> {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #waiting = new Map<number, (answer: T | null) => void>();
  #lastId = 0;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves with the answer to what `ask` sends with an id; null if there is none in time. */
  ask(ask: (id: number) => void): Promise<T | null> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const cancel = this.#clock.after(this.#timeoutMs, () => this.answer(id, null));
      this.#waiting.set(id, (answer) => {
        cancel();
        resolve(answer);
      });
      ask(id);
    });
  }

  answer(id: number, answer: T | null): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(answer);
  }
}

/** Sends a message to one worker. */
export type WorkerPort = (message: ToWorker) => void;

/** The part of the supervisor's process. */
export class MetricsGatherer {
  readonly #ports = new Set<WorkerPort>();
  readonly #awaited: Awaited<string>;

  constructor(clock: Clock) {
    this.#awaited = new Awaited(clock, WORKER_TIMEOUT_MS);
  }

  /** The worker listens, and has metrics. */
  add(port: WorkerPort): void {
    this.#ports.add(port);
  }

  /** The worker has ended. */
  remove(port: WorkerPort): void {
    this.#ports.delete(port);
  }

  receive(from: WorkerPort, message: ToSupervisor): void {
    if (message.type === "gather") void this.#gather(from, message.id);
    else if (message.type === "rendered") this.#awaited.answer(message.id, message.text);
  }

  async #gather(to: WorkerPort, id: number): Promise<void> {
    const rendered = [...this.#ports].map((port) => this.#awaited.ask((asked) => port({ type: "render", id: asked })));
    const texts = (await Promise.all(rendered)).filter((text) => text !== null);
    to({ type: "gathered", id, texts });
  }
}

/** The part of a worker's process. */
export class GatheredMetrics {
  readonly #send: (message: ToSupervisor) => void;
  readonly #awaited: Awaited<string[]>;
  #render: () => Promise<string> = () => Promise.reject(new Error("the worker has no metrics yet"));

  constructor(clock: Clock, send: (message: ToSupervisor) => void) {
    this.#awaited = new Awaited(clock, SUPERVISOR_TIMEOUT_MS);
    this.#send = send;
  }

  /** Sets how this worker's own metrics are rendered. */
  renderWith(render: () => Promise<string>): void {
    this.#render = render;
  }

  /** The metrics of all workers; only this one's if the supervisor does not answer. Rejects as `renderWith`'s function then. */
  async all(): Promise<string> {
    const texts = await this.#awaited.ask((id) => this.#send({ type: "gather", id }));
    return texts === null || texts.length === 0 ? this.#render() : joinExpositions(texts);
  }

  receive(message: ToWorker): void {
    if (message.type === "gathered") this.#awaited.answer(message.id, message.texts);
    else void this.#answerRender(message.id);
  }

  async #answerRender(id: number): Promise<void> {
    const text = await this.#render().catch(() => null);
    this.#send({ type: "rendered", id, text });
  }
}

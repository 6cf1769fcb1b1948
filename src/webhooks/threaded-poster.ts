/**
 * A Poster in a worker thread: TLS, signatures and HTTP take more time than all else about an event, and must not delay the
 * acceptance of messages. The first post starts the thread, so a service without endpoints has none.
 */
import type { Worker } from "node:worker_threads";
import { isResourceShortage } from "../lib/resource-shortage.ts";
import { startThread } from "../lib/thread.ts";
import type { Poster, PostRequest, PostResponse } from "./poster.ts";
import type { FromPoster, PosterThreadOptions, ToPoster } from "./poster-thread.ts";

/** `onFatal` is called if the thread dies. One that cannot be started for want of resources ends only its posts. */
export function startPosterThread(
  options: PosterThreadOptions,
  onFatal: (error: Error) => void,
  start = startThread,
): Poster {
  return new ThreadedPoster(options, onFatal, start);
}

const NOT_STARTED = "The webhook could not be sent: the server is out of file descriptors or memory right now.";
const STOPPED = "The service was stopped before a response arrived.";

class ThreadedPoster implements Poster {
  readonly #options: PosterThreadOptions;
  readonly #onFatal: (error: Error) => void;
  readonly #startThread: typeof startThread;
  readonly #pending = new Map<number, (response: PostResponse) => void>();
  #thread: Worker | null = null;
  #unsent: ToPoster = [];
  #lastNumber = 0;
  #isStopped = false;

  constructor(options: PosterThreadOptions, onFatal: (error: Error) => void, start: typeof startThread) {
    this.#options = options;
    this.#onFatal = onFatal;
    this.#startThread = start;
  }

  post(request: PostRequest): Promise<PostResponse> {
    if (this.#isStopped) return Promise.resolve(unanswered(STOPPED));
    return new Promise((resolve) => {
      this.#lastNumber += 1;
      this.#pending.set(this.#lastNumber, resolve);
      this.#send({ number: this.#lastNumber, request });
    });
  }

  async close(): Promise<void> {
    this.#stop(STOPPED);
    await this.#thread?.terminate();
  }

  /** Sends the requests of one event loop iteration together: a message between threads costs more than a post's share. */
  #send(item: ToPoster[number]): void {
    if (this.#unsent.push(item) > 1) return;
    setImmediate(() => {
      if (this.#isStopped) return;
      const items = this.#unsent;
      this.#unsent = [];
      try {
        this.#thread ??= this.#start();
        this.#thread.postMessage(items);
      } catch (error) {
        if (!isResourceShortage(error)) throw error;
        this.#answerAll(NOT_STARTED);
      }
    });
  }

  #start(): Worker {
    const thread = this.#startThread(new URL("./poster-thread.ts", import.meta.url), this.#options);
    thread.on("message", (replies: FromPoster) => {
      for (const { number, response } of replies) {
        this.#pending.get(number)?.(response);
        this.#pending.delete(number);
      }
    });
    thread.on("error", (error) => {
      if (isResourceShortage(error)) {
        // The next post starts another one.
        this.#thread = null;
        this.#answerAll(NOT_STARTED);
        return;
      }
      this.#stop("The webhook could not be sent: the sending thread failed.");
      this.#onFatal(error);
    });
    return thread;
  }

  #stop(error: string): void {
    this.#isStopped = true;
    this.#answerAll(error);
  }

  #answerAll(error: string): void {
    for (const resolve of this.#pending.values()) resolve(unanswered(error));
    this.#pending.clear();
  }
}

function unanswered(error: string): PostResponse {
  return { status: null, error, response: "", durationMs: 0, retryAfterMs: null };
}

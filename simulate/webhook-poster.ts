/**
 * The service's side of a webhook request, in place of node:http. A request is an effect of the process, and its response may
 * come too late: after the service's limit, or after the death of the process. receiver.ts plays the other side.
 */
import type { Poster, PostRequest, PostResponse } from "../src/webhooks/poster.ts";
import type { Tally } from "./fault-injector.ts";
import type { Incarnation } from "./incarnation.ts";
import type { Receiver, ReceiverReply } from "./receiver.ts";

export interface WebhookPosterOptions {
  incarnation: Incarnation;
  /** The number of the process incarnation. */
  number: number;
  receiver: Receiver;
  tally: Tally;
}

/** The limit of the real poster. */
const LIMIT_MS = 15_000;

type Answer = Pick<PostResponse, "status" | "error" | "retryAfterMs">;

const failure = (error: string): Answer => ({ status: null, error, retryAfterMs: null });
const CLOSED = failure("The service was stopped before a response arrived.");

/** Creates the poster of one process incarnation. */
export function createWebhookPoster(parts: WebhookPosterOptions): Poster {
  return new WebhookPoster(parts);
}

class WebhookPoster implements Poster {
  readonly #parts: WebhookPosterOptions;
  readonly #underWay = new Set<(answer: Answer) => void>();
  #isClosed = false;

  constructor(parts: WebhookPosterOptions) {
    this.#parts = parts;
  }

  post(request: PostRequest): Promise<PostResponse> {
    const { incarnation, number, receiver } = this.#parts;
    const { clock } = incarnation;
    const startMs = clock.monotonicMs();
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        this.#underWay.delete(end);
        cancelLimit();
        resolve({ ...answer, response: "", durationMs: clock.monotonicMs() - startMs });
      };
      this.#underWay.add(end);
      const cancelLimit = incarnation.after(LIMIT_MS, () => end(failure("No response within 15 seconds.")));
      if (this.#isClosed) end(CLOSED);
      else
        incarnation.effect("webhook", () => {
          receiver.receive(request, number, (reply) => incarnation.whenAwake(() => this.#respond(reply, end)));
        });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#underWay) end(CLOSED);
  }

  #respond({ status, retryAfterMs, receipt }: ReceiverReply, end: (answer: Answer) => void): void {
    const { incarnation, tally } = this.#parts;
    if (!incarnation.isAlive || !this.#underWay.has(end)) {
      if (receipt !== null && receipt.status !== null) tally.add("webhook_response_late");
      return;
    }
    if (receipt !== null) receipt.isSeen = true;
    if (status === null) end(failure("The connection was closed before a response arrived."));
    else end({ status, error: null, retryAfterMs });
  }
}

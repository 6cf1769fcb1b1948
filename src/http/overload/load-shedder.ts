/**
 * The front door: turns away the sends of a crowd (crowd.ts), and requests without a key beyond the rate of their address,
 * before anything else is done for them, so that refusing costs a fraction of accepting. Everything else, and sends of keys
 * that were not seen lately, go on to the API, which decides the same.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AcceptBackpressure } from "../../app/accept-backpressure.ts";
import type { AddressLimiter } from "../../lib/address-limiter.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Logger, withoutRedaction } from "../../lib/log.ts";
import type { ApiKey } from "../../spool/port/accounts.ts";
import { answerBare } from "../response/bare-response.ts";
import { engineUnavailable, Problem } from "../response/problems.ts";
import type { RateLimiter } from "./rate-limit.ts";

export const SEND_PATH = "/api/sending/send";

/** How long a key is taken for valid without a look: a revoked one is told 503 for so long, and 401 after that. */
const KNOWN_MS = 1000;
const KNOWN_MAX = 10_000;

/** The keys of the last second's requests, by their Authorization header. */
export class KnownKeys {
  readonly #clock: Clock;
  readonly #keys = new Map<string, ApiKey>();
  #sinceMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(authorization: string, key: ApiKey): void {
    this.#forget();
    if (this.#keys.size < KNOWN_MAX) this.#keys.set(authorization, key);
  }

  get(authorization: string): ApiKey | undefined {
    this.#forget();
    return this.#keys.get(authorization);
  }

  #forget(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sinceMs < KNOWN_MS) return;
    this.#sinceMs = nowMs;
    this.#keys.clear();
  }
}

export const tooMuch = engineUnavailable(
  "More is sent than can be stored at the moment. Retry with the same Idempotency-Key.",
);

export interface FrontParts {
  backpressure: AcceptBackpressure;
  known: KnownKeys;
  rate: RateLimiter;
  addresses: AddressLimiter;
  clock: Clock;
  log: Logger;
  metrics: { refused(code: string): void };
}

export function tooManyFromAddress(retryAfterS: number): Problem {
  return new Problem("rate_limit_exceeded", "Too many requests without a valid API key come from this address.", {
    retryAfterS,
  });
}

/** The API behind its front door. */
export function withFront(api: RequestListener, parts: FrontParts): RequestListener {
  const { backpressure, known, addresses } = parts;
  const turnAway = createTurnAway(parts);
  return (req, res) => {
    if (req.headers.authorization === undefined) {
      const taken = addresses.take(req);
      if (!taken.allowed) return turnAway({ req, res, problem: tooManyFromAddress(taken.retryAfterS), key: null });
    } else if (req.method === "POST" && req.url === SEND_PATH && backpressure.isFull) {
      const key = known.get(req.headers.authorization);
      if (key !== undefined && backpressure.refuses(key.accountId))
        return turnAway({ req, res, problem: tooMuch, key });
    }
    api(req, res);
  };
}

interface Refusal {
  req: IncomingMessage;
  res: ServerResponse;
  problem: Problem;
  key: ApiKey | null;
}

/** Answers as the API does, with all its headers and its line in the log. */
function createTurnAway({ rate, clock, log, metrics }: FrontParts): (refusal: Refusal) => void {
  const lines = withoutRedaction(log);
  return ({ req, res, problem, key }) => {
    const { status, code } = problem;
    const requestId = answerBare(res, problem, key === null ? {} : rate.headers(key, clock.monotonicMs()));
    metrics.refused(code);
    const path = key === null ? undefined : SEND_PATH;
    lines.info({ requestId, method: req.method, path, status, keyId: key?.id, problem: code }, "request");
  };
}

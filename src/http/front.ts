/**
 * The front door: turns away the sends of a crowd (crowd.ts) before anything else is done for them, so that refusing costs a
 * fraction of accepting. Everything else, and sends of keys that were not seen lately, go on to the API, which decides the same.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Clock } from "../clock.ts";
import { frequentLines, type Logger } from "../log.ts";
import { newRequestId } from "../request-id.ts";
import type { ApiKey } from "../spool/registry.ts";
import type { Crowd } from "./crowd.ts";
import { engineUnavailable, problemDocument } from "./problems.ts";
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
    const nowMs = this.#clock.now();
    if (Math.abs(nowMs - this.#sinceMs) < KNOWN_MS) return;
    this.#sinceMs = nowMs;
    this.#keys.clear();
  }
}

export const tooMuch = engineUnavailable(
  "More is sent than can be stored at the moment. Retry with the same Idempotency-Key.",
);

export interface FrontParts {
  crowd: Crowd;
  known: KnownKeys;
  rate: RateLimiter;
  clock: Clock;
  log: Logger;
  metrics: { refused(code: string): void };
}

/** The API behind its front door. */
export function withFront(api: RequestListener, parts: FrontParts): RequestListener {
  const { crowd, known } = parts;
  const turnAway = createTurnAway(parts);
  return (req, res) => {
    if (req.method === "POST" && req.url === SEND_PATH && crowd.isFull) {
      const key = known.get(req.headers.authorization ?? "");
      if (key !== undefined && crowd.refuses(key.accountId)) return turnAway(req, res, key);
    }
    api(req, res);
  };
}

type TurnAway = (req: IncomingMessage, res: ServerResponse, key: ApiKey) => void;

/** Answers as the API does, with all its headers and its line in the log. */
function createTurnAway({ rate, clock, log, metrics }: FrontParts): TurnAway {
  const lines = frequentLines(log);
  const { status, code, extras } = tooMuch;
  const retryAfter = String(extras.retryAfterS);
  return (req, res, key) => {
    const requestId = newRequestId();
    const body = JSON.stringify(problemDocument(tooMuch, requestId));
    res.writeHead(status, {
      "Content-Type": "application/problem+json",
      "Content-Length": Buffer.byteLength(body),
      "Retry-After": retryAfter,
      "X-Request-Id": requestId,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...rate.headers(key, clock.now()),
    });
    res.end(body);
    metrics.refused(code);
    lines.info({ requestId, method: req.method, path: SEND_PATH, status, keyId: key.id, problem: code }, "request");
  };
}

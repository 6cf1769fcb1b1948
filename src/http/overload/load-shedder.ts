/**
 * Rejects sends under overload (app/send/accept-backpressure.ts), and requests without a key beyond the rate of their address,
 * before any other work (those of status pages are counted where they are answered, in the form that they want), so that a rejection costs a fraction of an acceptance. All other requests, and sends of keys that
 * were not seen in the last second, go to the API, which applies the same rules.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AcceptBackpressure } from "../../app/send/accept-backpressure.ts";
import type { RequestRecorder } from "../../app/send/request-recorder.ts";
import type { SendRateState } from "../../app/send/send-rate.ts";
import { STATUS_PATH } from "../../app/status/status-links.ts";
import type { AddressLimiter } from "../../lib/address-limiter.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Logger, withoutRedaction } from "../../lib/log.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import { answerBare } from "../response/bare-response.ts";
import type { DialectOf } from "../response/dialect.ts";
import { isServicePath, loggedTarget } from "../response/logged-path.ts";
import { engineUnavailable, Problem } from "../response/problems.ts";
import { requestFault } from "../response/request-fault.ts";

/** How long a key counts as valid without a lookup: a revoked key may get 503 for this long, then 401. */
const KNOWN_MS = 1000;
const KNOWN_MAX = 10_000;
/** Characters of a field that is kept: spaces around a key make any number of different ones. */
const FIELD_MAX = 200;

/** The keys of the last second's requests, by their Authorization header field. */
export class KnownKeys {
  readonly #clock: Clock;
  readonly #keys = new Map<string, ApiKey>();
  #sinceMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(authorization: string, key: ApiKey): void {
    this.#forget();
    if (this.#keys.size < KNOWN_MAX && authorization.length <= FIELD_MAX) this.#keys.set(authorization, key);
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

export const overloaded = engineUnavailable(
  "The service receives more messages than it can store. Retry with the same Idempotency-Key.",
);

export interface LoadShedderParts {
  backpressure: AcceptBackpressure;
  known: KnownKeys;
  /** Null: the key's rate is not limited. */
  rateState: (key: ApiKey) => SendRateState | null;
  dialectOf: DialectOf;
  addresses: AddressLimiter;
  clock: Clock;
  recorder: Pick<RequestRecorder, "record">;
  log: Logger;
  metrics: { refused(code: string): void };
}

export function tooManyFromAddress(retryAfterS: number): Problem {
  return new Problem("rate_limit_exceeded", "Too many requests without a valid API key from this address.", {
    retryAfterS,
  });
}

/** Puts the load shedder before the API. */
export function shedLoad(api: RequestListener, parts: LoadShedderParts): RequestListener {
  const { backpressure, known, addresses, dialectOf } = parts;
  const reject = createReject(parts);
  return (req, res) => {
    if (req.headers.authorization === undefined) {
      if (isStatusPage(req)) return api(req, res);
      const taken = addresses.take(req);
      if (!taken.allowed) return reject({ req, res, problem: tooManyFromAddress(taken.retryAfterS), key: null });
    } else if (backpressure.isFull && req.method === "POST" && isSend(req, dialectOf)) {
      const key = known.get(req.headers.authorization);
      if (key !== undefined && backpressure.rejects(key.accountId))
        return reject({ req, res, problem: overloaded, key });
    }
    api(req, res);
  };
}

/** Requests that http/status counts itself. */
const isStatusPage = ({ method, url = "" }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") &&
  url.startsWith(STATUS_PATH) &&
  /^[^/?]+(?:\?|$)/.test(url.slice(STATUS_PATH.length));

const isSend = ({ url = "" }: IncomingMessage, dialectOf: LoadShedderParts["dialectOf"]): boolean =>
  dialectOf(url).sendPaths.has(url);

interface Rejected {
  req: IncomingMessage;
  res: ServerResponse;
  problem: Problem;
  key: ApiKey | null;
}

/** Responds as the API does, with all its header fields, its log line and its entry in the request log. */
function createReject(parts: LoadShedderParts): (rejected: Rejected) => void {
  const { rateState, dialectOf, clock, recorder, log, metrics } = parts;
  const lines = withoutRedaction(log);
  return ({ req, res, problem, key }) => {
    const { method = "", url = "" } = req;
    const { code } = problem;
    const { errors: form, rateHeaders } = dialectOf(url);
    const headers = key === null ? {} : rateHeaders(rateState(key));
    const { requestId, status } = answerBare({ req, res, problem, form, headers });
    metrics.refused(code);
    const path = loggedTarget(url);
    const keyId = key?.id;
    lines.info({ requestId, method, path, status, keyId, problem: code }, "request");
    if (isServicePath(path)) return;
    const request = {
      id: requestId,
      atMs: clock.now(),
      accountId: key?.accountId ?? null,
      keyId: keyId ?? null,
      method,
      path,
      status,
      code,
      durationMs: 0,
      messageId: null,
    };
    recorder.record(request, () => requestFault(problem));
  };
}

/**
 * What protects the endpoints of every API: the key and the permission that a request must have, the memory and the number of requests at a time,
 * and the pace of large responses. identify() in api.ts has looked the key up.
 */
import type { Context, Middleware } from "koa";
import type { AcceptBackpressure } from "../app/send/accept-backpressure.ts";
import { permissionRejection } from "../app/send/key-access.ts";
import type { Clock } from "../lib/clock.ts";
import type { MemoryStatus } from "../lib/memory-guard.ts";
import type { ResponsePacer } from "../lib/response-pacer.ts";
import { MIB } from "../lib/units.ts";
import type { ApiKey, Permission } from "../spool/port/api-keys.ts";
import type { Operation } from "./manage/operation.ts";
import { requirePermission } from "./manage/routes.ts";
import { ConcurrencyLimiter, type ConcurrencyLimits, SENDS } from "./overload/concurrency-limiter.ts";
import { overloaded } from "./overload/load-shedder.ts";
import { LONG_SENDS, LongSendLimiter } from "./overload/long-send-limiter.ts";
import { isShort } from "./read-messages.ts";
import { engineUnavailable, Problem, rejectionProblem } from "./response/problems.ts";

export interface GuardParts {
  backpressure: AcceptBackpressure;
  memory: Pick<MemoryStatus, "isLow" | "isExhausted">;
  pace: ResponsePacer;
  clock: Clock;
  /** Aborts shortly before the service ends. */
  ends: AbortSignal;
}

/** An endpoint. It is called with the key of the request. */
export type Endpoint = (ctx: Context, key: ApiKey) => Promise<void>;

/** Operations of the management interface at a time: some take seconds, and their bodies are short. */
const MANAGING: ConcurrencyLimits = { requests: 100, bytes: 8 * MIB };

/** Sent as Retry-After when too many responses are unread. */
export const UNREAD_RETRY_S = 5;

export class GuardedEndpoints {
  readonly #parts: GuardParts;
  readonly #sends = new ConcurrencyLimiter(SENDS);
  readonly #managing = new ConcurrencyLimiter(MANAGING);
  readonly #longSends: LongSendLimiter;

  constructor(parts: GuardParts) {
    this.#parts = parts;
    this.#longSends = new LongSendLimiter(LONG_SENDS, parts.clock);
    parts.ends.addEventListener("abort", () => this.#longSends.clear(), { once: true });
  }

  /** An endpoint that sends. */
  sending(endpoint: Endpoint): Middleware {
    const { backpressure, memory } = this.#parts;
    return (ctx) => {
      const key = keyOf(ctx, "send");
      if (backpressure.rejects(key.accountId)) throw overloaded;
      if (memory.isLow && (memory.isExhausted || !isShort(ctx))) throw outOfMemory();
      return (isShort(ctx) ? this.#sends : this.#longSends).run(ctx, key.accountId, () => endpoint(ctx, key));
    };
  }

  /** An operation of the management interface. */
  managing(operation: Pick<Operation, "permission">, endpoint: Endpoint): Middleware {
    return async (ctx) => {
      const key = validKeyOf(ctx);
      requirePermission(key, operation);
      if (this.#parts.memory.isExhausted) throw outOfMemory();
      await this.#paced(key);
      return this.#managing.run(ctx, key.accountId, () => endpoint(ctx, key));
    };
  }

  /** An endpoint that responds with as much as one message's report. */
  reading(endpoint: Endpoint): Middleware {
    return async (ctx) => endpoint(ctx, await this.#paced(keyOf(ctx, "read")));
  }

  /** An endpoint that changes a message, and responds with its report. */
  changing(endpoint: Endpoint): Middleware {
    const read = this.reading(endpoint);
    return (ctx, next) => {
      keyOf(ctx, "send");
      return read(ctx, next);
    };
  }

  /** An endpoint that responds with more. */
  listing(endpoint: Endpoint): Middleware {
    const read = this.reading(endpoint);
    return (ctx, next) => {
      if (this.#parts.memory.isExhausted) throw outOfMemory();
      return read(ctx, next);
    };
  }

  /** Resolves with the key once its account may have another response built. */
  async #paced(key: ApiKey): Promise<ApiKey> {
    if (await this.#parts.pace.ready(key.accountId)) return key;
    throw new Problem("rate_limit_exceeded", "Too many large responses for this account are waiting to be built.", {
      retryAfterS: UNREAD_RETRY_S,
    });
  }
}

const outOfMemory = (): Problem =>
  engineUnavailable("The service is short of memory. Retry with the same Idempotency-Key.");

/** Returns the key of a request. Throws the 401 or 403 problem, or the error of looking the key up. */
function keyOf(ctx: Context, permission: Permission): ApiKey {
  const key = validKeyOf(ctx);
  const rejection = permissionRejection(key, permission);
  if (rejection !== null) throw rejectionProblem(rejection);
  return key;
}

/** Throws the 401 problem, or the error of looking the key up. */
function validKeyOf({ state }: Context): ApiKey {
  const key: ApiKey | undefined = state.key;
  if (key === undefined) throw state.keyFault;
  return key;
}

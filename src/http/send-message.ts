/**
 * POST /api/sending/send: reads and validates the request, and maps the result of accepting it. What is accepted, and in
 * which order a submission is rejected, is decided by app/accept-message.ts.
 */
import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import type { AcceptMessage } from "../app/accept-message.ts";
import type { Clock } from "../lib/clock.ts";
import { pooledRandomBytes } from "../lib/random.ts";
import { randomToken } from "../message/ids.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import { type Drafts, SHORT_BYTES_MAX } from "./drafts.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { reserveMemory } from "./overload/concurrency-limiter.ts";
import { readJsonBytes } from "./request-body.ts";
import { rejectionProblem } from "./response/problems.ts";

export interface SendLimits {
  recipientsMax: number;
  /** Bytes of a request body. */
  messageBytesMax: number;
}

export interface SendParts {
  acceptMessage: Pick<AcceptMessage, "accept" | "rejectionOf">;
  drafts: Pick<Drafts, "read">;
  clock: Clock;
  limits: SendLimits;
}

/** Creates the endpoint. It is called with the key of the request. */
export function createSend({ acceptMessage, drafts, clock, limits }: SendParts) {
  return async function send(ctx: Context, key: ApiKey): Promise<void> {
    const idempotencyKey = readIdempotencyKey(idempotencyLines(ctx.req));
    const rejection = idempotencyKey === null && !isShort(ctx) ? acceptMessage.rejectionOf(key) : null;
    if (rejection !== null) throw rejectionProblem(rejection);
    const body = await readJsonBytes(ctx, { bytesMax: limits.messageBytesMax, clock });
    const receivedAtMs = clock.now();
    const draft = await drafts.read(key.accountId, body, {
      recipientsMax: limits.recipientsMax,
      token: randomToken(18, pooledRandomBytes),
      dateMs: receivedAtMs,
      boundary: pooledRandomBytes(15).toString("hex"),
      needsHash: idempotencyKey !== null,
    });
    const result = await acceptMessage.accept({
      accountId: key.accountId,
      keyId: key.id,
      draft,
      idempotencyKey,
      receivedAtMs,
      isRated: true,
      reserveMemory: (sizeBytes) => reserveMemory(ctx, sizeBytes),
    });
    if (result.type === "rejected") throw rejectionProblem(result);
    if (result.type === "replayed") ctx.set("Idempotency-Replayed", "true");
    ctx.state.messageId = result.id;
    ctx.status = 202;
    ctx.body = { id: result.id, state: "accepted" };
  };
}

/** Whether the body is announced, and short enough to be read at once. */
export const isShort = ({ request }: Context): boolean =>
  (request.length ?? Number.POSITIVE_INFINITY) <= SHORT_BYTES_MAX;

/** headersDistinct reads all header fields once more, so it is used only where the field is present. */
function idempotencyLines(req: IncomingMessage): string[] | undefined {
  return req.headers["idempotency-key"] === undefined ? undefined : req.headersDistinct["idempotency-key"];
}

/** Reads the messages of a request to send: its idempotency key, its body and their drafts. */
import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import type { Clock } from "../lib/clock.ts";
import { pooledRandomBytes } from "../lib/random.ts";
import { messageIdToken } from "../message/ids.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import type { DraftFormat } from "./draft-formats.ts";
import { type Drafts, type ReadDraft, SHORT_BYTES_MAX } from "./drafts.ts";
import { readIdempotencyKey } from "./request/idempotency.ts";
import { readJsonBytes } from "./request-body.ts";
import { rejectionProblem } from "./response/problems.ts";

interface SendLimits {
  /** Of one message. */
  recipientsMax: number;
  /** Bytes of a request body. */
  messageBytesMax: number;
}

export interface ReadParts {
  acceptMessage: Pick<AcceptMessage, "rejectionOf">;
  drafts: Pick<Drafts, "read">;
  clock: Clock;
  limits: SendLimits;
}

export interface MessagesRead {
  idempotencyKey: string | null;
  receivedAtMs: number;
  /** At least one. */
  drafts: ReadDraft[];
}

/** Throws a Problem where the request is invalid as a whole. */
export async function readMessages(
  ctx: Context,
  key: ApiKey,
  { acceptMessage, drafts, clock, limits, format }: ReadParts & { format: DraftFormat },
): Promise<MessagesRead> {
  const idempotencyKey = readIdempotencyKey(idempotencyLines(ctx.req));
  const rejection = idempotencyKey === null && !isShort(ctx) ? acceptMessage.rejectionOf(key) : null;
  if (rejection !== null) throw rejectionProblem(rejection);
  const body = await readJsonBytes(ctx, { bytesMax: limits.messageBytesMax, clock });
  const receivedAtMs = clock.now();
  const read = await drafts.read(key.accountId, body, {
    format,
    recipientsMax: limits.recipientsMax,
    token: messageIdToken(receivedAtMs, pooledRandomBytes),
    dateMs: receivedAtMs,
    boundary: pooledRandomBytes(15).toString("hex"),
    needsHash: idempotencyKey !== null,
  });
  return { idempotencyKey, receivedAtMs, drafts: read };
}

/** Whether the body is announced, and short enough to be read at once. */
export const isShort = ({ request }: Context): boolean =>
  (request.length ?? Number.POSITIVE_INFINITY) <= SHORT_BYTES_MAX;

/** headersDistinct reads all header fields once more, so it is used only where the field is present. */
function idempotencyLines(req: IncomingMessage): string[] | undefined {
  return req.headers["idempotency-key"] === undefined ? undefined : req.headersDistinct["idempotency-key"];
}

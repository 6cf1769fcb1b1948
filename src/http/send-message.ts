/**
 * Sending one message, in any format of a request: reads and validates the request, and maps the result of accepting it. What is
 * accepted, and in which order a submission is rejected, is decided by app/send/accept-message.ts. Its endpoint of Postrider's API is
 * POST /api/sending/send.
 */
import type { Context } from "koa";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import { type AcceptedDraft, type AcceptedLinks, acceptedView } from "./accepted-view.ts";
import type { DraftFormat } from "./draft-formats.ts";
import type { Endpoint } from "./guarded-endpoints.ts";
import { reserveMemory } from "./overload/concurrency-limiter.ts";
import { type ReadParts, readMessages } from "./read-messages.ts";
import { Problem, rejectionProblem } from "./response/problems.ts";

export interface SendParts extends ReadParts {
  acceptMessage: Pick<AcceptMessage, "accept" | "rejectionOf">;
}

/** Sends the message of a request. Resolves once it is accepted. Throws a Problem. */
export type Send = (ctx: Context, key: ApiKey) => Promise<AcceptedDraft>;

export function createSend(parts: SendParts, format: DraftFormat): Send {
  return async function send(ctx: Context, key: ApiKey): Promise<AcceptedDraft> {
    const { idempotencyKey, receivedAtMs, drafts } = await readMessages(ctx, key, { ...parts, format });
    const [draft] = drafts;
    if (draft === undefined) throw new Error("a request to send has no message");
    if (draft instanceof Problem) throw draft;
    const result = await parts.acceptMessage.accept({
      accountId: key.accountId,
      keyId: key.id,
      isTest: key.test,
      access: key,
      draft,
      idempotencyKey,
      clientKey: idempotencyKey,
      requestId: ctx.state.requestId,
      receivedAtMs,
      isRated: true,
      reserveMemory: (sizeBytes) => reserveMemory(ctx, sizeBytes),
    });
    if (result.type === "rejected") throw rejectionProblem(result);
    if (result.type === "replayed") ctx.set("Idempotency-Replayed", "true");
    ctx.state.messageId = result.id;
    return { id: result.id, draft };
  };
}

/** Creates the endpoint of Postrider's API. */
export function createSendEndpoint(parts: SendParts & { statusLinks: AcceptedLinks }): Endpoint {
  const send = createSend(parts, "postrider");
  return async (ctx, key) => {
    const accepted = await send(ctx, key);
    ctx.status = 202;
    ctx.body = acceptedView(accepted, parts.statusLinks);
  };
}

/**
 * Requests with an idempotency key that are sent again: the same one gets the same response within 24 hours, on every node. A response may
 * have a secret, so it is stored sealed. A request that is rejected is not stored.
 */
import { createHash } from "node:crypto";
import type { Context } from "koa";
import { readIdempotencyKey } from "../request/idempotency.ts";
import { Problem, problemFor } from "../response/problems.ts";
import type { ManageRequest, Operation } from "./operation.ts";

const TOO_MANY_RETRY_S = 3600;

interface Answer {
  body: unknown;
  isReplay: boolean;
}

/** Resolves with the body of the operation's response. The state of an endpoint that its entity tag covers. */
export async function runOnce(ctx: Context, operation: Operation, request: ManageRequest): Promise<Answer> {
  const isRepeatable = operation.method === "POST" && operation.accepts === undefined;
  const key = isRepeatable ? readIdempotencyKey(ctx.req.headersDistinct["idempotency-key"]) : null;
  if (key === null) return { body: await operation.run(request), isReplay: false };
  const { store, secrets } = request.parts;
  // Stored for each key separately: a response may have a secret that another key of the account could not have got.
  const named = { accountId: request.key.accountId, key: sha256(`${request.key.id} ${key}`) };
  const sealName = `response ${named.key}`;
  const begun = await store.beginRequest({ ...named, requestHash: hashOf(operation, request), nowMs: request.nowMs });
  switch (begun.type) {
    case "answered":
      return { body: JSON.parse(secrets.open(sealName, begun.sealed)), isReplay: true };
    case "reused":
      throw new Problem(
        "idempotency_key_reused",
        "This Idempotency-Key was used within 24 hours with another request.",
      );
    case "too_many":
      throw new Problem("rate_limit_exceeded", "The account has used too many idempotency keys within 24 hours.", {
        retryAfterS: TOO_MANY_RETRY_S,
      });
    case "in_progress": {
      const detail = "The same request is still in progress. Retry with the same Idempotency-Key.";
      throw new Problem("rate_limit_exceeded", detail, { retryAfterS: 1 });
    }
    case "begun":
  }
  try {
    const body = (await operation.run(request)) ?? null;
    await store.answerRequest(named, {
      status: operation.status,
      sealed: secrets.seal(sealName, JSON.stringify(body)),
    });
    return { body, isReplay: false };
  } catch (error) {
    // What is rejected has changed nothing. After any other error the outcome is unknown: the key stays in use until it expires.
    if (problemFor(error, operation.method).status < 500) await store.forgetRequest(named);
    throw error;
  }
}

function hashOf({ id }: Operation, { account, params, query, body }: ManageRequest): string {
  return sha256(JSON.stringify([id, account.id, params, query, body]));
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url");

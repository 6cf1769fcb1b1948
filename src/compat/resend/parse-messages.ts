/**
 * The way of Resend's requests from their bytes to drafts, as message/compose/draft.ts is that of Postrider's API's. Pure: it runs on the
 * thread that serves HTTP for short requests, and on their own thread for long ones.
 */
import {
  contextOf,
  type DraftOptions,
  type DraftResult,
  type DraftsResult,
  draftOf,
} from "../../message/compose/draft.ts";
import { BATCH_MAX, identityIn } from "../../message/compose/draft-batch.ts";
import { parseJson } from "../../message/send-request/json-text.ts";
import { encodeByteArrays } from "./byte-arrays.ts";
import { validateResendRequest } from "./send-request.ts";

/** Parses the body of POST /emails. */
export function parseResendMessage(body: Buffer, options: DraftOptions): DraftResult {
  const parsed = parseJson(encodeByteArrays(body));
  return parsed.type === "invalid" ? { type: "invalid", error: parsed } : draftResult(parsed.value, options);
}

/** Parses the body of POST /emails/batch. */
export function parseResendBatch(body: Buffer, options: DraftOptions): DraftsResult {
  const parsed = parseJson(encodeByteArrays(body));
  if (parsed.type === "invalid") return { type: "invalid", error: parsed };
  const { value } = parsed;
  if (!Array.isArray(value)) return invalidBody("The body must be a JSON array of messages.");
  if (value.length === 0) return invalidBody("The batch has no message.");
  if (value.length > BATCH_MAX) return invalidBody(`The batch has more than ${BATCH_MAX} messages.`);
  return { type: "parsed", drafts: value.map((message, i) => draftResult(message, identityIn(options, i))) };
}

function draftResult(message: unknown, options: DraftOptions): DraftResult {
  const validated = validateResendRequest(message, contextOf(options));
  if (validated.type === "invalid") return { type: "invalid", error: validated };
  return { type: "valid", draft: draftOf(validated.submission, options) };
}

function invalidBody(detail: string): DraftsResult {
  return { type: "invalid", error: { code: "invalid_request", errors: [{ field: "body", detail }] } };
}

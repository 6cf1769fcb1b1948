/**
 * The way of a request with several messages from its bytes to drafts: `{"messages": [...]}`, each a send request that may have an
 * idempotency key of its own. Pure, as draft.ts.
 */
import { createHash } from "node:crypto";
import { echo } from "../field-errors.ts";
import { messageIdToken } from "../ids.ts";
import { parseJson } from "../send-request/json-text.ts";
import { validateSendRequest } from "../send-request/send-request-validation.ts";
import { contextOf, type DraftOptions, type DraftResult, type DraftsResult, draftOf } from "./draft.ts";

/** Messages of one batch. */
export const BATCH_MAX = 100;

/** An idempotency key: printable ASCII. */
export const IDEMPOTENCY_KEY_PATTERN = "^[ -~]{1,256}$";
const IDEMPOTENCY_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** Parses and validates the body of a batch. A message that is not valid has its own errors. */
export function parseBatch(body: Buffer, options: DraftOptions): DraftsResult {
  const parsed = parseJson(body);
  if (parsed.type === "invalid") return { type: "invalid", error: parsed };
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return invalidField("body", "The body must be a JSON object.");
  const { messages, ...others } = value as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return invalidField(echo(unknown), "This field is unknown.");
  if (messages === undefined) return invalidField("messages", "This field is required.");
  if (!Array.isArray(messages)) return invalidField("messages", "This must be an array of messages.");
  if (messages.length === 0) return invalidField("messages", "The batch has no message.");
  if (messages.length > BATCH_MAX) return invalidField("messages", `The batch has more than ${BATCH_MAX} messages.`);
  return { type: "parsed", drafts: messages.map((message, i) => draftResult(message, identityIn(options, i))) };
}

/** The options of a message of a batch: it has a token that the others' do not reveal. */
export function identityIn(options: DraftOptions, index: number): DraftOptions {
  const own = createHash("sha256").update(`${options.token} ${index}`).digest();
  return { ...options, token: messageIdToken(options.dateMs, (sizeBytes) => own.subarray(0, sizeBytes)) };
}

function draftResult(message: unknown, options: DraftOptions): DraftResult {
  const { key, request } = splitKey(message);
  const isValid = key === null || (typeof key === "string" && IDEMPOTENCY_KEY.test(key));
  const validated = validateSendRequest(request, contextOf(options));
  const fault = { field: "idempotency_key", detail: "This must be 1 to 256 printable ASCII characters." };
  if (validated.type === "invalid") {
    return { type: "invalid", error: isValid ? validated : { ...validated, errors: [...validated.errors, fault] } };
  }
  if (!isValid) return { type: "invalid", error: { code: "invalid_request", errors: [fault] } };
  const draft = draftOf(validated.submission, options);
  return { type: "valid", draft: typeof key === "string" ? { ...draft, ownKey: key } : draft };
}

/** Null and absent mean the same. */
function splitKey(message: unknown): { key: unknown; request: unknown } {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return { key: null, request: message };
  const { idempotency_key: key = null, ...request } = message as Record<string, unknown>;
  return { key, request };
}

const invalidField = (field: string, detail: string): DraftsResult => ({
  type: "invalid",
  error: { code: "invalid_request", errors: [{ field, detail }] },
});

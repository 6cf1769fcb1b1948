/**
 * Sends the messages of one request; its endpoint of Postrider's API is POST /api/sending/batch. app/send/accept-batch.ts decides which are accepted, and which errors reject the whole request.
 */
import type { Context } from "koa";
import type { AcceptBatch } from "../app/send/accept-batch.ts";
import { type AcceptResult, sentWith } from "../app/send/accept-message.ts";
import { ERRORS_MAX } from "../message/field-errors.ts";
import type { ApiKey } from "../spool/port/api-keys.ts";
import { type AcceptedDraft, type AcceptedLinks, acceptedView } from "./accepted-view.ts";
import type { DraftFormat } from "./draft-formats.ts";
import type { ReadDraft } from "./drafts.ts";
import type { Endpoint } from "./guarded-endpoints.ts";
import { reserveMemory } from "./overload/concurrency-limiter.ts";
import { type ReadParts, readMessages } from "./read-messages.ts";
import { Problem, rejectionProblem } from "./response/problems.ts";

export interface BatchParts extends ReadParts {
  acceptBatch: Pick<AcceptBatch, "accept">;
}

/** What became of a message: its id and draft if it is accepted, or why it is not. */
export type BatchEntry = AcceptedDraft | { problem: Problem };

interface BatchOptions {
  /** Whether one message that is invalid, or may not be sent, rejects the whole request. */
  isStrict: boolean;
}

/**
 * Sends the messages of a request. Resolves with an entry for each once all are accepted or rejected. Throws a Problem if no
 * message is accepted, or if the batch is strict and one is not; that problem names the accepted ones.
 */
export type SendBatch = (ctx: Context, key: ApiKey, options: BatchOptions) => Promise<BatchEntry[]>;

export function createSendBatch(parts: BatchParts, format: DraftFormat): SendBatch {
  return async function sendBatch(ctx, key, { isStrict }) {
    const { drafts: read, ...request } = await readMessages(ctx, key, { ...parts, format });
    const invalid = isStrict ? invalidMessages(read) : null;
    if (invalid !== null) throw invalid;
    const result = await parts.acceptBatch.accept({
      ...request,
      ...sentWith(key),
      requestId: ctx.state.requestId,
      drafts: read.map((each) => (each instanceof Problem ? null : each)),
      isStrict,
      reserveMemory: (sizeBytes) => reserveMemory(ctx, sizeBytes),
    });
    if (result.type === "rejected") throw ofMessage(result.index, rejectionProblem(result.rejection));
    const { results } = result;
    if (isReplay(results)) ctx.set("Idempotency-Replayed", "true");
    const entries = read.map((each, i) => entryOf(each, results[i] ?? null));
    const failure = failureOf(entries, { isStrict, isIdempotent: request.idempotencyKey !== null });
    if (failure !== null) throw failure;
    return entries;
  };
}

/** Creates the endpoint of Postrider's API: each message has its own result. */
export function createBatchEndpoint(parts: BatchParts & { statusLinks: AcceptedLinks }): Endpoint {
  const sendBatch = createSendBatch(parts, "postrider_batch");
  return async (ctx, key) => {
    const entries = await sendBatch(ctx, key, { isStrict: false });
    ctx.status = 202;
    ctx.body = { messages: entries.map((entry) => entryView(entry, parts.statusLinks)) };
  };
}

function entryView(entry: BatchEntry, links: AcceptedLinks) {
  if ("id" in entry) return acceptedView(entry, links);
  const { status, code, message: detail, extras } = entry.problem;
  const { errors, retryAfterS } = extras;
  return {
    error: {
      status,
      code,
      detail,
      ...(errors === undefined ? {} : { errors }),
      ...(retryAfterS === undefined ? {} : { retry_after: retryAfterS }),
    },
  };
}

function entryOf(read: ReadDraft, result: AcceptResult | null): BatchEntry {
  if (read instanceof Problem) return { problem: read };
  if (result === null) throw new Error("a valid message of a batch has no result");
  return result.type === "rejected" ? { problem: rejectionProblem(result) } : { id: result.id, draft: read };
}

/** Whether every accepted message was accepted by an earlier request. */
function isReplay(results: readonly (AcceptResult | null)[]): boolean {
  const accepted = results.filter((result) => result !== null && result.type !== "rejected");
  return accepted.length > 0 && accepted.every((result) => result?.type === "replayed");
}

/** Returns one problem with the errors of all messages; null if all are valid. */
function invalidMessages(read: readonly ReadDraft[]): Problem | null {
  const problems = read.flatMap((each, index) => (each instanceof Problem ? [{ index, problem: each }] : []));
  const [first] = problems;
  if (first === undefined) return null;
  const errors = problems
    .flatMap(({ index, problem }) =>
      (problem.extras.errors ?? []).map(({ field, detail }) => ({ field: fieldIn(index, field), detail })),
    )
    .slice(0, ERRORS_MAX);
  // Without a field at fault: a message is too large.
  if (errors.length === 0) return ofMessage(first.index, first.problem);
  return new Problem("invalid_request", errors.map((e) => `${e.field}: ${e.detail}`).join(" "), { errors });
}

const fieldIn = (index: number, field: string): string => (field === "body" ? `[${index}]` : `[${index}].${field}`);

/** Returns the problem of a batch that one message causes. */
function ofMessage(index: number | null, { code, message, extras }: Problem): Problem {
  return new Problem(code, index === null ? message : `[${index}]: ${message}`, extras);
}

/** Returns the problem of a batch in which messages were rejected although they had passed all checks; null if there is none. */
function failureOf(
  entries: readonly BatchEntry[],
  { isStrict, isIdempotent }: { isStrict: boolean; isIdempotent: boolean },
): Problem | null {
  const failed = entries.flatMap((entry) => ("problem" in entry ? [entry.problem] : []));
  const isNoneAccepted = failed.length === entries.length;
  if (!isStrict) return isNoneAccepted ? (failed.find(isTemporary) ?? null) : null;
  const [first] = failed;
  if (first === undefined || isNoneAccepted) return first ?? null;
  const advice = isIdempotent
    ? "Repeat the batch with the same Idempotency-Key: those are not sent again."
    : "Do not send those again.";
  return new Problem(first.code, `${first.message} Already accepted: ${rangesOf(entries)}. ${advice}`, first.extras);
}

/** Whether the request may succeed later as it is. */
const isTemporary = ({ status }: Problem): boolean => status === 429 || status >= 500;

/** Names the accepted messages: `0 to 39, 41`. */
function rangesOf(entries: readonly BatchEntry[]): string {
  const accepted = entries.flatMap((entry, index) => ("id" in entry ? [index] : []));
  const ranges: [first: number, last: number][] = [];
  for (const index of accepted) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`)).join(", ");
}

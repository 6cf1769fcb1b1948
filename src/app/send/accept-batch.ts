/**
 * Accepts the messages of one request together. What decides about a single message (accept-message.ts) decides about each of
 * them; all checks that need no commit are made for all messages before the first is stored. Each message is a commit of its
 * own, so a quota that is used up, or a store that fails, can still end a batch in the middle.
 *
 * An idempotency key of the request identifies the whole batch: each message has a key derived from it, stored with the hash of all
 * messages. A message with its own key has that instead, as if it were sent without others.
 */

import type { Draft } from "../../message/compose/draft.ts";
import { withFields } from "../../message/content.ts";
import { jsonHash } from "../../message/send-request/json-hash.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import {
  type AcceptMessage,
  type AcceptRequest,
  type AcceptResult,
  COPIES,
  type Rejection,
  type RejectionCode,
  rateRejection,
  tooLargeWhenBuilt,
} from "./accept-message.ts";
import { InFlight } from "./in-flight.ts";
import type { SendRate } from "./send-rate.ts";

export interface BatchRequest
  extends Pick<
    AcceptRequest,
    "accountId" | "keyId" | "isTest" | "access" | "receivedAtMs" | "requestId" | "reserveMemory"
  > {
  /** In the order sent. Null for one that is not valid: it is not accepted, but keeps its place. */
  drafts: readonly (Draft | null)[];
  /** Null: the batch is not idempotent. */
  idempotencyKey: string | null;
  /** Whether a message that is known to be rejected rejects all. */
  isStrict: boolean;
}

export type BatchResult =
  /** Nothing was stored. `index`: the message that is rejected; null if the batch is as a whole. */
  | { type: "rejected"; index: number | null; rejection: Rejection }
  /** One result for each draft. Null for a null. */
  | { type: "settled"; results: (AcceptResult | null)[] };

export interface BatchParts {
  acceptMessage: Pick<AcceptMessage, "accept" | "preview">;
  rate: Pick<SendRate, "consume" | "expect" | "refund">;
  /** Bytes of a built message. */
  messageBytesMax: number;
}

/** A message of the batch that is valid. */
interface Entry {
  index: number;
  request: AcceptRequest;
}

/** Reasons that are not one message's. */
const OF_THE_WHOLE: ReadonlySet<RejectionCode> = new Set([
  "idempotency_key_reused",
  "permission_denied",
  "engine_unavailable",
]);

/** Separates the parts of a derived key. No client can send it within a key, so no other key equals a derived one. */
const SEPARATOR = "\x1f";

const CANNOT_STORE: Rejection = {
  type: "rejected",
  code: "engine_unavailable",
  detail: "The mail engine could not store this message.",
};

export class AcceptBatch {
  readonly #parts: BatchParts;
  readonly #inFlight = new InFlight<BatchResult>();

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  /** Rejects with SpoolUnavailable if nothing could be stored, and with the errors of `reserveMemory`. */
  async accept(batch: BatchRequest): Promise<BatchResult> {
    const { accountId, isTest, idempotencyKey, drafts } = batch;
    if (idempotencyKey === null) return this.#acceptOnce(batch, null);
    const hash = jsonHash(drafts.map((draft) => draft?.payloadHash() ?? null));
    // A test batch must not answer for a live one with the same key.
    const name = `${accountId} ${isTest ? "test" : "live"} ${idempotencyKey}`;
    const { joined, outcome } = await this.#inFlight.share(name, hash, () => this.#acceptOnce(batch, hash));
    return joined ? asReplay(outcome) : outcome;
  }

  async #acceptOnce(batch: BatchRequest, hash: string | null): Promise<BatchResult> {
    const { acceptMessage, rate } = this.#parts;
    const key = { id: batch.keyId, accountId: batch.accountId };
    rate.expect(key);
    const entries = entriesOf(batch, hash);
    const previews = await Promise.all(entries.map(({ request }) => acceptMessage.preview(request)));
    const results = resultsOf(batch, entries, previews);
    const rejected = rejectionOf(results, batch);
    if (rejected !== null) return rejected;
    const fresh = entries.filter((_, i) => previews[i] === null);
    if (fresh.length === 0) return { type: "settled", results };
    const limited = rateRejection(await rate.consume(key, fresh.length));
    if (limited !== null) return { type: "rejected", index: null, rejection: limited };
    let accepted = 0;
    try {
      const outcome = await this.#storeAll(fresh, batch, results);
      if (outcome.type === "settled") {
        accepted = fresh.filter(({ index }) => outcome.results[index]?.type === "accepted").length;
      }
      return outcome;
    } finally {
      for (let i = accepted; i < fresh.length; i += 1) rate.refund(key);
    }
  }

  /** Builds and stores the messages. `results` has those of the others. */
  async #storeAll(
    fresh: readonly Entry[],
    batch: BatchRequest,
    results: (AcceptResult | null)[],
  ): Promise<BatchResult> {
    const { messageBytesMax } = this.#parts;
    const built = fresh.map(({ index, request }) => ({
      index,
      request: { ...request, draft: withContent(request.draft) },
    }));
    const isTooLarge = ({ request }: Entry): boolean => request.draft.content().bytes.length > messageBytesMax;
    for (const { index } of built.filter(isTooLarge)) results[index] = tooLargeWhenBuilt(messageBytesMax);
    const rejected = rejectionOf(results, batch);
    if (rejected !== null) return rejected;
    const stored = built.filter((entry) => !isTooLarge(entry));
    const sizeBytes = stored.reduce((sum, { request }) => sum + request.draft.content().bytes.length, 0);
    // For all of them at once: the limit must not be reached between two messages.
    batch.reserveMemory?.(COPIES * sizeBytes);
    const outcomes = await Promise.allSettled(stored.map(({ request }) => this.#parts.acceptMessage.accept(request)));
    const ends = settledResults(outcomes);
    for (const [i, { index }] of stored.entries()) results[index] = ends[i] ?? null;
    return { type: "settled", results };
  }
}

function entriesOf(batch: BatchRequest, hash: string | null): Entry[] {
  const { accountId, keyId, isTest, access, receivedAtMs, idempotencyKey, drafts } = batch;
  const origin = batch.requestId === undefined ? {} : { requestId: batch.requestId };
  const requestOf = (own: Draft, index: number): AcceptRequest => {
    const derivedKey = hash === null ? null : ["batch", index, idempotencyKey].join(SEPARATOR);
    const { ownKey = null } = own;
    const draft = hash === null || ownKey !== null ? own : { ...own, payloadHash: () => hash };
    // The rate is consumed for all of them together.
    return {
      accountId,
      keyId,
      isTest,
      access,
      receivedAtMs,
      isRated: false,
      draft,
      idempotencyKey: ownKey ?? derivedKey,
      ...origin,
      clientKey: ownKey ?? idempotencyKey,
    };
  };
  return drafts.flatMap((draft, index) => (draft === null ? [] : [{ index, request: requestOf(draft, index) }]));
}

/** Composing a short message again would cost as much as the first time. */
function withContent(draft: Draft): Draft {
  const content = draft.content();
  return { ...draft, content: (fields = "") => withFields(content, fields) };
}

function resultsOf(
  { drafts }: BatchRequest,
  entries: readonly Entry[],
  previews: readonly (AcceptResult | null)[],
): (AcceptResult | null)[] {
  const results = drafts.map((): AcceptResult | null => null);
  for (const [i, { index }] of entries.entries()) results[index] = previews[i] ?? null;
  return results;
}

/** Returns the rejection of the batch before anything is stored; null if it goes on. */
function rejectionOf(
  results: readonly (AcceptResult | null)[],
  { drafts, isStrict }: Pick<BatchRequest, "drafts" | "isStrict">,
): (BatchResult & { type: "rejected" }) | null {
  const rejections = results.flatMap((result, index) =>
    result?.type === "rejected" ? [{ type: "rejected" as const, index, rejection: result }] : [],
  );
  const whole = rejections.find(({ index, rejection }) => {
    const isOwn = rejection.code === "idempotency_key_reused" && drafts[index]?.ownKey !== undefined;
    return OF_THE_WHOLE.has(rejection.code) && !isOwn;
  });
  if (whole !== undefined) return { ...whole, index: null };
  return isStrict ? (rejections[0] ?? null) : null;
}

/** Throws an unexpected error, and the store's if no message was stored. */
function settledResults(outcomes: readonly PromiseSettledResult<AcceptResult>[]): AcceptResult[] {
  const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  const unexpected = errors.find((error) => !(error instanceof SpoolUnavailable));
  if (unexpected !== undefined) throw unexpected;
  if (errors.length === outcomes.length && errors.length > 0) throw errors[0];
  return outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : CANNOT_STORE));
}

function asReplay(outcome: BatchResult): BatchResult {
  if (outcome.type === "rejected") return outcome;
  const replayed = (result: AcceptResult | null): AcceptResult | null =>
    result?.type === "accepted" ? { type: "replayed", id: result.id } : result;
  return { type: "settled", results: outcome.results.map(replayed) };
}

/**
 * POST /api/sending/send: from a request to a durable message. The order of refusals is the order of `send` below;
 * nothing is counted and nothing is stored before all of them have passed.
 */
import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import type { Clock } from "../lib/clock.ts";
import { smallRandom } from "../lib/random.ts";
import type { Mailbox } from "../message/address.ts";
import type { Draft, DraftHead } from "../message/draft.ts";
import { messageId as newMessageId, randomToken } from "../message/ids.ts";
import type { ApiKey, Registry } from "../spool/port/accounts.ts";
import type { NewMessage, NewRecipient } from "../spool/port/mail.ts";
import type { Spool } from "../spool/port/spool.ts";
import { type Drafts, SHORT_BYTES_MAX, tooLargeWhenBuilt } from "./drafts.ts";
import { InFlight, readIdempotencyKey } from "./idempotency.ts";
import { reserveMemory } from "./overload/concurrency-limiter.ts";
import type { RateLimiter, Taken } from "./overload/rate-limit.ts";
import { readJsonBytes } from "./request-body.ts";
import { engineUnavailable, Problem } from "./response/problems.ts";
import { coveringDomain } from "./sender.ts";

export interface SendLimits {
  recipientsMax: number;
  /** Of a request, and of the message built of it, where a file in base64 takes more room for its line breaks. */
  messageBytesMax: number;
  quotaDaily: number;
  /** Refusals as not existing, some time apart, that suppress an address; 0 for never. */
  suppressAfter: number;
  /** How long after acceptance a recipient may wait before it is failed. */
  maxAgeMs: number;
}

export interface SendParts {
  spool: Pick<Spool, "accept" | "idempotencyRecord">;
  registry: Registry;
  drafts: Pick<Drafts, "read">;
  rate: RateLimiter;
  clock: Clock;
  limits: SendLimits;
  /** Why nothing can be accepted at the moment, or null. */
  refusal: () => string | null;
  /** Told of each message before it is stored; it may still come to nothing. */
  storing: (message: NewMessage) => void;
}

interface Answer {
  id: string;
  replayed: boolean;
}

/** The endpoint, for a request whose key is known already. */
export function createSend(parts: SendParts): (ctx: Context, key: ApiKey) => Promise<void> {
  const inFlight = new InFlight<Answer>();

  return async function send(ctx, key) {
    const idempotencyKey = readIdempotencyKey(idempotencyLines(ctx.req));
    if (idempotencyKey === null && !isShort(ctx)) refuseUnread(parts, key);
    const body = await readJsonBytes(ctx, parts.limits.messageBytesMax);
    const nowMs = parts.clock.now();
    const draft = await parts.drafts.read(key.accountId, body, {
      recipientsMax: parts.limits.recipientsMax,
      token: randomToken(18, smallRandom),
      dateMs: nowMs,
      boundary: smallRandom(15).toString("hex"),
    });
    const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, payloadHash: draft.payloadHash() };
    const reserve = (sizeBytes: number): void => reserveMemory(ctx, sizeBytes);
    const sending = (): Promise<Answer> => sendOnce(parts, { key, draft, idempotency, nowMs, reserve });

    const { joined, answer } =
      idempotency === null
        ? { joined: false, answer: await sending() }
        : await inFlight.share(`${key.accountId} ${idempotency.key}`, idempotency.payloadHash, sending);
    if (joined || answer.replayed) ctx.set("Idempotency-Replayed", "true");
    ctx.state.messageId = answer.id;
    ctx.status = 202;
    ctx.body = { id: answer.id, state: "accepted" };
  };
}

/** Whether a request's body is announced, and short enough to be read at once. */
export const isShort = ({ request }: Context): boolean =>
  (request.length ?? Number.POSITIVE_INFINITY) <= SHORT_BYTES_MAX;

/** Throws what a long request without an Idempotency-Key would be answered with whatever its body says. */
function refuseUnread({ refusal, rate, clock }: SendParts, key: ApiKey): void {
  const reason = refusal();
  if (reason !== null) throw engineUnavailable(reason);
  requireToken(rate.look(key, clock.monotonicMs()));
}

/** For headersDistinct Node reads all fields once more. */
function idempotencyLines(req: IncomingMessage): string[] | undefined {
  return req.headers["idempotency-key"] === undefined ? undefined : req.headersDistinct["idempotency-key"];
}

interface Sending {
  key: ApiKey;
  draft: Draft;
  idempotency: { key: string; payloadHash: string } | null;
  nowMs: number;
  /** Reserves memory until the request ends; throws where there is none. */
  reserve: (sizeBytes: number) => void;
}

async function sendOnce(parts: SendParts, sending: Sending): Promise<Answer> {
  const { spool, registry, rate } = parts;
  const { key, draft, idempotency, nowMs } = sending;
  if (idempotency !== null) {
    const earlier = await spool.idempotencyRecord(key.accountId, idempotency.key, nowMs);
    if (earlier !== null && earlier.payloadHash !== idempotency.payloadHash) throw keyReused();
    if (earlier !== null) return { id: earlier.id, replayed: true };
  }
  const domain = await coveringDomain(registry, key.accountId, draft.head.from.domain);
  const refusal = parts.refusal();
  if (refusal !== null) throw engineUnavailable(refusal);
  requireToken(rate.take(key, parts.clock.monotonicMs()));
  let accepted = false;
  try {
    const answer = await store(parts, sending, domain.id);
    accepted = !answer.replayed;
    return answer;
  } finally {
    if (!accepted) rate.giveBack(key);
  }
}

/** While a message is stored, its content lies in memory twice: here, and on its way to the writer. */
const COPIES = 2;

/** Builds the message and commits it. */
async function store(
  { spool, limits, storing }: SendParts,
  { key, draft, idempotency, nowMs, reserve }: Sending,
  domainId: string,
): Promise<Answer> {
  const { head, messageId } = draft;
  const content = draft.content();
  if (content.length > limits.messageBytesMax) throw tooLargeWhenBuilt(limits.messageBytesMax);
  reserve(COPIES * content.length);
  const message: NewMessage = {
    id: newMessageId(nowMs, smallRandom),
    accountId: key.accountId,
    keyId: key.id,
    domainId,
    createdAtMs: nowMs,
    ...timesOf(head, nowMs, limits),
    from: head.from.address,
    subject: head.subject,
    messageId,
    recipients: recipientsOf(head),
    content,
    ...notesOf(head),
    idempotency,
    quotaDaily: limits.quotaDaily,
    suppressAfter: limits.suppressAfter,
  };
  storing(message);
  const acceptance = await spool.accept(message);
  switch (acceptance.type) {
    case "accepted":
      return { id: acceptance.id, replayed: false };
    case "replayed":
      return { id: acceptance.id, replayed: true };
    case "idempotency_key_reused":
      throw keyReused();
    case "quota_exceeded":
      throw new Problem("quota_exceeded", "The account's daily quota of recipients is used up.", {
        retryAfterS: secondsToMidnight(nowMs),
      });
  }
}

/** When it is too late for a recipient: with a limit of the sender's own, no attempt is begun from then on. */
function timesOf(
  { expiresInMs }: DraftHead,
  nowMs: number,
  { maxAgeMs }: SendLimits,
): Pick<NewMessage, "expiresAtMs" | "deadlineMs"> {
  if (expiresInMs === undefined) return { expiresAtMs: nowMs + maxAgeMs };
  return { expiresAtMs: nowMs + Math.min(maxAgeMs, expiresInMs), deadlineMs: nowMs + expiresInMs };
}

function recipientsOf({ to, cc = [], bcc = [] }: DraftHead): NewRecipient[] {
  const as = (field: "cc" | "bcc", { address, domain }: Mailbox) => ({ email: address, domain, field });
  return [
    ...to.map(({ address, domain }) => ({ email: address, domain })),
    ...cc.map((mailbox) => as("cc", mailbox)),
    ...bcc.map((mailbox) => as("bcc", mailbox)),
  ];
}

function notesOf({ tags, metadata }: DraftHead): Pick<NewMessage, "tags" | "metadata"> {
  return { ...(tags === undefined ? {} : { tags }), ...(metadata === undefined ? {} : { metadata }) };
}

/** Throws unless a token was taken. */
function requireToken(taken: Taken): void {
  if (taken.allowed) return;
  const whose = taken.empty === "key" ? "This key sends" : "The keys of this account together send";
  throw new Problem("rate_limit_exceeded", `${whose} faster than the rate allows.`, {
    retryAfterS: taken.retryAfterS,
  });
}

const keyReused = (): Problem =>
  new Problem("idempotency_key_reused", "This Idempotency-Key was used within 24 hours with another payload.");

const DAY_MS = 86_400_000;

/** Quota days are UTC days. */
function secondsToMidnight(nowMs: number): number {
  return Math.max(1, Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000));
}

/**
 * POST /api/sending/send: from a request to a durable message. The order of refusals is the order of `send` below;
 * nothing is counted and nothing is stored before all of them have passed.
 */
import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import type { Clock } from "../clock.ts";
import type { Mailbox } from "../message/address.ts";
import { compose } from "../message/compose.ts";
import { messageId as newMessageId, randomToken } from "../message/ids.ts";
import { payloadHash, readSubmission, type Submission } from "../message/submission.ts";
import { smallRandom } from "../random.ts";
import type { ApiKey, Registry } from "../spool/registry.ts";
import type { NewMessage, NewRecipient, Spool } from "../spool/spool.ts";
import { InFlight, readIdempotencyKey } from "./idempotency.ts";
import { engineUnavailable, Problem } from "./problems.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { readJson } from "./request-body.ts";
import { coveringDomain } from "./sender.ts";

export interface SendLimits {
  recipientsMax: number;
  /** Of a request, and of the message built of it, where a file in base64 takes more room for its line breaks. */
  messageBytesMax: number;
  quotaDaily: number;
  /** Refusals as not existing that suppress an address; 0 for never. */
  suppressAfter: number;
  /** How long after acceptance a recipient may wait before it is failed. */
  maxAgeMs: number;
}

export interface SendParts {
  spool: Pick<Spool, "accept" | "remembered">;
  registry: Registry;
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
    const body = await readJson(ctx, parts.limits.messageBytesMax);
    const idempotencyKey = readIdempotencyKey(idempotencyLines(ctx.req));
    const submission = validate(body, parts.limits);
    const idempotency = idempotencyKey === null ? null : { key: idempotencyKey, payloadHash: payloadHash(submission) };
    const sending = (): Promise<Answer> => sendOnce(parts, { key, submission, idempotency });

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

/** For headersDistinct Node reads all fields once more. */
function idempotencyLines(req: IncomingMessage): string[] | undefined {
  return req.headers["idempotency-key"] === undefined ? undefined : req.headersDistinct["idempotency-key"];
}

function validate(body: unknown, limits: SendLimits): Submission {
  const read = readSubmission(body, { recipientsMax: limits.recipientsMax });
  if (read.type === "valid") return read.submission;
  const detail = read.errors.map((e) => `${e.field}: ${e.detail}`).join(" ");
  throw new Problem(read.code, detail, { errors: read.errors });
}

interface Sending {
  key: ApiKey;
  submission: Submission;
  idempotency: { key: string; payloadHash: string } | null;
}

async function sendOnce(parts: SendParts, sending: Sending): Promise<Answer> {
  const { spool, registry, clock, rate } = parts;
  const { key, submission, idempotency } = sending;
  const nowMs = clock.now();
  if (idempotency !== null) {
    const earlier = await spool.remembered(key.accountId, idempotency.key, nowMs);
    if (earlier !== null && earlier.payloadHash !== idempotency.payloadHash) throw keyReused();
    if (earlier !== null) return { id: earlier.id, replayed: true };
  }
  const domain = await coveringDomain(registry, key.accountId, submission.from.domain);
  const refusal = parts.refusal();
  if (refusal !== null) throw engineUnavailable(refusal);
  takeToken(parts, key, nowMs);
  let accepted = false;
  try {
    const answer = await store(parts, sending, { domainId: domain.id, nowMs });
    accepted = !answer.replayed;
    return answer;
  } finally {
    if (!accepted) rate.giveBack(key);
  }
}

/** Builds the message and commits it. */
async function store(
  { spool, limits, storing }: SendParts,
  { key, submission, idempotency }: Sending,
  { domainId, nowMs }: { domainId: string; nowMs: number },
): Promise<Answer> {
  const id = newMessageId(nowMs, smallRandom);
  const messageId = `<${randomToken(18, smallRandom)}@${submission.from.domain}>`;
  const boundary = smallRandom(15).toString("hex");
  const content = compose(submission, { messageId, date: new Date(nowMs), boundary });
  if (content.length > limits.messageBytesMax) {
    throw new Problem("body_too_large", `The message is larger than ${limits.messageBytesMax} bytes when built.`);
  }
  const message: NewMessage = {
    id,
    accountId: key.accountId,
    keyId: key.id,
    domainId,
    createdAtMs: nowMs,
    ...timesOf(submission, nowMs, limits),
    from: submission.from.address,
    subject: submission.subject,
    messageId,
    recipients: recipientsOf(submission),
    content,
    ...notesOf(submission),
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
  { expiresInMs }: Submission,
  nowMs: number,
  { maxAgeMs }: SendLimits,
): Pick<NewMessage, "expiresAtMs" | "deadlineMs"> {
  if (expiresInMs === undefined) return { expiresAtMs: nowMs + maxAgeMs };
  return { expiresAtMs: nowMs + Math.min(maxAgeMs, expiresInMs), deadlineMs: nowMs + expiresInMs };
}

function recipientsOf({ to, cc = [], bcc = [] }: Submission): NewRecipient[] {
  const as = (field: "cc" | "bcc", { address, domain }: Mailbox) => ({ email: address, domain, field });
  return [
    ...to.map(({ address, domain }) => ({ email: address, domain })),
    ...cc.map((mailbox) => as("cc", mailbox)),
    ...bcc.map((mailbox) => as("bcc", mailbox)),
  ];
}

function notesOf({ tags, metadata }: Submission): Pick<NewMessage, "tags" | "metadata"> {
  return { ...(tags === undefined ? {} : { tags }), ...(metadata === undefined ? {} : { metadata }) };
}

function takeToken({ rate }: SendParts, key: ApiKey, nowMs: number): void {
  const taken = rate.take(key, nowMs);
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

/**
 * Fills a spool with delivered messages and with messages that wait for their next attempt, as months of operation
 * would. Uses the spool's port, so each row is as the service writes it.
 */
import { randomBytes } from "node:crypto";
import { compose } from "../src/message/compose/compose.ts";
import type { Content } from "../src/message/content.ts";
import { messageId as newMessageId } from "../src/message/ids.ts";
import type { HostAttempt, SmtpRecord } from "../src/message/result/outcome.ts";
import { validateSendRequest } from "../src/message/send-request/send-request-validation.ts";
import type { NewMessage, Settlement } from "../src/spool/port/mail.ts";
import type { Spool } from "../src/spool/port/spool.ts";
import { openStore } from "./sides/open-store.ts";
import type { Account } from "./sides/postrider-account.ts";
import { ADDRESSES, BODY_BYTES } from "./sides/side.ts";

export interface Filling {
  finished: number;
  waiting: number;
}

const HOUR_MS = 3_600_000;
/** Finished messages are spread over this time before now. */
const FINISHED_OVER_MS = 144 * HOUR_MS;
/** Waiting messages had one attempt and are due within this range from now, after the benchmark. */
const DUE_FROM_MS = 24 * HOUR_MS;
const DUE_TO_MS = 47 * HOUR_MS;
const EXPIRES_MS = 48 * HOUR_MS;
const DOMAINS = 1000;
const AT_ONCE = 4000;

/** Adds the messages to the account's spool. No service may use the spool meanwhile. */
export async function fillSpool(account: Account, { finished, waiting }: Filling, progress: (line: string) => void) {
  const spool = await openStore(account, "service");
  const content = await fillerContent();
  const total = finished + waiting;
  for (let from = 0; from < total; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, total - from) }, (_, i) => from + i);
    const messages = numbers.map((n) => fillerMessage(account, { content, n, finished }));
    await Promise.all(messages.map(({ message }) => accept(spool, message)));
    await settleAll(spool, new Map(messages.map(({ message, settlement }) => [message.id, settlement])));
    if (from % (AT_ONCE * 25) === 0) progress(`filling a spool: ${from} of ${total}`);
  }
  await spool.close();
}

/** The stored form of a website's 4 KB message. */
export async function fillerContent(): Promise<Content> {
  const { sender: from, recipientDomain } = ADDRESSES;
  const text = "The quick brown fox jumps over the lazy dog, 0123456789 times or so.\n".repeat(BODY_BYTES / 69 + 1);
  const body = { from, to: `someone@${recipientDomain}`, subject: "Your order is on its way", text };
  const read = validateSendRequest(body, { recipientsMax: 1 });
  if (read.type !== "valid") throw new Error("the filler's message is invalid");
  const messageId = `<filler@${ADDRESSES.senderDomain}>`;
  return compose(read.submission, { messageId, date: new Date(), boundary: "filler" });
}

/** Whose messages they are. */
export type FillerAccount = Pick<Account, "accountId" | "keyId" | "domainId">;

interface Filler {
  content: Content;
  /** Counts from 0; messages below `finished` are delivered, the others wait. */
  n: number;
  finished: number;
}

function fillerMessage(
  account: Account,
  { content, n, finished }: Filler,
): { message: NewMessage; settlement: Settlement } {
  const nowMs = Date.now();
  const isFinished = n < finished;
  const createdAtMs = isFinished ? nowMs - Math.floor(FINISHED_OVER_MS * (1 - n / finished)) : nowMs - HOUR_MS;
  const domain = isFinished ? ADDRESSES.recipientDomain : `waiting${n % DOMAINS}.example`;
  const message = newFillerMessage(account, { createdAtMs, email: `person${n}@${domain}`, domain, content });
  return { message, settlement: isFinished ? deliveredTo(domain) : deferred(domain, nowMs) };
}

async function accept(spool: Spool, message: NewMessage): Promise<void> {
  const accepted = await spool.accept(message);
  if (accepted.type !== "accepted") throw new Error(`the filler's message was not accepted: ${accepted.type}`);
}

/** Claims what is due, and settles each message a second after its acceptance. */
async function settleAll(spool: Spool, settlements: Map<string, Settlement>): Promise<void> {
  const request = { limit: AT_ONCE, perDomain: AT_ONCE, allowance: {} };
  for (let left = settlements.size; left > 0; ) {
    const { jobs } = await spool.claim({ ...request, nowMs: Date.now() });
    if (jobs.length === 0) throw new Error(`${left} of the filler's messages are not due`);
    left -= jobs.length;
    await Promise.all(
      jobs.map(({ messageId, createdAtMs, lease }) => {
        const settlement = settlements.get(messageId);
        if (settlement === undefined) throw new Error(`${messageId} is not the filler's message`);
        return spool.settle(messageId, createdAtMs + 1000, [settlement], lease);
      }),
    );
  }
}

export function newFillerMessage(
  { accountId, keyId, domainId }: FillerAccount,
  { createdAtMs, email, domain, content }: { createdAtMs: number; email: string; domain: string; content: Content },
): NewMessage {
  const id = newMessageId(createdAtMs, randomBytes);
  return {
    id,
    accountId,
    keyId,
    domainId,
    createdAtMs,
    expiresAtMs: createdAtMs + EXPIRES_MS,
    from: ADDRESSES.sender,
    subject: "Your order is on its way",
    messageId: `<${id}@${ADDRESSES.senderDomain}>`,
    recipients: [{ email, domain }],
    content: content.bytes,
    bodyHash: content.bodyHash,
    idempotency: null,
    quotaDaily: 0,
    suppressAfter: 3,
  };
}

function attemptOf(domain: string, code: number, message: string): { attempted: HostAttempt; smtp: SmtpRecord } {
  const [mx, ip] = [`mx.${domain}`, ADDRESSES.sink.host];
  const reply = { code, enhanced_code: null, message };
  const attempted: HostAttempt = {
    mx,
    ip,
    tls: null,
    stage: code < 400 ? "final_dot" : "rcpt",
    reply,
    error: null,
    note: null,
    policy: "none",
  };
  return { attempted, smtp: { ...reply, mx, ip, tls: null } };
}

export function deliveredTo(domain: string): Settlement {
  const { attempted, smtp } = attemptOf(domain, 250, "2.0.0 Ok: queued as 4WzFkR3vZzz4Y");
  const shared = { position: 0, nextAttemptAtMs: null, reason: null, category: null, smtp, tries: [attempted] };
  return { ...shared, result: "delivered", outcome: "delivered" };
}

function deferred(domain: string, nowMs: number): Settlement {
  const { attempted, smtp } = attemptOf(domain, 451, "4.7.1 Greylisted, please try again later");
  const nextAttemptAtMs = nowMs + DUE_FROM_MS + Math.floor(Math.random() * (DUE_TO_MS - DUE_FROM_MS));
  const why = { reason: "temporarily_refused", category: "greylisted" as const };
  return { position: 0, nextAttemptAtMs, ...why, smtp, tries: [attempted], result: "pending", outcome: "deferred" };
}

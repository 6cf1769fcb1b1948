/**
 * Accepts a message: the only use case that writes mail to the spool. Every way in (HTTP, the dashboard's test message, SMTP
 * submission) validates its own format, calls this and maps the result. The order of the checks in `accept` is the order of
 * rejections. A rejected message leaves nothing behind: its token of the sending rate is refunded, and the quota is counted in
 * the commit.
 */

import type { Clock } from "../../lib/clock.ts";
import { pooledRandomBytes } from "../../lib/random.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { Mailbox } from "../../message/address.ts";
import type { Draft, DraftSummary } from "../../message/compose/draft.ts";
import { feedbackIdField, hasFeedbackId } from "../../message/compose/feedback-id.ts";
import { bodyStart, type Content, HEADER_OCTETS_MAX } from "../../message/content.ts";
import { messageId as newMessageId } from "../../message/ids.ts";
import { unsubscribeFields } from "../../message/send-request/unsubscribe-fields.ts";
import { testRouteOf } from "../../message/test-route.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { ApiKey, KeyAccess } from "../../spool/port/api-keys.ts";
import type { SignAhead } from "../../spool/port/hints.ts";
import type { Acceptance, NewMessage, NewRecipient } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { STATUS_PAGES_ARE_OFF, type StatusLinks } from "../status/status-links.ts";
import type { AcceptBackpressure } from "./accept-backpressure.ts";
import { InFlight } from "./in-flight.ts";
import { type PermissionRejection, permissionRejection } from "./key-access.ts";
import type { RatedKey, SendRate, TokenResult } from "./send-rate.ts";
import { sendingDomain } from "./sending-domain.ts";
import type { UnsubscribeLinks } from "./unsubscribe-links.ts";

/** A validated message, ready to be accepted. */
export interface AcceptRequest {
  accountId: string;
  /** The API key, or the name of the way in where there is no key. */
  keyId: string;
  /** Whether the key is a test key: the message then goes to the sink inside the service, and uses no quota. */
  isTest: boolean;
  /** What the key may do; FULL_ACCESS where there is no key. */
  access: Pick<KeyAccess, "permissions" | "domains">;
  draft: Draft;
  /** Null: the request is not idempotent. */
  idempotencyKey: string | null;
  /** The idempotency key as the client wrote it, which a user can look up; absent or null if it gave none. */
  clientKey?: string | null;
  /** The id of the request that brings the message. */
  requestId?: string;
  /** When the request arrived, milliseconds since the epoch. */
  receivedAtMs: number;
  /** False: the request consumes no token of the sending rate. */
  isRated: boolean;
  /** Reserves memory until the caller's request ends. Its error, if it throws one, reaches the caller. */
  reserveMemory?: (sizeBytes: number) => void;
}

export type RejectionCode =
  | "invalid_request"
  | "invalid_api_key"
  | PermissionRejection["code"]
  | "sender_not_allowed"
  | "domain_not_verified"
  | "engine_unavailable"
  | "rate_limit_exceeded"
  | "quota_exceeded"
  | "idempotency_key_reused"
  | "body_too_large";

/** `retryAfterS`: whole seconds, at least 1, where the time is known. */
export interface Rejection {
  type: "rejected";
  code: RejectionCode;
  detail: string;
  retryAfterS?: number;
}

/** The part of a request that the API key decides. */
export const sentWith = (key: ApiKey): Pick<AcceptRequest, "accountId" | "keyId" | "isTest" | "access"> => ({
  accountId: key.accountId,
  keyId: key.id,
  isTest: key.test,
  access: key,
});

/** `accepted` and `replayed` mean that the message is on disk. */
export type AcceptResult = { type: "accepted"; id: string } | { type: "replayed"; id: string } | Rejection;

export interface AcceptLimits {
  /** Bytes of a built message. */
  messageBytesMax: number;
  /** Recipients of an account in a UTC day; 0 for no limit. */
  quotaDaily: number;
  /** Refusals of an address as unknown, some time apart, that suppress it; 0 for never. */
  suppressAfter: number;
  /** How long after acceptance a recipient may be pending. */
  maxAgeMs: number;
}

export interface AcceptParts {
  spool: Pick<Spool, "accept" | "idempotencyRecord">;
  registry: Pick<Registry, "domainNamed">;
  accounts: Pick<Registry, "hasStatusPages">;
  rate: SendRate;
  backpressure: Pick<AcceptBackpressure, "wait">;
  signAhead: SignAhead;
  unsubscribe: Pick<UnsubscribeLinks, "fault" | "linkFor">;
  statusLinks: Pick<StatusLinks, "fault">;
  /** The last identifier of the Feedback-ID that messages get; they get none without it. */
  feedbackSenderId?: string | null;
  clock: Clock;
  limits: AcceptLimits;
  /** Why the service accepts nothing at the moment; null when it accepts. */
  unavailableReason: () => string | null;
}

/** While a message is stored, its content is in memory twice: here and on its way to the writer. */
export const COPIES = 2;

/**
 * Before the stored idempotency keys of test messages: a test must not answer for a live message with the same key. It is not
 * printable, so no client's key begins with it.
 */
const TEST_KEYS = "\u{1}test ";

export class AcceptMessage {
  readonly #parts: AcceptParts;
  readonly #inFlight = new InFlight<AcceptResult>();

  constructor(parts: AcceptParts) {
    this.#parts = parts;
  }

  /** Rejects with SpoolUnavailable when the spool cannot commit or be read, and with the errors of `reserveMemory`. */
  async accept(request: AcceptRequest): Promise<AcceptResult> {
    const { accountId, draft, access } = request;
    const denied = permissionRejection(access, "send");
    if (denied !== null) return denied;
    const key = storedKey(request);
    if (key === null) return this.#acceptOnce(request, null);
    const payloadHash = draft.payloadHash();
    const { joined, outcome } = await this.#inFlight.share(`${accountId} ${key}`, payloadHash, () =>
      this.#acceptOnce(request, { key, payloadHash }),
    );
    return joined && outcome.type === "accepted" ? { type: "replayed", id: outcome.id } : outcome;
  }

  /**
   * Why a submission of this key without an idempotency key is rejected whatever it contains; null if its content decides.
   * Lets a caller reject a long message before it is read.
   */
  rejectionOf(key: RatedKey & Pick<KeyAccess, "permissions">): Rejection | null {
    const { unavailableReason, rate } = this.#parts;
    return permissionRejection(key, "send") ?? unavailable(unavailableReason()) ?? rateRejection(rate.check(key));
  }

  /**
   * The result of `accept` if it is known before the message is rated and stored: a replay, or a rejection for the idempotency
   * key, the key's permissions, the sender or the service. Null otherwise. Rejects with SpoolUnavailable.
   */
  async preview(request: AcceptRequest): Promise<AcceptResult | null> {
    const { draft, access } = request;
    const denied = permissionRejection(access, "send");
    if (denied !== null) return denied;
    const key = storedKey(request);
    const admitted = await this.#admit(request, key === null ? null : { key, payloadHash: draft.payloadHash() });
    return admitted.type === "admitted" ? null : admitted;
  }

  async #acceptOnce(request: AcceptRequest, idempotency: NewMessage["idempotency"]): Promise<AcceptResult> {
    const { rate } = this.#parts;
    const { accountId, keyId, isRated } = request;
    const key = { id: keyId, accountId };
    if (isRated) rate.expect(key);
    const admitted = await this.#admit(request, idempotency);
    if (admitted.type !== "admitted") return admitted;
    if (!isRated) return this.#store(request, admitted.domainId, idempotency);
    const limited = rateRejection(await rate.consume(key));
    if (limited !== null) return limited;
    let isAccepted = false;
    try {
      const result = await this.#store(request, admitted.domainId, idempotency);
      isAccepted = result.type === "accepted";
      return result;
    } finally {
      if (!isAccepted) rate.refund(key);
    }
  }

  /** The checks before the rate. */
  async #admit(
    request: AcceptRequest,
    idempotency: NewMessage["idempotency"],
  ): Promise<{ type: "admitted"; domainId: string } | AcceptResult> {
    const { registry, unavailableReason, unsubscribe } = this.#parts;
    const { accountId, isTest, draft, access } = request;
    const earlier = idempotency === null ? null : await this.#earlierUse(request, idempotency);
    if (earlier !== null) return earlier;
    const { from, senders = [] } = draft.summary;
    const rules = { accountId, isTest, allowed: access.domains };
    const sender = await sendingDomain(registry, { ...rules, domain: from.domain });
    if (sender.type === "rejected") return sender;
    for (const { field, mailbox, isResent } of senders) {
      // An account may pass on what somebody else has sent again. A key that is restricted to domains must not name others.
      if (isResent && access.domains === null) continue;
      if (mailbox === null) return resentNotAllowed(field);
      const shown = await sendingDomain(registry, { ...rules, domain: mailbox.domain });
      if (shown.type === "rejected") return { ...shown, detail: `${field}: ${shown.detail}` };
    }
    const { unsubscribe: wantsLink, statusPage } = draft.summary;
    const linkFault = wantsLink ? unsubscribe.fault({ isTest }) : null;
    const fault = linkFault ?? (statusPage ? await this.#statusPageFault(request) : null);
    if (fault !== null) return { type: "rejected", code: "invalid_request", detail: fault };
    return unavailable(unavailableReason()) ?? { type: "admitted", domainId: sender.domain.id };
  }

  async #statusPageFault({ accountId, isTest }: AcceptRequest): Promise<string | null> {
    const { accounts, statusLinks } = this.#parts;
    const fault = (await accounts.hasStatusPages(accountId)) ? statusLinks.fault({ isTest }) : STATUS_PAGES_ARE_OFF;
    return fault === null ? null : `status_page: ${fault}`;
  }

  async #earlierUse(
    { accountId, receivedAtMs }: AcceptRequest,
    { key, payloadHash }: NonNullable<NewMessage["idempotency"]>,
  ): Promise<AcceptResult | null> {
    const earlier = await this.#parts.spool.idempotencyRecord(accountId, key, receivedAtMs);
    if (earlier === null) return null;
    return earlier.payloadHash === payloadHash ? { type: "replayed", id: earlier.id } : keyReused;
  }

  /** Builds the message and commits it. */
  async #store(
    request: AcceptRequest,
    domainId: string,
    idempotency: NewMessage["idempotency"],
  ): Promise<AcceptResult> {
    const { spool, backpressure, limits, signAhead } = this.#parts;
    const { accountId, keyId, isTest, draft, receivedAtMs, reserveMemory } = request;
    const { summary, messageId } = draft;
    const id = newMessageId(receivedAtMs, pooledRandomBytes);
    const { bytes: content, bodyHash } = this.#contentOf(request, id);
    if (content.length > limits.messageBytesMax) return tooLargeWhenBuilt(limits.messageBytesMax);
    if (content.length > HEADER_OCTETS_MAX && bodyStart(content) > HEADER_OCTETS_MAX) return headerTooLarge;
    reserveMemory?.(COPIES * content.length);
    const message: NewMessage = {
      id,
      accountId,
      keyId,
      domainId,
      createdAtMs: receivedAtMs,
      ...timesOf(summary, receivedAtMs, limits),
      from: summary.from.address,
      subject: summary.subject,
      messageId,
      recipients: isTest ? onTestRoute(recipientsOf(summary), accountId) : recipientsOf(summary),
      test: isTest,
      content,
      bodyHash,
      eightBit: draft.eightBit ?? false,
      ...annotationsOf(summary),
      requestId: request.requestId ?? null,
      clientKey: request.clientKey ?? null,
      idempotency,
      quotaDaily: limits.quotaDaily,
      suppressAfter: isTest ? 0 : limits.suppressAfter,
    };
    // Signed when it is due: what is prepared long before is forgotten.
    if (message.sendAtMs === undefined) signAhead.prepare(message);
    const acceptance = await backpressure.wait(accountId, () => spool.accept(message));
    return resultOf(acceptance, receivedAtMs);
  }

  /**
   * The built message, with the fields that the account or the id decides. Where it was built before, adding them copies it once more,
   * within the memory that a long send holds for its body.
   */
  #contentOf(request: AcceptRequest, messageId: string): Content {
    return request.draft.content(this.#unsubscribeFields(request, messageId) + this.#feedbackField(request));
  }

  /** Empty unless the message asks for a link. */
  #unsubscribeFields({ accountId, isTest, draft }: AcceptRequest, messageId: string): string {
    const [recipient] = recipientsOf(draft.summary);
    if (!draft.summary.unsubscribe || recipient === undefined) return "";
    const named = { accountId, messageId, position: 0, email: recipient.email };
    const target = isTest ? { ...named, test: true as const } : named;
    return unsubscribeFields(this.#parts.unsubscribe.linkFor(target));
  }

  /** Empty if it is off, or the message has its own field. */
  #feedbackField({ accountId, draft }: AcceptRequest): string {
    const { feedbackSenderId: senderId = null } = this.#parts;
    if (senderId === null || (draft.hasFeedbackId ?? hasFeedbackId(draft.content()))) return "";
    const { summary } = draft;
    const { tags = [] } = summary;
    return feedbackIdField({ accountId, domain: summary.from.domain, tags, senderId });
  }
}

const resentNotAllowed = (field: string): Rejection => ({
  type: "rejected",
  code: "sender_not_allowed",
  detail: `${field}: It must have exactly one address, in one of 20 such fields at most, for an API key that is restricted to domains.`,
});

const storedKey = ({ idempotencyKey, isTest }: AcceptRequest): string | null =>
  isTest && idempotencyKey !== null ? TEST_KEYS + idempotencyKey : idempotencyKey;

function resultOf(acceptance: Acceptance, nowMs: number): AcceptResult {
  switch (acceptance.type) {
    case "accepted":
    case "replayed":
      return { type: acceptance.type, id: acceptance.id };
    case "idempotency_key_reused":
      return keyReused;
    case "key_revoked":
      return { type: "rejected", code: "invalid_api_key", detail: "The API key has been revoked." };
    case "quota_exceeded":
      return {
        type: "rejected",
        code: "quota_exceeded",
        detail: "The account's daily quota of recipients is used up.",
        retryAfterS: secondsToMidnight(nowMs),
      };
  }
}

/** From `deadlineMs`, the sender's own limit, no attempt is begun. A scheduled message has its whole time from when it is sent. */
function timesOf(
  { expiresInMs, sendAtMs = 0 }: DraftSummary,
  nowMs: number,
  { maxAgeMs }: AcceptLimits,
): Pick<NewMessage, "expiresAtMs" | "deadlineMs" | "sendAtMs"> {
  const beginsMs = Math.max(nowMs, sendAtMs);
  const scheduled = sendAtMs > nowMs ? { sendAtMs } : {};
  if (expiresInMs === undefined) return { expiresAtMs: beginsMs + maxAgeMs, ...scheduled };
  const times = { expiresAtMs: beginsMs + Math.min(maxAgeMs, expiresInMs), deadlineMs: beginsMs + expiresInMs };
  return { ...times, ...scheduled };
}

function recipientsOf({ to, cc = [], bcc = [] }: DraftSummary): NewRecipient[] {
  const as = (field: "cc" | "bcc", { address, domain }: Mailbox) => ({ email: address, domain, field });
  return [
    ...to.map(({ address, domain }) => ({ email: address, domain })),
    ...cc.map((mailbox) => as("cc", mailbox)),
    ...bcc.map((mailbox) => as("bcc", mailbox)),
  ];
}

const onTestRoute = (recipients: readonly NewRecipient[], accountId: string): NewRecipient[] =>
  recipients.map((recipient) => ({ ...recipient, domain: testRouteOf(accountId) }));

function annotationsOf({ tags, metadata }: DraftSummary): Pick<NewMessage, "tags" | "metadata"> {
  return { ...(tags === undefined ? {} : { tags }), ...(metadata === undefined ? {} : { metadata }) };
}

function unavailable(reason: string | null): Rejection | null {
  return reason === null ? null : { type: "rejected", code: "engine_unavailable", detail: reason };
}

/** Null if the tokens were there. */
export function rateRejection(result: TokenResult): Rejection | null {
  if (result.allowed) return null;
  const senders = result.empty === "key" ? "This key sends" : "The keys of this account together send";
  return {
    type: "rejected",
    code: "rate_limit_exceeded",
    detail: `${senders} faster than the rate allows.`,
    retryAfterS: result.retryAfterS,
  };
}

const keyReused: Rejection = {
  type: "rejected",
  code: "idempotency_key_reused",
  detail: "This Idempotency-Key was used within 24 hours with another payload.",
};

export function tooLargeWhenBuilt(bytesMax: number): Rejection {
  const detail = `The message is larger than ${bytesMax} bytes when built.`;
  return { type: "rejected", code: "body_too_large", detail };
}

const headerTooLarge: Rejection = {
  type: "rejected",
  code: "body_too_large",
  detail: `The header has more than ${HEADER_OCTETS_MAX} octets when built. Send the message to fewer recipients, or with shorter names and header fields.`,
};

/** Quota days are UTC days. */
function secondsToMidnight(nowMs: number): number {
  return Math.max(1, Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000));
}

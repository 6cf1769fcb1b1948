/**
 * The commands of one submission session (RFC 6409): authentication by an API key, the envelope, and the message. What is accepted, and
 * in which order a message is rejected, is decided by app/send/accept-message.ts, as for HTTP.
 */
import type { SMTPServerDataStream } from "smtp-server";
import type { AcceptBackpressure } from "../app/send/accept-backpressure.ts";
import { type AcceptMessage, sentWith } from "../app/send/accept-message.ts";
import { activeKeyOf } from "../app/send/active-key.ts";
import { networkRejection, permissionRejection } from "../app/send/key-access.ts";
import type { AddressLimiter } from "../lib/address-limiter.ts";
import type { Clock } from "../lib/clock.ts";
import type { MemoryStatus } from "../lib/memory-guard.ts";
import { pooledRandomBytes } from "../lib/random.ts";
import { newRequestId } from "../lib/request-id.ts";
import { type Mailbox, mailboxKey, parseMailbox } from "../message/address.ts";
import { messageIdToken } from "../message/ids.ts";
import { ContentCheck } from "../message/submitted/content-check.ts";
import { readSubmitted } from "../message/submitted/submitted-message.ts";
import { hashApiKey } from "../security/api-key-format.ts";
import { type MessageMemory, SHORT_OCTETS_MAX } from "../smtp-server/message-memory.ts";
import type { DataOptions, Session } from "../smtp-server/protocol.ts";
import { readContent } from "../smtp-server/read-content.ts";
import { mailLoop, outOfMemory, tooManyRecipients, unavailable } from "../smtp-server/rejection.ts";
import type { Registry } from "../spool/port/accounts.ts";
import { type ApiKey, isActive } from "../spool/port/api-keys.ts";
import {
  authenticationRequired,
  invalidKey,
  invalidMessage,
  invalidRecipient,
  mayNotSend,
  rejectionReply,
  tooManyAttempts,
} from "./reply.ts";

export interface SubmissionParts {
  acceptMessage: Pick<AcceptMessage, "accept" | "rejectionOf">;
  registry: Pick<Registry, "activeKey" | "touchKey">;
  backpressure: Pick<AcceptBackpressure, "rejects">;
  memory: Pick<MemoryStatus, "isLow" | "isExhausted">;
  messages: MessageMemory;
  addresses: Pick<AddressLimiter, "takeFor">;
  clock: Clock;
  limits: { recipientsMax: number; messageBytesMax: number };
}

/** An accepted message, for the log. */
export interface Submitted {
  requestId: string;
  messageId: string;
  isReplay: boolean;
}

/** What smtp-server's decoder puts in place of octets that are not UTF-8. An address with it is not the one that the client has sent. */
const REPLACEMENT = "\ufffd";

export class SubmissionSession implements Session<Submitted> {
  readonly #parts: SubmissionParts;
  readonly #address: string;
  #key: ApiKey | null = null;
  #keyHash: Buffer | null = null;
  #refused: ApiKey | null = null;
  #recipients: Mailbox[] = [];

  /** `address`: of the peer. */
  constructor(parts: SubmissionParts, address: string) {
    this.#parts = parts;
    this.#address = address;
  }

  /** The key of the session; null before authentication. */
  get key(): ApiKey | null {
    return this.#key;
  }

  /** The key that the client has sent, also if it may not send messages; null before authentication. */
  get sentKey(): ApiKey | null {
    return this.#key ?? this.#refused;
  }

  /**
   * Any user name is valid. Rejects with the reply for a password that is not an active key, or one that may not
   * send. A valid one is accepted whatever
   * others have tried from the same address, as over HTTP: websites share hosts and networks.
   */
  async authenticate(password: string): Promise<void> {
    const { registry, clock } = this.#parts;
    const key = await activeKeyOf(registry, password, clock.now());
    if (key === null) {
      if (!this.#parts.addresses.takeFor(this.#address).allowed) throw tooManyAttempts();
      throw invalidKey();
    }
    const rejection = networkRejection(key, this.#address) ?? permissionRejection(key, "send");
    if (rejection !== null) {
      this.#refused = key;
      throw mayNotSend(rejection.detail);
    }
    this.#key = key;
    this.#keyHash = hashApiKey(password);
    registry.touchKey(key.id, clock.now());
  }

  /** A session without a valid key counts as one attempt. */
  end(): void {
    if (this.sentKey === null) this.#parts.addresses.takeFor(this.#address);
  }

  /** Throws the reply for a message that is rejected whatever it contains. The envelope sender is not used. */
  mail(announcedOctets: number | null): void {
    const { acceptMessage, backpressure, memory } = this.#parts;
    const key = this.#requireKey();
    this.#recipients = [];
    if (backpressure.rejects(key.accountId)) throw unavailable("More messages arrive than can be stored: try again");
    const isShort = announcedOctets !== null && announcedOctets <= SHORT_OCTETS_MAX;
    if (memory.isLow && (memory.isExhausted || !isShort)) throw outOfMemory();
    const rejection = isShort ? null : acceptMessage.rejectionOf(key);
    if (rejection !== null) throw rejectionReply(rejection);
  }

  /** Throws the reply for an address that is not valid, and for too many. */
  recipient(address: string): void {
    this.#requireKey();
    const parsed = parseMailbox(address);
    if (parsed.type === "invalid") throw invalidRecipient(parsed.detail);
    if (parsed.name !== null) throw invalidRecipient("A name is not allowed here.");
    if (parsed.address.includes(REPLACEMENT)) throw invalidRecipient("The address is not UTF-8.");
    const { local, domain } = parsed;
    const key = mailboxKey(local, domain);
    if (this.#recipients.some((other) => mailboxKey(other.local, other.domain) === key)) return;
    const { recipientsMax } = this.#parts.limits;
    if (this.#recipients.length >= recipientsMax) throw tooManyRecipients(recipientsMax);
    this.#recipients.push({ name: null, address: parsed.address, local, domain });
  }

  /**
   * Accepts the message once it is durable. Null if the connection ended before the final dot. Rejects with the reply.
   */
  async data(stream: SMTPServerDataStream, { announcedOctets, gone, cutOff }: DataOptions): Promise<Submitted | null> {
    const key = this.#requireKey();
    const { messages, limits, clock } = this.#parts;
    const memory = messages.forMessage(key.accountId, gone);
    try {
      const check = new ContentCheck();
      const bytes = await readContent(stream, {
        octetsMax: limits.messageBytesMax,
        announcedOctets,
        memory,
        clock,
        cutOff,
        examine(chunk) {
          check.add(chunk);
          if (check.fault !== null) throw invalidMessage(check.fault);
        },
      });
      return bytes === null ? null : await this.#accept(key, { bytes, eightBit: check.eightBit });
    } finally {
      memory.release();
    }
  }

  async #accept(key: ApiKey, { bytes, eightBit }: { bytes: Buffer; eightBit: boolean }): Promise<Submitted> {
    const { clock, acceptMessage } = this.#parts;
    const receivedAtMs = clock.now();
    const submitted = readSubmitted(bytes, {
      recipients: this.#recipients,
      token: messageIdToken(receivedAtMs, pooledRandomBytes),
      dateMs: receivedAtMs,
      eightBit,
      hashesBody: bytes.length > SHORT_OCTETS_MAX,
    });
    if (submitted.type === "looping") throw mailLoop(submitted.detail);
    if (submitted.type === "invalid") throw invalidMessage(submitted.detail);
    const { draft, idempotencyKey, clientKey } = submitted;
    const requestId = newRequestId();
    const result = await acceptMessage.accept({
      ...sentWith(await this.#currentKey(key)),
      draft,
      idempotencyKey,
      clientKey,
      requestId,
      receivedAtMs,
      isRated: true,
    });
    if (result.type === "rejected") throw rejectionReply(result);
    return { requestId, messageId: result.id, isReplay: result.type === "replayed" };
  }

  /**
   * The key as it is now: its access may have been changed since it was sent, or its end may have passed. Rejects with the reply if so.
   * That it was revoked is noticed in the commit.
   */
  async #currentKey(key: ApiKey): Promise<ApiKey> {
    const { registry, clock } = this.#parts;
    const current = this.#keyHash === null ? key : ((await registry.activeKey(this.#keyHash)) ?? key);
    if (current.revokedAtMs === null && !isActive(current, clock.now())) throw invalidKey();
    const rejection = networkRejection(current, this.#address);
    if (rejection !== null) throw rejectionReply(rejection);
    return current;
  }

  #requireKey(): ApiKey {
    if (this.#key === null) throw authenticationRequired();
    return this.#key;
  }
}

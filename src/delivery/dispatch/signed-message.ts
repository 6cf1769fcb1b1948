/**
 * A message as it is sent in one attempt: envelope senders, content and DKIM signature. Reads the content's first part and signs
 * once, on the first request only, because a message for a dead host needs no signature. The later parts are read in each
 * transaction (smtp/content-transfer.ts), so that a large content is never in memory as a whole.
 */
import { isAscii } from "../../message/address.ts";
import { contentOf, headerOf, signInputOf } from "../../message/content.ts";
import { toSevenBit } from "../../message/seven-bit.ts";
import type { DeliveryJob, StoredContent } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { Signer } from "../signing/signer.ts";
import { type AttemptRecord, wireAddress } from "./attempt-record.ts";
import type { EnvelopeSenders, ReturnPaths } from "./return-paths.ts";

export interface SignedMessage {
  /** The envelope sender of all recipients, unless each has its own. */
  from: string;
  /** Those of a message with a return path: each recipient gets its copy in a transaction of its own. Otherwise null. */
  senders: EnvelopeSenders | null;
  content: StoredContent;
  sizeBytes: number;
  signature: Buffer;
  smtpUtf8: boolean;
  /** Whether the body has octets above 127. */
  eightBit: boolean;
}

export interface MessageSources {
  spool: Pick<Spool, "content">;
  signer: Pick<Signer, "sign">;
  returnPaths: ReturnPaths;
}

export class MessageLoader {
  readonly #sources: MessageSources;
  readonly #job: DeliveryJob;
  readonly #record: AttemptRecord;
  #message: Promise<SignedMessage> | null = null;
  #inSevenBits: Promise<SignedMessage> | null = null;

  constructor(sources: MessageSources, job: DeliveryJob, record: AttemptRecord) {
    this.#sources = sources;
    this.#job = job;
    this.#record = record;
  }

  /** Rejects with MessageDamaged, or when the spool or the signer fails. */
  load(): Promise<SignedMessage> {
    this.#message ??= this.#sign();
    return this.#message;
  }

  /**
   * The message for a host without 8BITMIME, with a signature of its own; unchanged if it cannot be converted. It is read as a whole:
   * such hosts are rare. Rejects as `load`.
   */
  loadInSevenBits(): Promise<SignedMessage> {
    this.#inSevenBits ??= this.load().then((message) => this.#signInSevenBits(message));
    return this.#inSevenBits;
  }

  async #signInSevenBits(message: SignedMessage): Promise<SignedMessage> {
    const { messageId, domainId } = this.#job;
    const { content } = message;
    const parts = [content.first];
    for (let number = 1; number <= content.laterParts; number += 1) parts.push(await content.part(number));
    const bytes = toSevenBit(Buffer.concat(parts));
    if (bytes === null) return message;
    const converted = contentOf(bytes);
    const signature = await this.#sources.signer.sign({ messageId, domainId, input: signInputOf(converted) });
    const first: StoredContent = { ...content, first: bytes, laterParts: 0, bodyHash: converted.bodyHash };
    return { ...message, content: first, sizeBytes: bytes.length, signature, eightBit: false };
  }

  async #sign(): Promise<SignedMessage> {
    const { messageId, domainId, sizeBytes, eightBit } = this.#job;
    const content = await this.#sources.spool.content(messageId);
    const header = headerOf(content.first);
    // No pass over the body here: its line ends are checked when it is hashed, and the spool checks a checksum of each part.
    const input = signInputOf({ bytes: content.first, bodyHash: content.bodyHash });
    const signature = await this.#sources.signer.sign({ messageId, domainId, input });
    const from = wireAddress(this.#job.from);
    const senders = await this.#sources.returnPaths.of(this.#job);
    // Text in a header is encoded at acceptance, so octets above 127 are addresses there (RFC 6532).
    const smtpUtf8 =
      !isAscii(header) ||
      (senders === null && !isAscii(from)) ||
      this.#record.recipients.some(({ address }) => !isAscii(address));
    return { from, senders, content, sizeBytes, signature, smtpUtf8, eightBit };
  }
}

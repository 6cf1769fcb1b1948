/**
 * A message as it is sent in one attempt: envelope senders, content and DKIM signature. Reads the content's first part and signs
 * once, on the first request only, because a message for a dead host needs no signature. The later parts are read in each
 * transaction (smtp/content-transfer.ts), so that a large content is never in memory as a whole. seven-bit-contents.ts converts it.
 */
import { isAscii } from "../../message/address.ts";
import { headerOf, signInputOf } from "../../message/content.ts";
import { withAsciiHeader } from "../../message/header/ascii-header.ts";
import { withDate } from "../../message/header/date-field.ts";
import type { DeliveryJob, StoredContent } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { Signer } from "../signing/signer.ts";
import { wireAddress } from "./attempt-record.ts";
import type { EnvelopeSenders, ReturnPaths } from "./return-paths.ts";
import type { SevenBitContents } from "./seven-bit-contents.ts";

export interface SignedMessage {
  /** The envelope sender of all recipients, unless each has its own. */
  from: string;
  /** Those of a message with a return path: each recipient gets its copy in its own transaction. Otherwise null. */
  senders: EnvelopeSenders | null;
  content: StoredContent;
  sizeBytes: number;
  signature: Buffer;
  /** Whether its header, or the envelope sender of all recipients, is not ASCII. */
  smtpUtf8: boolean;
  /** Whether the body has octets above 127. */
  eightBit: boolean;
}

export interface MessageSources {
  spool: Pick<Spool, "content">;
  signer: Pick<Signer, "sign">;
  returnPaths: ReturnPaths;
  sevenBitContents: Pick<SevenBitContents, "convert">;
}

export class MessageLoader {
  readonly #sources: MessageSources;
  readonly #job: DeliveryJob;
  #message: Promise<SignedMessage> | null = null;
  #inSevenBits: Promise<SignedMessage | null> | null = null;
  #withAsciiHeader: Promise<SignedMessage | null> | null = null;
  /** Made only for a conversion: an abort of each message would cost more than its dispatch. */
  #ended: AbortController | null = null;
  #isClosed = false;

  constructor(sources: MessageSources, job: DeliveryJob) {
    this.#sources = sources;
    this.#job = job;
  }

  /** Rejects with MessageDamaged, or when the spool or the signer fails. */
  load(): Promise<SignedMessage> {
    this.#message ??= this.#sign();
    return this.#message;
  }

  /**
   * The message for a host without 8BITMIME, also without SMTPUTF8, with its own signature; null if it cannot be converted.
   * Rejects as `load`, and with MemoryRefused if there is no memory for it.
   */
  loadInSevenBits(): Promise<SignedMessage | null> {
    this.#inSevenBits ??= this.load().then((message) => this.#signInSevenBits(message));
    return this.#inSevenBits;
  }

  /** The message for a host without SMTPUTF8, with its own signature; null if it cannot be converted. Rejects as `load`. */
  loadWithAsciiHeader(): Promise<SignedMessage | null> {
    this.#withAsciiHeader ??= this.load().then((message) => this.#signWithAsciiHeader(message));
    return this.#withAsciiHeader;
  }

  /** Releases what the message holds. To be called when the attempt has ended. */
  close(): void {
    this.#isClosed = true;
    this.#ended?.abort();
  }

  async #signInSevenBits(message: SignedMessage): Promise<SignedMessage | null> {
    const { accountId } = this.#job;
    const gone = this.#endSignal();
    const converted = await this.#sources.sevenBitContents.convert(message.content, { accountId, gone });
    if (converted === null) return null;
    const { content, sizeBytes, release } = converted;
    if (gone.aborted) release();
    else gone.addEventListener("abort", release);
    return { ...(await this.#signConverted(message, content)), sizeBytes, eightBit: false };
  }

  /** Aborts when the attempt has ended. */
  #endSignal(): AbortSignal {
    this.#ended ??= new AbortController();
    if (this.#isClosed) this.#ended.abort();
    return this.#ended.signal;
  }

  async #signWithAsciiHeader(message: SignedMessage): Promise<SignedMessage | null> {
    const { content, sizeBytes } = message;
    const first = withAsciiHeader(content.first);
    if (first === null) return null;
    const converted = await this.#signConverted(message, { ...content, first });
    return { ...converted, sizeBytes: sizeBytes + first.length - content.first.length };
  }

  /** `content`: with a header in ASCII. */
  async #signConverted(message: SignedMessage, content: StoredContent): Promise<SignedMessage> {
    const { messageId, domainId } = this.#job;
    const input = signInputOf({ bytes: content.first, bodyHash: content.bodyHash });
    const signature = await this.#sources.signer.sign({ messageId, domainId, input });
    return { ...message, content, signature, smtpUtf8: message.senders === null && !isAscii(message.from) };
  }

  async #sign(): Promise<SignedMessage> {
    const { messageId, domainId, sizeBytes, eightBit, sendAtMs } = this.#job;
    const stored = await this.#sources.spool.content(messageId);
    // The time may have been changed since the message was built.
    const content = sendAtMs === undefined ? stored : { ...stored, first: withDate(stored.first, sendAtMs) };
    const header = headerOf(content.first);
    // No pass over the body here: its line ends are checked when it is hashed, and the spool checks a checksum of each part.
    const input = signInputOf({ bytes: content.first, bodyHash: content.bodyHash });
    const signature = await this.#sources.signer.sign({ messageId, domainId, input });
    const from = wireAddress(this.#job.from);
    const senders = await this.#sources.returnPaths.of(this.#job);
    // Text in a header is encoded at acceptance, so octets above 127 are addresses there (RFC 6532).
    const smtpUtf8 = !isAscii(header) || (senders === null && !isAscii(from));
    return { from, senders, content, sizeBytes, signature, smtpUtf8, eightBit };
  }
}

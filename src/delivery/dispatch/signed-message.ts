/**
 * A message as it is sent in one attempt: envelope sender, content and DKIM signature. Reads the content's first part and signs
 * once, on the first request only, because a message for a dead host needs no signature. The later parts are read in each
 * transaction (smtp/content-transfer.ts), so that a large content is never in memory as a whole.
 */
import { isAscii } from "../../message/address.ts";
import { headerOf, signInputOf } from "../../message/content.ts";
import type { DeliveryJob, StoredContent } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { Signer } from "../signing/signer.ts";
import { type AttemptRecord, wireAddress } from "./attempt-record.ts";

export interface SignedMessage {
  from: string;
  content: StoredContent;
  sizeBytes: number;
  signature: Buffer;
  smtpUtf8: boolean;
}

export interface MessageSources {
  spool: Pick<Spool, "content">;
  signer: Pick<Signer, "sign">;
}

export class MessageLoader {
  readonly #sources: MessageSources;
  readonly #job: DeliveryJob;
  readonly #record: AttemptRecord;
  #message: Promise<SignedMessage> | null = null;

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

  async #sign(): Promise<SignedMessage> {
    const { messageId, domainId, sizeBytes } = this.#job;
    const content = await this.#sources.spool.content(messageId);
    const header = headerOf(content.first);
    // No pass over the body here: its line ends are checked when it is hashed, and the spool checks a checksum of each part.
    const input = signInputOf({ bytes: content.first, bodyHash: content.bodyHash });
    const signature = await this.#sources.signer.sign({ messageId, domainId, input });
    const from = wireAddress(this.#job.from);
    // Every version has encoded bodies to 7 bits, so 8-bit bytes are UTF-8 addresses in header fields (RFC 6532).
    const smtpUtf8 =
      !isAscii(header) || !isAscii(from) || this.#record.recipients.some(({ address }) => !isAscii(address));
    return { from, content, sizeBytes, signature, smtpUtf8 };
  }
}

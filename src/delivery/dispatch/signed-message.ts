/**
 * A message as it is sent in one attempt: envelope sender, content and DKIM signature. Reads and signs it once, on the first
 * request only, because a message for a dead host needs no signature.
 */
import { isAscii as isAsciiBytes } from "node:buffer";
import { isAscii } from "../../message/address.ts";
import { contentOf, headerOf } from "../../message/content.ts";
import type { DeliveryJob, StoredContent } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { Signer } from "../signing/signer.ts";
import { type AttemptRecord, wireAddress } from "./attempt-record.ts";

export interface SignedMessage {
  from: string;
  content: Buffer;
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
    const { messageId, domainId } = this.#job;
    const stored = await this.#sources.spool.content(messageId);
    const content = await wholeOf(stored);
    const bodyHash = stored.bodyHash ?? contentOf(content).bodyHash;
    const unsigned = { header: headerOf(content), bodyHash };
    const signature = await this.#sources.signer.sign({ messageId, domainId, unsigned });
    const from = wireAddress(this.#job.from);
    // Bodies are always encoded to 7 bits, so 8-bit bytes are UTF-8 addresses in header fields (RFC 6532).
    const smtpUtf8 =
      !isAsciiBytes(content) || !isAscii(from) || this.#record.recipients.some(({ address }) => !isAscii(address));
    return { from, content, signature, smtpUtf8 };
  }
}

async function wholeOf({ first, laterParts, part }: StoredContent): Promise<Buffer> {
  const parts = [first];
  for (let number = 1; number <= laterParts; number += 1) parts.push(await part(number));
  return laterParts === 0 ? first : Buffer.concat(parts);
}

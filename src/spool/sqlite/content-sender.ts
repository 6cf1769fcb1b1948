/**
 * The facade's side of acceptance: sends a message to the writer, a large content in parts. The later parts go first, each
 * as a request of its own, so that small messages share the commits between them; the first part goes with the message.
 * Parts of a message that is not accepted are removed. content-parts.ts stores the parts.
 */
import type { NewMessage } from "../port/mail.ts";
import { type SentAcceptance, sentMessage } from "./codec.ts";
import { LATER_PARTS_MAX, PART_BYTES, type StagedPart } from "./content-parts.ts";
import { ownBytes } from "./transfer.ts";
import type { WriterClient } from "./writer-client.ts";

/** Parts of all messages that may be on their way to the writer: they bound the content of one commit. */
const SENT_PARTS_MAX = 4;

const END_OF_HEADER = "\r\n\r\n";

export class ContentSender {
  readonly #writer: WriterClient;
  readonly #partBytes: number;
  readonly #slots = new Slots(SENT_PARTS_MAX);

  constructor(writer: WriterClient, partBytes = PART_BYTES) {
    this.#writer = writer;
    this.#partBytes = partBytes;
  }

  /** Resolves once the message is on disk, or with the reason why it was not stored. */
  accept(message: NewMessage): Promise<SentAcceptance> {
    const end = this.#endOfFirst(message.content);
    if (end < message.content.length) return this.#acceptInParts(message, end);
    const { bytes, transfer } = ownBytes(message.content);
    return this.#writer.request("accept", sentMessage(message, { first: bytes, tail: null }), transfer);
  }

  /** At start: removes the parts of contents that the last process did not accept. A later pass of retention does so too. */
  async removeLeftBehind(): Promise<void> {
    await this.#discard(null);
  }

  /** Returns where the first part ends: it contains at least the whole header. */
  #endOfFirst(content: Buffer): number {
    if (content.length <= this.#partBytes) return content.length;
    const endOfHeader = content.indexOf(END_OF_HEADER);
    if (endOfHeader < 0) return content.length;
    return Math.max(this.#partBytes, endOfHeader + END_OF_HEADER.length);
  }

  async #acceptInParts(message: NewMessage, end: number): Promise<SentAcceptance> {
    const { content } = message;
    const parts = Math.ceil((content.length - end) / this.#partBytes);
    if (parts > LATER_PARTS_MAX) throw new Error(`a content of ${content.length} bytes has too many parts`);
    const stage = (part: number, tail: number | null): Promise<number> => {
      const from = end + (part - 1) * this.#partBytes;
      return this.#stage({ messageId: message.id, tail, part }, content.subarray(from, from + this.#partBytes));
    };
    const number = await stage(1, null);
    try {
      for (let part = 2; part <= parts; part += 1) await stage(part, number);
      const tail = { number, parts, sizeBytes: content.length };
      const { bytes, transfer } = ownBytes(content.subarray(0, end));
      const sent = await this.#writer.request("accept", sentMessage(message, { first: bytes, tail }), transfer);
      if (sent !== null && sent.type !== "accepted") void this.#discard(number);
      return sent;
    } catch (error) {
      void this.#discard(number);
      throw error;
    }
  }

  async #stage(part: Omit<StagedPart, "bytes">, content: Buffer): Promise<number> {
    await this.#slots.take();
    try {
      // Copied only now: no more copies are in memory than parts are on their way.
      const { bytes, transfer } = ownBytes(content);
      return await this.#writer.request("stage", { ...part, bytes }, transfer);
    } finally {
      this.#slots.give();
    }
  }

  /** Removes the parts of one content that was not accepted, or all that belong to no message. */
  async #discard(tail: number | null): Promise<void> {
    try {
      while (await this.#writer.request("discard", tail));
    } catch {
      // Retention removes them, or the next start.
    }
  }
}

/** Admits a number of holders at a time, in the order of their calls. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

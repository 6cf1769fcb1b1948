/**
 * The facade's side of acceptance: sends a message to the writer, a large content in parts. The later parts go first, each
 * as a separate request, so that small messages share the commits between them; the first part goes with the message.
 * Parts of a message that is not accepted are removed. content-parts.ts stores the parts.
 */
import { setTimeout as delay } from "node:timers/promises";
import { bodyStart } from "../../../../message/content.ts";
import type { NewMessage } from "../../../port/mail.ts";
import { PART_BYTES } from "../../../records/content-checksum.ts";
import { ownBytes } from "../connection/transferred-bytes.ts";
import type { WriterClient } from "../connection/writer-client.ts";
import { LATER_PARTS_MAX, type StagedPart } from "./content-parts.ts";
import { type SentAcceptance, sentMessage, type Tail } from "./mail-codec.ts";

/** Parts, or as many bytes of contents, that may be on their way to the writer: they bound the content of one commit. */
const SENT_PARTS_MAX = 4;
/** Smaller contents do not count: group commit bounds them by the number of messages. */
const COUNTED_BYTES_MIN = 64 * 1024;
/**
 * Contents of one part that count are sent together, once in this time. They come one by one from the thread that composes them,
 * and a commit for each writes a third more to the disk. The first after a pause is sent at once.
 */
const SENT_INTERVAL_MS = 8;

export class ContentSender {
  readonly #writer: WriterClient;
  readonly #partBytes: number;
  readonly #budget: ByteBudget;
  readonly #pacer = new Pacer(SENT_INTERVAL_MS);
  /** Contents that were not accepted, and whose parts could not be removed. */
  readonly #givenUp = new Set<number>();

  constructor(writer: WriterClient, partBytes = PART_BYTES) {
    this.#writer = writer;
    this.#partBytes = partBytes;
    this.#budget = new ByteBudget(SENT_PARTS_MAX * partBytes);
  }

  /** Resolves once the message is on disk, or with the reason why it was not stored. */
  accept(message: NewMessage): Promise<SentAcceptance> {
    const end = this.#endOfFirst(message);
    if (end < message.content.length) return this.#acceptInParts(message, end);
    if (end >= COUNTED_BYTES_MIN) return this.#sendPaced(message);
    return this.#send(message, end, null);
  }

  async #sendPaced(message: NewMessage): Promise<SentAcceptance> {
    const sizeBytes = message.content.length;
    await this.#pacer.turn();
    return this.#budget.during(sizeBytes, () => this.#send(message, sizeBytes, null));
  }

  /** Copies a large content only now: no more copies are in memory than are on their way. */
  #send(message: NewMessage, end: number, tail: Tail | null): Promise<SentAcceptance> {
    const { bytes, transfer } = ownBytes(tail === null ? message.content : message.content.subarray(0, end));
    return this.#writer.request("accept", sentMessage(message, { first: bytes, tail }), transfer);
  }

  /** At start: removes the parts of contents that the last process did not accept. A later pass of retention does so too. */
  async removeLeftBehind(): Promise<void> {
    await this.#discard(null);
  }

  /** Removes the parts of contents that were not accepted, where the disk failed when they were given up. */
  async removeGivenUp(): Promise<void> {
    for (const tail of [...this.#givenUp]) {
      this.#givenUp.delete(tail);
      await this.#giveUp(tail);
    }
  }

  /**
   * Returns where the first part ends. It contains at least the whole header. A content whose body is not hashed yet has one
   * part, because the signing thread hashes the body as a whole.
   */
  #endOfFirst({ content, bodyHash }: NewMessage): number {
    if (content.length <= this.#partBytes || bodyHash === null) return content.length;
    return Math.max(this.#partBytes, bodyStart(content));
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
      const tail = { number, parts };
      const sent = await this.#budget.during(end, () => this.#send(message, end, tail));
      if (sent !== null && sent.type !== "accepted") void this.#giveUp(number);
      return sent;
    } catch (error) {
      void this.#giveUp(number);
      throw error;
    }
  }

  #stage(part: Omit<StagedPart, "bytes">, content: Buffer): Promise<number> {
    return this.#budget.during(content.length, () => {
      const { bytes, transfer } = ownBytes(content);
      return this.#writer.request("stage", { ...part, bytes }, transfer);
    });
  }

  async #giveUp(tail: number): Promise<void> {
    if (!(await this.#discard(tail))) this.#givenUp.add(tail);
  }

  /** Removes the parts of one content that was not accepted, or all that belong to no message. Returns whether it could. */
  async #discard(tail: number | null): Promise<boolean> {
    try {
      while (await this.#writer.request("discard", tail));
      return true;
    } catch {
      // A pass of retention removes them, or the next start.
      return false;
    }
  }
}

/** Admits calls together, one group in each interval. */
class Pacer {
  readonly #intervalMs: number;
  #admittedMs = Number.NEGATIVE_INFINITY;
  #next: Promise<void> | null = null;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Resolves at once after a pause of an interval, otherwise with the others at its end. */
  turn(): Promise<void> {
    const nowMs = performance.now();
    const leftMs = this.#admittedMs + this.#intervalMs - nowMs;
    if (this.#next === null && leftMs <= 0) {
      this.#admittedMs = nowMs;
      return Promise.resolve();
    }
    this.#next ??= delay(leftMs).then(() => {
      this.#next = null;
      this.#admittedMs = performance.now();
    });
    return this.#next;
  }
}

/** Admits as many bytes at a time, in the order of the calls. */
class ByteBudget {
  readonly #max: number;
  #free: number;
  readonly #waiting: { bytes: number; admit: () => void }[] = [];

  constructor(max: number) {
    this.#max = max;
    this.#free = max;
  }

  /** Returns the result of `run`, called once its bytes are admitted; more than the limit are admitted alone. */
  async during<T>(sizeBytes: number, run: () => Promise<T>): Promise<T> {
    const bytes = Math.min(sizeBytes, this.#max);
    if (this.#waiting.length === 0 && bytes <= this.#free) this.#free -= bytes;
    else await new Promise<void>((admit) => this.#waiting.push({ bytes, admit }));
    try {
      return await run();
    } finally {
      this.#free += bytes;
      this.#admitWaiting();
    }
  }

  #admitWaiting(): void {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || next.bytes > this.#free) return;
      this.#waiting.shift();
      this.#free -= next.bytes;
      next.admit();
    }
  }
}

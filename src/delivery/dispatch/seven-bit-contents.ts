/**
 * Contents in 7 bits for hosts without 8BITMIME. A content is converted part by part, each time that it is sent, so that it is never in
 * memory as a whole: the first pass finds its structure, its size and the hash of its body. What attempts hold is limited in total,
 * and the work in each iteration of the event loop too. message/compose/seven-bit.ts decides what becomes of a message.
 */

import type { Clock } from "../../lib/clock.ts";
import { IterationQueue } from "../../lib/iteration-queue.ts";
import { MemoryQueue } from "../../lib/memory-queue.ts";
import { MIB } from "../../lib/units.ts";
import { PiecewiseBodyHash } from "../../message/body-hash.ts";
import { sevenBitParts } from "../../message/compose/seven-bit.ts";
import type { SevenBitParts } from "../../message/compose/seven-bit-parts.ts";
import { bodyStart } from "../../message/content.ts";
import { PartedOctets, type Reading } from "../../message/parted-octets.ts";
import type { StoredContent } from "../../spool/port/mail.ts";

/** Of all attempts, from the conversion to the end of the attempt. */
const MEMORY_BYTES = 32 * MIB;
const ACCOUNT_SHARE = 0.5;
const WAITING = { ownerMax: 250, totalMax: 500 };
/** A host waits five minutes for the next command (RFC 5321 §4.5.3.2.7). */
const WAIT_MS = 60_000;
/** Octets that are converted at once; the spool's parts have as many. */
const STEP_OCTETS = 256 * 1024;
/** What the steps of all conversions may take of an iteration. */
const STEPS_MS = 3;
/** Parts in memory: the first, the one that is sent, the next, and the one of the original that this is made of. */
const PARTS_HELD = 4;
/** Of a part in base64, with the headers that are written anew. */
const GROWTH = 2;

export interface SevenBitContent {
  content: StoredContent & { bodyHash: string };
  sizeBytes: number;
  /** To be called once, when the content is no longer used. */
  release: () => void;
}

export interface SevenBitOptions {
  clock: Clock;
  memoryBytes?: number;
  stepOctets?: number;
}

/** Whose content it is. `gone` aborts when the attempt has ended. */
export interface SevenBitRequest {
  accountId: string;
  gone: AbortSignal;
}

export class SevenBitContents {
  readonly #memory: MemoryQueue;
  readonly #turns: IterationQueue;
  readonly #stepOctets: number;

  constructor({ clock, memoryBytes: bytes = MEMORY_BYTES, stepOctets = STEP_OCTETS }: SevenBitOptions) {
    this.#memory = new MemoryQueue({ bytes, share: ACCOUNT_SHARE, waiting: WAITING, waitMs: WAIT_MS, clock });
    this.#turns = new IterationQueue({ clock, budgetMs: STEPS_MS });
    this.#stepOctets = stepOctets;
  }

  /**
   * The content in 7 bits; null if it cannot be converted. Rejects with MemoryRefused if there is no memory for it within a minute, and
   * when the content cannot be read.
   */
  async convert(content: StoredContent, { accountId, gone }: SevenBitRequest): Promise<SevenBitContent | null> {
    const source = new Source(content, this.#stepOctets);
    const reserved = await this.#memory.wait(accountId, source.heldBytes, gone);
    const release = (): void => this.#memory.release(accountId, reserved);
    let converted: Omit<SevenBitContent, "release"> | null = null;
    try {
      converted = await this.#convert(source, accountId);
    } finally {
      if (converted === null) release();
    }
    return converted === null ? null : { ...converted, release };
  }

  async #convert(source: Source, accountId: string): Promise<Omit<SevenBitContent, "release"> | null> {
    const read = async (number: number): Promise<Buffer> => {
      const octets = await source.read(number);
      await this.#turns.turn(accountId);
      return octets;
    };
    const octets = new PartedOctets();
    for (let number = 0; number < source.parts; number += 1) octets.add(await read(number));
    const parts = await readThrough(sevenBitParts(octets), read);
    if (parts === null) return null;
    return new FirstPass(parts, read).run(source.parts);
  }
}

/** Converts the parts in their order, as `SevenBitParts` requires the first time, and keeps only the first of them. */
class FirstPass {
  readonly #parts: SevenBitParts;
  readonly #read: (number: number) => Promise<Buffer>;

  constructor(parts: SevenBitParts, read: (number: number) => Promise<Buffer>) {
    this.#parts = parts;
    this.#read = read;
  }

  async run(count: number): Promise<Omit<SevenBitContent, "release">> {
    const part = async (number: number): Promise<Buffer> => this.#parts.part(number, await this.#read(number));
    const hashing = new PiecewiseBodyHash();
    const first = await part(0);
    hashing.add(first.subarray(bodyStart(first)));
    let sizeBytes = first.length;
    // Used for all parts: buffers that have become free stay in memory until V8 collects them.
    let buffer: Buffer = Buffer.alloc(0);
    for (let number = 1; number < count; number += 1) {
      const octets = this.#parts.part(number, await this.#read(number), buffer);
      hashing.add(octets);
      sizeBytes += octets.length;
      if (octets.length > buffer.length) buffer = octets;
    }
    return { content: { first, laterParts: count - 1, part, bodyHash: hashing.digest() }, sizeBytes };
  }
}

async function readThrough<T>(reading: Reading<T>, read: (number: number) => Promise<Buffer>): Promise<T> {
  let step = reading.next();
  while (step.done !== true) step = reading.next(await read(step.value));
  return step.value;
}

/** A stored content in parts that can be converted at once: the spool returns one that it has just accepted as a single part. */
class Source {
  readonly #content: StoredContent;
  readonly #stepOctets: number;
  /** Parts that the first part of the content is cut into. */
  readonly #cuts: number;

  constructor(content: StoredContent, stepOctets: number) {
    this.#content = content;
    this.#stepOctets = stepOctets;
    this.#cuts = Math.max(1, Math.ceil(content.first.length / stepOctets));
  }

  get parts(): number {
    return this.#cuts + this.#content.laterParts;
  }

  /** What an attempt holds of it at most, with the first part as it is stored. */
  get heldBytes(): number {
    const { length } = this.#content.first;
    return length + GROWTH * Math.min(this.parts, PARTS_HELD) * Math.min(length, this.#stepOctets);
  }

  async read(number: number): Promise<Buffer> {
    if (number >= this.#cuts) return this.#content.part(number - this.#cuts + 1);
    return this.#content.first.subarray(number * this.#stepOctets, (number + 1) * this.#stepOctets);
  }
}

/** Reads the content of a message after DATA into one buffer, while its listener examines the octets as they arrive. */
import { setImmediate } from "node:timers/promises";
import type { SMTPServerDataStream } from "smtp-server";
import type { Clock } from "../lib/clock.ts";
import { watchRate } from "../lib/minimum-rate.ts";
import { type Reservation, SHORT_OCTETS_MAX } from "./message-memory.ts";
import { tooLarge } from "./rejection.ts";

export interface ContentBounds {
  octetsMax: number;
  /** The octets that are kept: those after them are read and dropped. All unless given. */
  keptMax?: number;
  /** The octets after which a client that goes on is cut off. Twice `octetsMax` unless given. */
  cutOffOctets?: number;
  /** As the client has announced it (RFC 1870); null if it has not. */
  announcedOctets: number | null;
  memory: Reservation;
  clock: Clock;
  /** Called with the octets in their order. Throws the reply if they cannot be accepted. */
  examine?: (chunk: Buffer) => void;
  /** Closes the connection of a client that sends more slowly than it may, or without end. Waiting for memory does not count. */
  cutOff: () => void;
}

/** Octets of a long content that are examined before other connections have a turn. */
const TURN_OCTETS = 256 * 1024;
/** The rate at which a content must arrive on average. */
const RATE_MIN = { graceMs: 60_000, bytesPerS: 64 * 1024 };
/** A client that goes on with a rejected content is cut off after so many times the octets that are allowed. */
const EXCESS_MAX = 2;
const NOTHING = (): void => {};

/**
 * Resolves with the content when it is complete, and null if the connection ended before. Rejects with the reply, once all of a content
 * that cannot be accepted has been received.
 */
export async function readContent(stream: SMTPServerDataStream, bounds: ContentBounds): Promise<Buffer | null> {
  const { octetsMax, keptMax = octetsMax, announcedOctets, memory, clock, cutOff } = bounds;
  const watch = (): (() => void) => watchRate({ ...RATE_MIN, clock }, () => stream.byteLength, cutOff);
  let unwatch = watch();
  const most = announcedOctets === null ? octetsMax : Math.min(octetsMax, mostOf(announcedOctets));
  const target = new GrowingContent(most, keptMax, {
    takeShort: (octets) => memory.takeShort(octets),
    async waitLong(octets) {
      unwatch();
      await memory.waitLong(octets);
      unwatch = watch();
    },
  });
  const { examine = NOTHING, cutOffOctets = EXCESS_MAX * octetsMax } = bounds;
  try {
    const fault = await receive(stream, { target, octetsMax, memory, examine, cutOff, cutOffOctets });
    if (fault === "cut_off") return null;
    if (stream.sizeExceeded) throw tooLarge(octetsMax);
    if (fault !== null) throw fault;
    return target.bytes();
  } finally {
    unwatch();
  }
}

interface Receiving
  extends Required<Pick<ContentBounds, "octetsMax" | "memory" | "examine" | "cutOff" | "cutOffOctets">> {
  target: GrowingContent;
}

/** Resolves at the final dot, with the reply if the content is rejected; "cut_off" if the connection ended before. */
async function receive(
  stream: SMTPServerDataStream,
  { target, octetsMax, memory, examine, cutOff, cutOffOctets }: Receiving,
): Promise<Error | "cut_off" | null> {
  let fault: Error | null = null;
  let sinceTurn = 0;
  const take = async (chunk: Buffer): Promise<void> => {
    if (stream.sizeExceeded) throw tooLarge(octetsMax);
    examine(chunk);
    await target.add(chunk);
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (stream.byteLength > cutOffOctets) cutOff();
      if (fault !== null) continue;
      await take(chunk).catch((error: Error) => {
        fault = error;
        target.discard();
        // Its client may go on for minutes.
        memory.release();
      });
      sinceTurn += chunk.length;
      if (sinceTurn < TURN_OCTETS) continue;
      sinceTurn = 0;
      await setImmediate();
    }
    return fault;
  } catch {
    return "cut_off";
  }
}

/** The most octets of a content that was announced with so many: some programs count line ends as one octet. */
const mostOf = (announcedOctets: number): number => Math.ceil(1.25 * announcedOctets) + SHORT_OCTETS_MAX;

/** Memory is reserved before it is allocated: for a short content at the first octet, for a longer one once, for all of it. */
class GrowingContent {
  readonly #octetsMax: number;
  readonly #keptMax: number;
  readonly #memory: Pick<Reservation, "takeShort" | "waitLong">;
  #buffer: Buffer | null = null;
  #size = 0;
  #arrived = 0;
  #isLong = false;

  constructor(octetsMax: number, keptMax: number, memory: Pick<Reservation, "takeShort" | "waitLong">) {
    this.#octetsMax = octetsMax;
    this.#keptMax = Math.min(keptMax, octetsMax);
    this.#memory = memory;
  }

  /** Rejects with the reply where there is no memory, and for more octets than were announced. */
  async add(chunk: Buffer): Promise<void> {
    this.#arrived += chunk.length;
    if (this.#arrived > this.#octetsMax) throw tooLarge(this.#octetsMax);
    const kept = chunk.subarray(0, this.#keptMax - this.#size);
    if (kept.length === 0) return;
    const size = this.#size + kept.length;
    if (size > (this.#buffer?.length ?? 0)) await this.#grow(size);
    this.#size += kept.copy(this.#buffer as Buffer, this.#size);
  }

  bytes(): Buffer {
    return this.#buffer?.subarray(0, this.#size) ?? Buffer.alloc(0);
  }

  discard(): void {
    this.#buffer = null;
    this.#size = 0;
  }

  async #grow(size: number): Promise<void> {
    const isShort = size <= SHORT_OCTETS_MAX;
    const capacity = Math.min(this.#keptMax, isShort ? SHORT_OCTETS_MAX : 2 * size);
    if (isShort) this.#memory.takeShort(capacity);
    else if (!this.#isLong) {
      this.#isLong = true;
      await this.#memory.waitLong(this.#keptMax);
    }
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#buffer?.copy(grown, 0, 0, this.#size);
    this.#buffer = grown;
  }
}

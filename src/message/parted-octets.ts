/**
 * Octets in parts that end anywhere, of which one is in memory at a time. What reads them is a generator: it yields the number of the
 * part that it needs next and gets that part back. So the same code reads a message in memory at once, and a stored one piece by piece,
 * with pauses that the caller decides.
 */
import { isAscii } from "node:buffer";

/** Yields the number of a part, counted from 0, and gets its octets. Returns the result. */
export type Reading<T> = Generator<number, T, Buffer>;

/** Octets from `from` to `to`, without the one at `to`. */
export interface OctetRange {
  from: number;
  to: number;
}

interface Part extends OctetRange {
  isAscii: boolean;
}

export class PartedOctets {
  readonly #parts: Part[] = [];
  #length = 0;
  /** The part in memory. */
  #current: { number: number; octets: Buffer } | null = null;

  /** Octets that are in memory as a whole: reading them yields nothing. */
  static of(octets: Buffer): PartedOctets {
    const whole = new PartedOctets();
    whole.add(octets);
    return whole;
  }

  /** Adds the next part, of which only the length and a mark are kept. All are added before any reading begins. */
  add(octets: Buffer): void {
    this.#current = { number: this.#parts.length, octets };
    this.#parts.push({ from: this.#length, to: this.#length + octets.length, isAscii: isAscii(octets) });
    this.#length += octets.length;
  }

  get all(): OctetRange {
    return { from: 0, to: this.#length };
  }

  /** Lets go of the part in memory. */
  release(): void {
    this.#current = null;
  }

  /** Where a part is. */
  rangeOf(number: number): OctetRange {
    return this.#parts[number] ?? outside(number);
  }

  /** The part that an octet is in; the last one at the end. */
  partAt(at: number): number {
    let [low, high] = [0, this.#parts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rangeOf(middle).to > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Reads only parts of which it needs a piece that may be either. */
  *isAscii(range: OctetRange): Reading<boolean> {
    for (const [number, part] of this.#over(range)) {
      if (part.isAscii) continue;
      if (part.from >= range.from && part.to <= range.to) return false;
      if (!isAscii(yield* this.#piece(number, range))) return false;
    }
    return true;
  }

  /** Where the first occurrence within the range begins; -1 if there is none. */
  *indexOf(sought: Buffer, range: OctetRange): Reading<number> {
    const seam = sought.length - 1;
    // What precedes the piece, as far as an occurrence that ends in the piece may begin in it.
    let before: Buffer = Buffer.alloc(0);
    for (const [number, part] of this.#over(range)) {
      const piece = yield* this.#piece(number, range);
      const from = Math.max(part.from, range.from);
      const joint = before.length === 0 ? before : Buffer.concat([before, piece.subarray(0, seam)]);
      const across = joint.indexOf(sought);
      if (across !== -1) return from - before.length + across;
      const within = piece.indexOf(sought);
      if (within !== -1) return from + within;
      before = lastOctets(piece.length < seam ? Buffer.concat([before, piece]) : piece, seam);
    }
    return -1;
  }

  /** The octets of a short range; a view where one part has them all. */
  *slice(range: OctetRange): Reading<Buffer> {
    const pieces: Buffer[] = [];
    for (const [number] of this.#over(range)) pieces.push(yield* this.#piece(number, range));
    const [only] = pieces;
    return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  }

  /** The parts that have octets of the range, in order. */
  *#over({ from, to }: OctetRange): Generator<[number: number, part: Part]> {
    if (from >= to) return;
    for (let number = this.partAt(from); number < this.#parts.length; number += 1) {
      const part = this.#parts[number] ?? outside(number);
      if (part.from >= to) return;
      if (part.to > part.from) yield [number, part];
    }
  }

  *#piece(number: number, { from, to }: OctetRange): Reading<Buffer> {
    if (this.#current?.number !== number) this.#current = { number, octets: yield number };
    const start = this.rangeOf(number).from;
    return this.#current.octets.subarray(Math.max(0, from - start), to - start);
  }
}

/** The result of a reading of octets that are in memory as a whole. */
export function atOnce<T>(reading: Reading<T>): T {
  const step = reading.next();
  if (step.done !== true) throw new Error("the octets are not in memory as a whole");
  return step.value;
}

/** A copy, so that the rest is not kept. */
const lastOctets = (octets: Buffer, count: number): Buffer =>
  count === 0 ? Buffer.alloc(0) : Buffer.from(octets.subarray(-count));

function outside(number: number): never {
  throw new RangeError(`there is no part ${number}`);
}

/**
 * The pieces that a message in 7 bits consists of, as ranges of the original, and what each part of the original becomes. seven-bit.ts
 * decides about the pieces. Only headers, which are written anew, and the octets of unfinished lines are kept in memory.
 */
import { base64LinesBytes, LINE_BYTES, writeBase64Lines } from "../base64.ts";
import type { OctetRange, PartedOctets } from "../parted-octets.ts";

const CRLF = Buffer.from("\r\n");
const NOTHING = Buffer.alloc(0);

/** In the order of the message. */
type Piece =
  /** Octets that stand before the octet at this place. */
  { type: "written"; at: number; octets: Buffer } | ({ type: "copied" | "encoded" } & OctetRange);

type Ranged = Extract<Piece, { type: "copied" | "encoded" }>;

interface Writable {
  bytes: number;
  write(target: Buffer, at: number): void;
}

export class SevenBitParts {
  readonly #original: PartedOctets;
  readonly #pieces: Piece[] = [];
  /** The octets before a part that belong to its first line in base64. */
  readonly #unfinished = new Map<number, Buffer>();

  constructor(original: PartedOctets) {
    this.#original = original;
  }

  write(at: number, octets: Buffer): void {
    this.#pieces.push({ type: "written", at, octets });
  }

  copy({ from, to }: OctetRange): void {
    const last = this.#pieces.at(-1);
    if (last?.type === "copied" && last.to === from) last.to = to;
    else if (to > from) this.#pieces.push({ type: "copied", from, to });
  }

  /** In base64, with a CRLF after it. */
  encode({ from, to }: OctetRange): void {
    this.#pieces.push({ type: "encoded", from, to });
    this.write(to, CRLF);
  }

  /**
   * What a part of the original becomes. The first time, parts are converted in their order; then in any. Written into `target` if it is
   * large enough, so that a caller may use one buffer for all.
   */
  part(number: number, original: Buffer, target?: Buffer): Buffer {
    const pieces = this.#piecesOf(number, original);
    const size = pieces.reduce((total, { bytes }) => total + bytes, 0);
    const octets = target !== undefined && target.length >= size ? target : Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (const { bytes, write } of pieces) {
      write(octets, at);
      at += bytes;
    }
    return octets.subarray(0, size);
  }

  #piecesOf(number: number, original: Buffer): Writable[] {
    const part = this.#original.rangeOf(number);
    return this.#pieces.flatMap((piece) => {
      if (piece.type === "written") return this.#original.partAt(piece.at) === number ? [copyOf(piece.octets)] : [];
      const range = { from: Math.max(piece.from, part.from), to: Math.min(piece.to, part.to) };
      if (range.from >= range.to) return [];
      const own = original.subarray(range.from - part.from, range.to - part.from);
      return piece.type === "copied" ? [copyOf(own)] : this.#encoded(number, piece, { range, own });
    });
  }

  /** The lines in base64 that end in the part, with the line end before each but the first. */
  #encoded(number: number, piece: Ranged, { range, own }: { range: OctetRange; own: Buffer }): Writable[] {
    const before = piece.from < range.from ? (this.#unfinished.get(number) ?? NOTHING) : NOTHING;
    const octets = before.length === 0 ? own : Buffer.concat([before, own]);
    const size = range.to === piece.to ? octets.length : octets.length - (octets.length % LINE_BYTES);
    if (size < octets.length) this.#unfinished.set(this.#original.partAt(range.to), Buffer.from(octets.subarray(size)));
    if (size === 0) return [];
    const lines: Writable = {
      bytes: base64LinesBytes(size),
      write: (target, at) => void writeBase64Lines(octets.subarray(0, size), target, at),
    };
    const isFirst = range.from - before.length === piece.from;
    return isFirst ? [lines] : [copyOf(CRLF), lines];
  }
}

const copyOf = (octets: Buffer): Writable => ({
  bytes: octets.length,
  write: (target, at) => void octets.copy(target, at),
});

/**
 * Makes a screenshot a third as large: as an indexed PNG with at most 256 colours. Pages have few colours besides those
 * of smoothed edges; each pixel keeps its colour or takes one so near that the eye sees no difference.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const COLOURS_MAX = 256;
/** The commonest colours are those of texts and areas: they are kept exactly. */
const COLOURS_EXACT = 128;
const RGB = 2;
const INDEXED = 3;
const PIXEL_BYTES = 3;

/** Takes an 8-bit RGB PNG without interlacing, as Chromium writes it, and throws for any other. */
export function indexedPng(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const header = Buffer.from(chunks.find(({ type }) => type === "IHDR")?.data ?? []);
  const [bits, colourType, , , interlaced] = header.subarray(8);
  if (bits !== 8 || colourType !== RGB || interlaced !== 0) throw new Error("not an 8-bit RGB PNG without interlacing");
  const width = header.readUInt32BE(0);
  const packed = Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data));
  const colours = coloursOf(inflateSync(packed), width * PIXEL_BYTES);
  const { palette, nearest } = paletteOf(colours);
  const rows = Buffer.alloc((width + 1) * (colours.length / width));
  for (const [i, colour] of colours.entries()) {
    rows[i + Math.floor(i / width) + 1] = nearest.get(colour) ?? 0;
  }
  header[9] = INDEXED;
  const rgb = palette.flatMap((colour) => channelsOf(colour));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(rgb)),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

interface Chunk {
  type: string;
  data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type, "latin1"), data, Buffer.alloc(4)]);
  framed.writeUInt32BE(data.length, 0);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
  return framed;
}

/** The colour of each pixel, as 0xRRGGBB. A row is its filter type (PNG §9) and its filtered bytes. */
function coloursOf(rows: Buffer, rowBytes: number): Uint32Array {
  const count = rows.length / (rowBytes + 1);
  const colours = new Uint32Array((count * rowBytes) / PIXEL_BYTES);
  let above = Buffer.alloc(rowBytes);
  for (let y = 0; y < count; y += 1) {
    const start = y * (rowBytes + 1);
    const row = Buffer.from(rows.subarray(start + 1, start + 1 + rowBytes));
    unfilter(row, above, rows[start] ?? 0);
    for (let x = 0; x < rowBytes; x += PIXEL_BYTES) colours[(y * rowBytes + x) / PIXEL_BYTES] = row.readUIntBE(x, 3);
    above = row;
  }
  return colours;
}

function unfilter(row: Buffer, above: Buffer, filter: number): void {
  for (let i = 0; i < row.length; i += 1) {
    const hasLeft = i >= PIXEL_BYTES;
    const left = hasLeft ? (row[i - PIXEL_BYTES] ?? 0) : 0;
    const corner = hasLeft ? (above[i - PIXEL_BYTES] ?? 0) : 0;
    row[i] = (row[i] ?? 0) + predicted(filter, { left, up: above[i] ?? 0, corner });
  }
}

function predicted(filter: number, { left, up, corner }: { left: number; up: number; corner: number }): number {
  if (filter < 3) return [0, left, up][filter] ?? 0;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

const channelsOf = (colour: number): [number, number, number] => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];

function distance(a: number, b: number): number {
  const [first, second] = [channelsOf(a), channelsOf(b)];
  return Math.hypot(...first.map((value, i) => value - (second[i] ?? 0)));
}

/**
 * The palette, and for each colour the index of the nearest one in it. The commonest colours are kept as they are; of the
 * others those at some distance from all kept before, with the least distance that leaves few enough.
 */
function paletteOf(colours: Uint32Array): { palette: number[]; nearest: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const commonest = [...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour);
  for (let apart = 1; ; apart += 1) {
    const palette = spaced(commonest, apart);
    if (palette === null) continue;
    const indexFor = (colour: number): number => {
      const distances = palette.map((other) => distance(colour, other));
      return distances.indexOf(Math.min(...distances));
    };
    return { palette, nearest: new Map(commonest.map((colour) => [colour, indexFor(colour)])) };
  }
}

/** Null where there are too many. */
function spaced(commonest: number[], apart: number): number[] | null {
  const palette = commonest.slice(0, COLOURS_EXACT);
  for (const colour of commonest.slice(COLOURS_EXACT)) {
    if (palette.some((other) => distance(colour, other) < apart)) continue;
    if (palette.length === COLOURS_MAX) return null;
    palette.push(colour);
  }
  return palette;
}

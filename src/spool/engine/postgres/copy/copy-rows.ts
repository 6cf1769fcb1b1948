/**
 * Encodes rows for COPY in its binary format (PostgreSQL's documentation, COPY, "Binary Format"): contents are sent as they are,
 * and numbers are not parsed.
 */
import type { Columns, Row } from "../../../records/column-types.ts";
import { storedText } from "../connection/stored-text.ts";

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
/** Flags and the length of the header's extension, both 0. */
const HEADER = Buffer.concat([SIGNATURE, Buffer.alloc(8)]);
const TRAILER = -1;
const NULL_LENGTH = -1;

const POSTGRES_EPOCH_MS = Date.UTC(2000, 0, 1);

/** The first buffer of a batch. There are many tables, and few of them are in each batch. */
const BUFFER_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

type Encoder = (rows: CopyRows, value: unknown) => void;

/** Rows of one table, for one COPY. */
export class CopyRows {
  /** By the names of the columns. */
  readonly #encoders: (readonly [name: string, encode: Encoder])[];
  #buffer = EMPTY;
  #end = 0;
  #count = 0;

  constructor(columns: Columns) {
    this.#encoders = Object.entries(columns).map(([name, type]) => {
      const encode = ENCODERS[type.replace("?", "") as keyof typeof ENCODERS];
      if (!type.endsWith("?")) return [name, encode];
      return [name, (rows, value) => (value == null ? rows.#int32(NULL_LENGTH) : encode(rows, value))];
    });
  }

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#end;
  }

  /** Adds a row, as SQLite returns it. A column that it lacks is NULL. */
  add(row: Row): void {
    if (this.#count === 0) this.#bytes(HEADER);
    this.#count += 1;
    this.#int16(this.#encoders.length);
    for (const [name, encode] of this.#encoders) encode(this, row[name]);
  }

  /** Returns the data of the rows, and begins anew. */
  take(): Buffer {
    this.#int16(TRAILER);
    const data = this.#buffer.subarray(0, this.#end);
    this.#buffer = EMPTY;
    this.#end = 0;
    this.#count = 0;
    return data;
  }

  static readonly encoders = {
    text(rows: CopyRows, value: unknown): void {
      const text = storedText(value as string);
      // A UTF-16 unit has at most 3 bytes in UTF-8.
      rows.#reserve(4 + 3 * text.length);
      const length = rows.#buffer.write(text, rows.#end + 4);
      rows.#int32(length);
      rows.#end += length;
    },
    bytea(rows: CopyRows, value: unknown): void {
      rows.#int32((value as Buffer).length);
      rows.#bytes(value as Buffer);
    },
    int(rows: CopyRows, value: unknown): void {
      rows.#int32(4);
      rows.#int32(value as number);
    },
    bigint(rows: CopyRows, value: unknown): void {
      rows.#int32(8);
      rows.#int32(Math.floor((value as number) / 2 ** 32));
      rows.#int32((value as number) | 0);
    },
    /** Microseconds since 2000. */
    timestamptz(rows: CopyRows, value: unknown): void {
      CopyRows.encoders.bigint(rows, ((value as number) - POSTGRES_EPOCH_MS) * 1000);
    },
    bool(rows: CopyRows, value: unknown): void {
      rows.#int32(1);
      rows.#reserve(1);
      rows.#end = rows.#buffer.writeUInt8(value as number, rows.#end);
    },
  };

  #int16(value: number): void {
    this.#reserve(2);
    this.#end = this.#buffer.writeInt16BE(value, this.#end);
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#end = this.#buffer.writeInt32BE(value, this.#end);
  }

  #bytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.#buffer, this.#end);
    this.#end += bytes.length;
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length, BUFFER_BYTES));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}

const ENCODERS = CopyRows.encoders;

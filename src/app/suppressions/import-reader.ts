/**
 * Reads a suppression list that comes in parts: CSV, or JSON as lines or as a page of an API. import-formats.ts decides what its columns
 * mean. Memory is bounded, whatever the file contains.
 */

import { withoutTextMark } from "../../lib/csv.ts";
import { CsvError, CsvReader, type CsvRow } from "../../lib/csv-reader.ts";
import { JsonRecords, JsonRecordsError } from "../../lib/json-records.ts";
import { parseMailbox } from "../../message/address.ts";
import {
  columnName,
  EXPECTED_COLUMNS,
  formatOf,
  type ImportedEntry,
  type ImportFormat,
  PLAIN_LIST,
} from "./import-formats.ts";

/** The file cannot be read from here on. */
export class ImportError extends Error {}

/** A row of the file; `fault` is what is wrong with it. */
export type ImportedRow = { line: number } & (
  | { entry: ImportedEntry; fault?: undefined }
  | { entry?: undefined; email: string; fault: string }
);

/** Arrays of the APIs of Postmark, Amazon SES and Resend. */
const LISTS = ["Suppressions", "SuppressedDestinationSummaries", "data"];

/** Characters that are read at a time. */
const SLICE_LENGTH = 4096;

/** Columns that an error names. */
const NAMED_MAX = 10;

export class ImportReader {
  readonly #decoder = new TextDecoder();
  #source: CsvSource | JsonSource | null = null;

  /** The form of the file; null until it is known. */
  get format(): string | null {
    return this.#source?.format?.name ?? null;
  }

  /** Takes the next part of the file. Yields its rows; all of them must be taken. Throws ImportError. */
  *push(chunk: Uint8Array): Generator<ImportedRow, void> {
    const text = this.#decoder.decode(chunk, { stream: true });
    // The rows of a slice are garbage before the next one is read.
    for (let at = 0; at < text.length; at += SLICE_LENGTH) yield* this.#read(text.slice(at, at + SLICE_LENGTH));
  }

  /** Yields the rows at the end of the file. Throws ImportError. */
  *end(): Generator<ImportedRow, void> {
    yield* this.#read(this.#decoder.decode());
    const source = this.#source;
    if (source !== null) yield* asImport(() => source.end());
  }

  #read(text: string): ImportedRow[] {
    const [first] = text.trimStart();
    if (this.#source === null && first === undefined) return [];
    this.#source ??= first === "{" || first === "[" ? new JsonSource() : new CsvSource();
    const source = this.#source;
    return asImport(() => source.push(text));
  }
}

/** Errors of the readers of a text are those of the import. */
function asImport<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CsvError || error instanceof JsonRecordsError) throw new ImportError(error.message);
    throw error;
  }
}

function unknownColumns(line: number, columns: readonly string[]): ImportError {
  const named = columns.slice(0, NAMED_MAX).map((name) => name.slice(0, 40));
  const more = columns.length > NAMED_MAX ? ` and ${columns.length - NAMED_MAX} more` : "";
  return new ImportError(
    `line ${line}: the columns ${named.join(",")}${more} are of no known form. Expected: ${EXPECTED_COLUMNS}`,
  );
}

function rowOf(line: number, format: ImportFormat, values: (name: string) => string): ImportedRow {
  const entry = format.read(values);
  if (typeof entry !== "string") return { line, entry };
  const email = values("email") || values("emailaddress") || values("recipient");
  return { line, email, fault: entry };
}

class CsvSource {
  readonly #reader = new CsvReader();
  #columns: readonly string[] = [];
  format: ImportFormat | null = null;

  push(text: string): ImportedRow[] {
    return this.#rows(this.#reader.push(text));
  }

  end(): ImportedRow[] {
    return this.#rows(this.#reader.end());
  }

  #rows(rows: readonly CsvRow[]): ImportedRow[] {
    return rows.flatMap((row) => {
      const format = this.format;
      if (format === null) return this.#readHeader(row);
      return [this.#row(row, format)];
    });
  }

  #readHeader(row: CsvRow): ImportedRow[] {
    const [first = ""] = row.cells;
    if (row.cells.length === 1 && parseMailbox(first).type === "valid") {
      this.#columns = ["email"];
      this.format = PLAIN_LIST;
      return [this.#row(row, PLAIN_LIST)];
    }
    this.#columns = row.cells.map(columnName);
    this.format = formatOf(this.#columns);
    if (this.format === null) throw unknownColumns(row.line, row.cells);
    return [];
  }

  #row({ line, cells }: CsvRow, format: ImportFormat): ImportedRow {
    const cellOf = (name: string): string => withoutTextMark(cells[this.#columns.indexOf(name)]?.trim() ?? "");
    return rowOf(line, format, cellOf);
  }
}

class JsonSource {
  readonly #records = new JsonRecords(LISTS);
  format: ImportFormat | null = null;

  push(text: string): ImportedRow[] {
    return this.#records.push(text).map(({ line, text: json }) => this.#row(line, json));
  }

  end(): ImportedRow[] {
    this.#records.end();
    return [];
  }

  #row(line: number, json: string): ImportedRow {
    const members = membersOf(json);
    if (members === null) throw new ImportError(`line ${line}: the object is not valid JSON`);
    this.format ??= formatOf([...members.keys()]);
    if (this.format === null) throw unknownColumns(line, [...members.keys()]);
    return rowOf(line, this.format, (name) => members.get(name) ?? "");
  }
}

/** The texts and numbers of an object by their names, as columns of a file; null for what is not JSON. */
function membersOf(json: string): Map<string, string> | null {
  try {
    const members = Object.entries(JSON.parse(json) as object);
    return new Map(members.map(([name, value]) => [columnName(name), valueText(value)]));
  } catch {
    return null;
  }
}

const valueText = (value: unknown): string =>
  typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";

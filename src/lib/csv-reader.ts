/**
 * Reads comma-separated values (RFC 4180) from a text that comes in parts. Memory is bounded by the length of one record. Semicolons and
 * tabs separate as well: the first separator of the text decides. A quote inside a cell that did not begin with one is a character.
 */

/** Characters of a cell, and of a record; the longest in use are replies of servers. */
export const CELL_LENGTH_MAX = 16 * 1024;
export const RECORD_LENGTH_MAX = 64 * 1024;
export const CELLS_MAX = 100;

export interface CsvRow {
  /** The line that the record begins in, from 1. */
  line: number;
  cells: string[];
}

/** The text is no CSV, or exceeds a limit. */
export class CsvError extends Error {}

const SEPARATORS = ",;\t";
const SPECIAL = new Set([...SEPARATORS, '"', "\r", "\n"].map((character) => character.charCodeAt(0)));

/** Returns where the ordinary characters end that begin at a place. */
function endOfRun(text: string, from: number): number {
  let end = from;
  while (end < text.length && !SPECIAL.has(text.charCodeAt(end))) end += 1;
  return end;
}

export class CsvReader {
  #separator: string | null = null;
  #cells: string[] = [];
  #cell = "";
  #length = 0;
  #line = 1;
  #recordLine = 1;
  #state: "start" | "plain" | "quoted" | "quote_in_quoted" = "start";
  /** The last character was CR: an LF that follows belongs to it. */
  #isAfterCr = false;
  #rows: CsvRow[] = [];

  /** Takes the next part of the text. Returns the records that end in it, without empty lines. Throws CsvError. */
  push(text: string): CsvRow[] {
    for (let at = 0; at < text.length; ) {
      const end = endOfRun(text, at);
      if (end > at) this.#takeRun(text.slice(at, end));
      else this.#take(text.charAt(at));
      at = Math.max(end, at + 1);
    }
    return this.#takeRows();
  }

  /** Returns the last record, if no line end follows it. Throws CsvError. */
  end(): CsvRow[] {
    if (this.#state === "quoted") throw new CsvError(`line ${this.#recordLine}: a quoted cell has no closing quote`);
    if (this.#state !== "start" || this.#cells.length > 0) this.#endRecord();
    return this.#takeRows();
  }

  #takeRows(): CsvRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Takes characters that are ordinary in every state. */
  #takeRun(run: string): void {
    this.#isAfterCr = false;
    if (this.#state !== "quoted") this.#state = "plain";
    this.#append(run);
  }

  #take(character: string): void {
    const isLineEnd = character === "\n" || character === "\r";
    const isSecondHalf = character === "\n" && this.#isAfterCr;
    this.#isAfterCr = character === "\r";
    if (isLineEnd && !isSecondHalf) this.#line += 1;
    if (this.#state === "quoted") {
      if (character === '"') this.#state = "quote_in_quoted";
      else this.#append(character);
      return;
    }
    if (isSecondHalf) {
      this.#recordLine = this.#line;
      return;
    }
    if (isLineEnd) {
      this.#endRecord();
      return;
    }
    if (character === '"' && this.#state !== "plain") {
      if (this.#state === "quote_in_quoted") this.#append('"');
      this.#state = "quoted";
      return;
    }
    if (this.#separates(character)) {
      this.#endCell();
      return;
    }
    this.#state = "plain";
    this.#append(character);
  }

  #separates(character: string): boolean {
    if (this.#separator !== null) return character === this.#separator;
    if (!SEPARATORS.includes(character)) return false;
    this.#separator = character;
    return true;
  }

  #append(text: string): void {
    this.#cell += text;
    this.#length += text.length;
    if (this.#cell.length > CELL_LENGTH_MAX || this.#length > RECORD_LENGTH_MAX) {
      const limits = `${CELL_LENGTH_MAX} characters in a cell, or ${RECORD_LENGTH_MAX} in a record`;
      throw new CsvError(`line ${this.#recordLine}: more than ${limits}`);
    }
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = "";
    this.#state = "start";
    if (this.#cells.length > CELLS_MAX) {
      throw new CsvError(`line ${this.#recordLine}: more than ${CELLS_MAX} cells in a record`);
    }
  }

  #endRecord(): void {
    this.#endCell();
    const isEmpty = this.#cells.length === 1 && this.#cells[0] === "";
    if (!isEmpty) this.#rows.push({ line: this.#recordLine, cells: this.#cells });
    this.#cells = [];
    this.#length = 0;
    this.#recordLine = this.#line;
    // A list without a separator in its first line has none.
    this.#separator ??= ",";
  }
}

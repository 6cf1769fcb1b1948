/** Comma-separated values (RFC 4180), for programs and for spreadsheets. */

/**
 * A spreadsheet takes a cell that begins with one of these for a formula, and what it contains may come from anybody. An apostrophe
 * makes it a text. One more is put before a text that looks like a marked one, so that withoutTextMark returns each text as it was.
 */
const FORMULA = /^'*[=+\-@\t\r]/;

const NEEDS_QUOTES = /[",\r\n]/;

/** Encodes one record, with its line end. Null and undefined are empty cells. */
export function csvRecord(cells: readonly (string | number | boolean | null | undefined)[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(value: string | number | boolean | null | undefined): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a text as csvRecord was given it, without the apostrophe that marks it as one. */
export const withoutTextMark = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

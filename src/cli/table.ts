/** Tables for a terminal. */
import { sanitizeLine } from "../lib/terminal-text.ts";
import { type Style, styled } from "../lib/text-style.ts";
import { padToWidth, textWidth } from "../lib/text-width.ts";

/** Text, or text in a style. Texts may come from outside. */
export type Cell = string | { style: Style; text: string };

/** A number, also with a unit or as a part of another: `1,204`, `12 s`, `3 of 20`, `380/min`. */
const NUMBER = /^\d[\d,.]*(?: ?(?:%|s|ms|min|h|d|B|KiB|MiB|GiB)|\/min| of \d[\d,.]*)?$/;

/**
 * Rows as aligned columns under a heading, columns of numbers to the right, or `none` if there are no rows. Columns are as wide as `widths` at least. Without a
 * heading there are only the rows.
 */
export function table(
  heading: readonly string[] | null,
  rows: readonly (readonly Cell[])[],
  none: string,
  widths: readonly number[] = [],
): string {
  if (rows.length === 0) return none;
  const titles = heading === null ? [] : [heading.map((text): Cell => ({ style: "heading", text }))];
  const all = [...titles, ...rows];
  const columns = all.map((row) => row.map((cell) => textWidth(textOf(cell))));
  const width = (column: number): number => Math.max(widths[column] ?? 0, ...columns.map((row) => row[column] ?? 0));
  const needed = Array.from({ length: Math.max(...all.map(({ length }) => length)) }, (_, column) => width(column));
  const isNumeric = needed.map((_, column) => heading !== null && isNumbers(rows.map((row) => row[column] ?? "")));
  return all.map((row) => lineOf(row, needed, isNumeric)).join("\n");
}

/** Whether a column has only numbers. */
function isNumbers(cells: readonly Cell[]): boolean {
  const texts = cells.map(textOf).filter((text) => text !== "");
  return texts.length > 0 && texts.every((text) => NUMBER.test(text));
}

const textOf = (cell: Cell): string => sanitizeLine(typeof cell === "string" ? cell : cell.text);

function lineOf(row: readonly Cell[], widths: readonly number[], isNumeric: readonly boolean[]): string {
  const filled = row.findLastIndex((cell) => textOf(cell) !== "");
  return row
    .slice(0, filled + 1)
    .map((cell, i) => {
      const text = i === filled ? textOf(cell).trimEnd() : textOf(cell);
      const shown = typeof cell === "string" ? text : styled(cell.style, text);
      if (isNumeric[i] === true) return " ".repeat(Math.max(0, (widths[i] ?? 0) - textWidth(text))) + shown;
      return shown + (i === filled ? "" : padToWidth(text, widths[i] ?? 0).slice(text.length));
    })
    .join("  ");
}

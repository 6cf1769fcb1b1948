/** How tables show a recipient's result, the state of a check and the like. */
import type { Style } from "../lib/text-style.ts";
import type { Cell } from "./table.ts";

const STYLES: Readonly<Record<string, Style>> = {
  delivered: "good",
  failed: "bad",
  unknown: "warn",
  pending: "faint",
  verified: "good",
  "not verified": "warn",
  temporary_failure: "warn",
  ok: "good",
  warning: "warn",
  problem: "bad",
  active: "good",
  paused: "warn",
  accepted: "good",
  refused: "bad",
  deferred: "warn",
  unreachable: "bad",
};

/** The text, or the word itself, in the style of the word. */
export function resultCell(word: string, text = word): Cell {
  const style = STYLES[word];
  return style === undefined ? text : { style, text };
}

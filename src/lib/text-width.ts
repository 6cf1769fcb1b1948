/** How many columns a text takes on a terminal. */

/** Combining marks, joiners and other characters without their own width. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Characters that East Asian Width (UAX #11) calls wide or fullwidth, in ranges that cover its blocks. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{17000}-\u{18AFF}\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\p{Emoji}\uFE0F/u;

const ASCII = /^[\x20-\x7e]*$/;

let graphemes: Intl.Segmenter | null = null;

/** The columns of a line without control characters: a wide character takes two, a combining one none. */
export function textWidth(line: string): number {
  if (ASCII.test(line)) return line.length;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let columns = 0;
  for (const { segment } of graphemes.segment(line)) {
    if (!ZERO_WIDTH.test(segment)) columns += WIDE.test(segment) ? 2 : 1;
  }
  return columns;
}

/** The text with spaces to at least this width. */
export const padToWidth = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - textWidth(text)));

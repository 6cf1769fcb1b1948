/**
 * Styles of text on a terminal. While text is put together, a style is marked by noncharacters (U+FDD0 to U+FDEF), which no input
 * is shown with; only where text is written do they become escape sequences, or disappear.
 */

/** SGR parameters (ECMA-48) by style. */
const STYLES = { heading: "1", good: "32", bad: "31", warn: "33", faint: "2" } as const;

export type Style = keyof typeof STYLES;

const NAMES = Object.keys(STYLES) as Style[];
const FIRST_MARK = 0xfdd0;
const END = "\uFDEF";
const MARKS = /[\uFDD0-\uFDEF]/g;

/** The text with a style. Marks in the text itself are removed. */
export function styled(style: Style, text: string): string {
  return `${String.fromCharCode(FIRST_MARK + NAMES.indexOf(style))}${withoutStyles(text)}${END}`;
}

export const withoutStyles = (text: string): string => text.replace(MARKS, "");

/** The text with escape sequences for its styles. */
export const withEscapes = (text: string): string => text.replace(MARKS, escapeOf);

function escapeOf(mark: string): string {
  const style = NAMES[mark.charCodeAt(0) - FIRST_MARK];
  return style === undefined ? "\u001b[0m" : `\u001b[${STYLES[style]}m`;
}

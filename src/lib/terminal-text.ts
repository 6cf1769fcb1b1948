/**
 * Text that others wrote, on a terminal: what a peer, DNS or a subject says must never be obeyed there.
 */

/** Controls (C0, DEL, C1), line separators, halves of characters, and what reverses the order of text on screen. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** One line, with every character that a terminal might obey replaced by U+FFFD. */
export function escapeLine(text: string): string {
  return text.replace(UNSAFE, "\uFFFD");
}

/** As inLine, with line breaks kept. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeLine).join("\n");
}

/** JSON text of the same value without such characters: they are escaped. */
export function escapeJson(json: string): string {
  return json
    .split("\n")
    .map((line) => line.replace(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`))
    .join("\n");
}

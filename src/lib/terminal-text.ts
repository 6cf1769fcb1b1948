/** Makes untrusted text safe for a terminal: control sequences from peers, DNS or messages must not be interpreted. */

/** Control characters (C0, DEL, C1), line separators, lone surrogates, and characters that change the text direction. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Marks of styles (see text-style.ts), which text from outside must not set. */
const STYLE_MARKS = /[\uFDD0-\uFDEF]/g;

/** One line, with every unsafe character replaced by U+FFFD. */
export function sanitizeLine(text: string): string {
  return text.replace(UNSAFE, "\uFFFD").replace(STYLE_MARKS, "\uFFFD");
}

/** Like sanitizeLine, but keeps line breaks and marks of styles. */
export function sanitizeLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(UNSAFE, "\uFFFD"))
    .join("\n");
}

/** JSON text of the same value with unsafe characters escaped. */
export function escapeJson(json: string): string {
  return json
    .split("\n")
    .map((line) => line.replace(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`))
    .join("\n");
}

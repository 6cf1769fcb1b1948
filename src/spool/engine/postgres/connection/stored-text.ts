/**
 * Encodes values for columns of type text. PostgreSQL's text cannot contain U+0000, which SMTP replies and requests may.
 */

/** Replaces U+0000, which no column can store, by U+FFFD. */
export const storedText = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text);

/** A value of any type as a parameter: text as storedText returns it. */
export const storedValue = <T>(value: T): T | string => (typeof value === "string" ? storedText(value) : value);

/** JSON for a column of type text; null for undefined and null. JSON writes U+0000 as an escape sequence. */
export const storedJson = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);

/**
 * Errors as text. Whatever is thrown has a readable line: an error of a native module is an object that has no text of
 * its own once it has crossed to another thread.
 */

/** What went wrong, in a line, with the error's code where it has one. */
export function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { message, code } = error as { message?: unknown; code?: unknown };
  const parts = [typeof message === "string" ? message : "", typeof code === "string" ? `(${code})` : ""];
  const text = parts.filter((part) => part !== "").join(" ");
  return text === "" ? JSON.stringify(error) : text;
}

/** The same as an Error that crosses to another thread whole. */
export function toCloneableError(error: unknown): Error {
  const whole = new Error(error instanceof Error ? error.message : errorText(error));
  if (error instanceof Error && error.stack !== undefined) whole.stack = error.stack;
  const { code } = (error ?? {}) as { code?: unknown };
  return code === undefined ? whole : Object.assign(whole, { code });
}

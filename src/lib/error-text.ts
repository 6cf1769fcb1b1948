/**
 * Formats any thrown value as a readable line. An error of a native module loses its message when it is posted to another
 * thread.
 */

/** The message of an error in one line, with its code where it has one. */
export function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { message, code } = error as { message?: unknown; code?: unknown };
  const parts = [typeof message === "string" ? message : "", typeof code === "string" ? `(${code})` : ""];
  const text = parts.filter((part) => part !== "").join(" ");
  return text === "" ? JSON.stringify(error) : text;
}

/** Converts a thrown value to an Error that keeps its message and code when it is posted to another thread. */
export function toCloneableError(error: unknown): Error {
  const cloneable = new Error(error instanceof Error ? error.message : errorText(error));
  if (error instanceof Error && error.stack !== undefined) cloneable.stack = error.stack;
  const { code } = (error ?? {}) as { code?: unknown };
  return code === undefined ? cloneable : Object.assign(cloneable, { code });
}

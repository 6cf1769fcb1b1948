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

/** The reason of a system error without operation and path: `EACCES: permission denied, open '/x'` becomes `permission denied (EACCES)`. */
export function systemReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, code, reason] = /^([A-Z]+\w*): ([^,]+)/.exec(message) ?? [];
  return reason === undefined ? message : `${reason} (${code})`;
}

/** The fault in an error of node:util's parseArgs: its first sentence. The rest is advice that may not apply. */
export function argumentFault(error: unknown): string {
  const [sentence = ""] = (error as Error).message.split(/\.\s|\n/);
  return sentence.replace(/\.$/, "");
}

/** The same as an Error that crosses to another thread whole. */
export function toCloneableError(error: unknown): Error {
  const cloneable = new Error(error instanceof Error ? error.message : errorText(error));
  if (error instanceof Error && error.stack !== undefined) cloneable.stack = error.stack;
  const { code } = (error ?? {}) as { code?: unknown };
  return code === undefined ? cloneable : Object.assign(cloneable, { code });
}

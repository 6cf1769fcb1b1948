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
  const [, code, reason] = /^([A-Z]\w*): ([^,]+)/.exec(message) ?? [];
  return reason === undefined ? message : `${reason} (${code})`;
}

/** Errors of OpenSSL by their code, in a sentence; OpenSSL's own reason is clear enough for the others. */
const TLS_FAULTS: Record<string, string> = {
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the peer requires a client certificate",
  ERR_SSL_WRONG_VERSION_NUMBER: "the peer does not speak TLS (wrong version number)",
};

/**
 * The fault in an error of a TCP or TLS connection. The message of an error of OpenSSL contains source files and line numbers; its
 * reason is the readable part.
 */
export function connectionErrorText(error: Error & { code?: string; reason?: string }): string {
  return TLS_FAULTS[error.code ?? ""] ?? error.reason ?? error.message;
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

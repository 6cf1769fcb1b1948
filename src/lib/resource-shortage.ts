/**
 * Which errors say that this process or host is out of something that others will return: descriptors, buffers, memory for a thread.
 * They are temporary, and nobody else's fault.
 */

/** Codes of errors of the system. */
export const SHORTAGE_CODES: readonly string[] = ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"];

/** Node's code for a thread that could not be started, or not have its pipes; only its message says why. */
export const THREAD_NOT_STARTED = "ERR_WORKER_INIT_FAILED";

export function isResourceShortage(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === "string" && (SHORTAGE_CODES.includes(code) || code === THREAD_NOT_STARTED)) return true;
  return cause !== undefined && cause !== error && isResourceShortage(cause);
}

/**
 * Decides what an error of the server or of the network means: the database is unavailable for now, stored data is damaged, or
 * the statement is wrong, which is a broken invariant. Codes are those of PostgreSQL's Appendix A.
 */
import { errorText } from "../../../../lib/error-text.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";

interface DriverError {
  code?: unknown;
  message?: unknown;
  severity?: unknown;
  constraint?: unknown;
}

/**
 * Classes of SQLSTATE after which the same call may succeed later: connection exceptions (08), invalid authorization (28),
 * read-only transactions of a standby (25), transaction rollback (40), insufficient resources (53), operator intervention (57)
 * and system errors (58).
 */
const TEMPORARY_CLASSES = new Set(["08", "25", "28", "40", "53", "57", "58"]);

/** Lock not available: the server waited for a lock as long as lock_timeout allows. */
const LOCK_TIMEOUT = "55P03";

/** Serialization failure, and deadlock. */
const RETRYABLE = new Set(["40001", "40P01"]);

/** Data corrupted, and index corrupted. */
const DAMAGED = new Set(["XX001", "XX002"]);

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as DriverError;
  return typeof code === "string" ? code : "";
};

/**
 * The server is about to close the connection, or to refuse all writes on it: admin shutdown, crash shutdown, cannot connect now,
 * idle session and idle transaction timeout, and the read-only transactions of a server that is no longer the primary.
 */
const ENDS_CONNECTION = new Set(["57P01", "57P02", "57P03", "57P05", "25P03", "25006"]);

/** The driver's errors after one of its time limits: for a reply, for a connection, and for a free one of the pool. */
const TIME_LIMITS =
  /^(Query read timeout|timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;

/** The server has sent no reply in time. */
export class NoReply extends SpoolUnavailable {}

/** An error that the server sent, as opposed to one of the network or of the driver. */
export const isFromServer = (error: unknown): boolean => typeof (error as DriverError | null)?.severity === "string";

/** Whether a time limit has passed without a reply of the server. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof NoReply || (error instanceof Error && TIME_LIMITS.test(error.message));

/** Whether the connection on which a statement has failed must not be used again. */
export function endsConnection(error: unknown): boolean {
  if (isFromServer(error)) return ENDS_CONNECTION.has(codeOf(error));
  return !(error instanceof SpoolUnavailable) && isOfConnection(error);
}

/** Whether the transaction may be repeated at once. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.has(codeOf(error));

/** Whether a stored page cannot be read. */
export const isDamaged = (error: unknown): boolean => DAMAGED.has(codeOf(error));

/** Whether a lock was not granted in time; also as SpoolUnavailable. */
export const isLockTimeout = (error: unknown): boolean =>
  codeOf(error instanceof SpoolUnavailable ? error.cause : error) === LOCK_TIMEOUT;

/** Whether a row violates the constraint or unique index of this name, or any if there is none. */
export function violates(error: unknown, constraint?: string): boolean {
  return codeOf(error) === "23505" && (constraint === undefined || (error as DriverError).constraint === constraint);
}

const isTemporary = (code: string): boolean => TEMPORARY_CLASSES.has(code.slice(0, 2)) || code === LOCK_TIMEOUT;

/** SpoolUnavailable for what is temporary; any other error as it is. */
export function asSpoolError(error: unknown): unknown {
  if (error instanceof SpoolUnavailable) return error;
  if (isFromServer(error) && !isTemporary(codeOf(error))) return error;
  // The driver's own errors (a lost connection, a timeout) have no severity, and those of sockets have a code such as ECONNRESET.
  if (!isFromServer(error) && !isOfConnection(error)) return error;
  return new SpoolUnavailable(`the database is unavailable: ${reasonOf(error)}`, { cause: error });
}

/** Without addresses and names of users: /readyz shows it to anyone. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code.startsWith("28")) return `it refuses the login (${code})`;
  return code.startsWith("E") ? code : errorText(error);
}

const CONNECTION_MESSAGES =
  /connection|timeout|timed out|not queryable|was closed|pool after calling end|ECONN|EPIPE|socket|certificate|SSL/i;

const isOfConnection = (error: unknown): boolean =>
  codeOf(error).startsWith("E") || (error instanceof Error && CONNECTION_MESSAGES.test(error.message));

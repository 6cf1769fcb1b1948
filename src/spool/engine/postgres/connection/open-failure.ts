/**
 * Why a database cannot be opened: one line for the operator, without the password, and whether waiting may help. Codes are
 * those of PostgreSQL's Appendix A and of Node.
 */
import { SpoolUnavailable } from "../../../port/errors.ts";
import { isFromServer } from "./database-error.ts";

/** What breaks sessions, and what to do about it. */
export const POOLER = "a connection pooler such as PgBouncer: DATABASE_URL must lead to PostgreSQL itself";

const IS_POOLER = `this is the answer of ${POOLER}`;

/** What to do about an error of the server. */
const ADVICE: Readonly<Record<string, string>> = {
  // Prepared statements that another session has, or that are another session's.
  "26000": IS_POOLER,
  "42P05": IS_POOLER,
  "28000": "allow it in pg_hba.conf, or correct the user name",
  "28P01": "correct the user name and the password",
  "3D000": "create the database, or correct its name",
  "42501": "make the user the owner of the database",
  "53300": "raise max_connections",
  "55P03": "end long reads of the database, such as that of pg_dump",
};

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server accepts connections there",
  ECONNRESET: "the server closed the connection",
  EPIPE: "the server closed the connection",
  ETIMEDOUT: "the server does not reply",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ENOTFOUND: "the host name does not resolve",
  EAI_AGAIN: "the host name does not resolve",
};

/** The driver's own errors, which have no code. */
const DRIVER_FAULTS: readonly (readonly [words: RegExp, fault: string])[] = [
  [/timeout/i, "the server does not reply"],
  [/^Connection terminated/, "the server closed the connection"],
];

/** A pooler's, before there is a session. */
const UNSUPPORTED_PARAMETER = /unsupported startup parameter/;

/** The server is starting, stopping, or has no connection left. */
const PASSING = /^(08...|53300|57P0[123])$/;

interface Fault {
  text: string;
  mayPass: boolean;
}

/** Describes an error of the server, of the network or of the driver; null for any other. */
export function describeDatabaseFailure(error: unknown): string | null {
  return faultOf(error)?.text ?? null;
}

/** Whether a server that is not ready yet explains the error. */
export const mayPass = (error: unknown): boolean => faultOf(error)?.mayPass === true;

function faultOf(thrown: unknown): Fault | null {
  const error = thrown instanceof SpoolUnavailable ? (thrown.cause ?? thrown) : thrown;
  if (!(error instanceof Error)) return null;
  const { message, code = "", syscall }: NodeJS.ErrnoException = error;
  if (isFromServer(error)) {
    if (UNSUPPORTED_PARAMETER.test(message)) return { text: `${message}: ${IS_POOLER}`, mayPass: false };
    const advice = ADVICE[code];
    return { text: advice === undefined ? message : `${message}: ${advice}`, mayPass: PASSING.test(code) };
  }
  const unreachable = UNREACHABLE[code] ?? (syscall === "connect" ? message : undefined);
  if (unreachable !== undefined) return { text: `${unreachable} (${code})`, mayPass: true };
  const [, fault] = DRIVER_FAULTS.find(([words]) => words.test(message)) ?? [];
  if (fault !== undefined) return { text: fault, mayPass: true };
  const refused = refusedByClient(message, code);
  return refused === null ? null : { text: refused, mayPass: false };
}

/** What this side of the connection does not accept. */
function refusedByClient(message: string, code: string): string | null {
  if (/^SASL: .*password must be/.test(message)) return "the server asks for a password, and there is none in it";
  if (/does not support SSL/.test(message))
    return "the server does not offer TLS: turn it on there, or use sslmode=disable";
  if (!/CERT|ERR_TLS|ERR_SSL|EPROTO|SIGNATURE/.test(code)) return null;
  const isUntrusted = /SELF_SIGNED|ISSUER|SIGNATURE/.test(code);
  return `its certificate is not accepted: ${message} (${code})${isUntrusted ? ": name its authority by sslrootcert=FILE" : ""}`;
}

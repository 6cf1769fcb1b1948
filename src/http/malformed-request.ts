/**
 * Responds with an error to requests that Node's parser rejects, and to those that Node accepts but that programs
 * on the way may read differently. Everything else goes to the API.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { newRequestId } from "../lib/request-id.ts";
import { discardRest } from "./overload/parser-feed.ts";
import { invalidIdempotencyKey } from "./request/idempotency.ts";
import { answerBare } from "./response/bare-response.ts";
import type { DialectOf } from "./response/dialect.ts";
import { loggedTarget } from "./response/logged-path.ts";
import { Problem } from "./response/problems.ts";
import { STRICT_TRANSPORT_LINE } from "./strict-transport.ts";

interface ParserError extends Error {
  code?: string;
  /** The bytes that were being parsed, and the position of the error. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/** Fields that may occur once: of several, each program on the way may use another (RFC 9110 §5.3, §7.2). */
const SINGLE_FIELDS = new Set(["host", "authorization", "content-type"]);

/** A response that no endpoint sent. */
export interface Rejected {
  requestId: string;
  /** Empty if the request could not be parsed. */
  method: string;
  /** As returned by loggedTarget. */
  path: string;
  status: number;
  problem: Problem;
}

export interface AmbiguousOptions {
  /** Called after a response was sent. */
  rejected: (rejected: Rejected) => void;
  dialectOf: DialectOf;
}

export interface MalformedOptions extends AmbiguousOptions {
  /** Whether the response carries Strict-Transport-Security, as the server's other responses do. */
  isStrict: boolean;
}

/** Responds to a server's `clientError` and closes the connection. */
export function answerMalformed(error: ParserError, socket: Duplex, options: MalformedOptions): void {
  if (socket.writable && error.code !== "ECONNRESET") options.rejected(reject(error, socket, options));
  // Bytes that follow a parser error cause further errors; that connection is already being closed.
  else if (!error.code?.startsWith("HPE_")) socket.destroy();
}

function reject(error: ParserError, socket: Duplex, { isStrict, dialectOf }: MalformedOptions): Rejected {
  const problem = malformed(error);
  const requestId = newRequestId();
  // The path is not known, so the response has the form of Postrider's own API.
  const { contentType, body } = dialectOf("/").errors(problem, { id: requestId, isAnonymous: true });
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      `Content-Type: ${contentType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff",
      ...(isStrict ? [STRICT_TRANSPORT_LINE] : []),
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  discardRest(socket);
  return { requestId, method: "", path: "", status: problem.status, problem };
}

/** Responds 400 or 417 to an ambiguous request. Returns false for any other. */
export function rejectAmbiguous(
  req: IncomingMessage,
  res: ServerResponse,
  { rejected, dialectOf }: AmbiguousOptions,
): boolean {
  const problem = ambiguity(req);
  if (problem === null) return false;
  const { method = "", url = "" } = req;
  const { errors: form } = dialectOf(url);
  const { requestId, status } = answerBare({ req, res, problem, form, headers: { Connection: "close" } });
  rejected({ requestId, method, path: loggedTarget(url), status, problem });
  return true;
}

function ambiguity(req: IncomingMessage): Problem | null {
  const { host, expect } = req.headers;
  const invalid = (detail: string): Problem => new Problem("invalid_request", detail);
  // RFC 9110 §10.1.1.
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    return new Problem("expectation_failed", "Expect can only be 100-continue.");
  }
  if (host === undefined && req.httpVersionMinor > 0) return invalid("The Host header field is missing.");
  if (!toOriginForm(req)) return invalid("The request target is not a path or an absolute URL.");
  const repeated = repeatedField(req.rawHeaders);
  return repeated === null ? null : invalid(`The header field ${repeated} occurs more than once.`);
}

/** Replaces an absolute target (RFC 9112 §3.2.2) by its path. Returns false where the target is not a URL. */
function toOriginForm(req: IncomingMessage): boolean {
  const { url = "" } = req;
  if (url.startsWith("/") || url === "*") return true;
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return false;
  const { pathname, search } = new URL(url);
  req.url = pathname + search;
  return true;
}

function repeatedField(rawHeaders: string[]): string | null {
  let seen = "";
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    if (!SINGLE_FIELDS.has(name)) continue;
    if (seen.includes(name)) return name;
    seen += `${name} `;
  }
  return null;
}

function malformed(error: ParserError): Problem {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return new Problem("headers_too_large", "The request's header fields are too large.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Problem("request_timeout", "The request did not arrive in time.");
    default:
      return isInIdempotencyKey(error)
        ? invalidIdempotencyKey()
        : new Problem("invalid_request", "This is not a well-formed HTTP request.");
  }
}

/** Whether the parser stopped in the Idempotency-Key field, as it does at control characters. */
function isInIdempotencyKey({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  const read = rawPacket?.toString("latin1", 0, bytesParsed) ?? "";
  return /^idempotency-key:/i.test(read.slice(read.lastIndexOf("\n") + 1));
}

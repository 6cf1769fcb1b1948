/**
 * What Node's parser refuses before there is a request: those clients get a problem document too. Everything that
 * parses goes to the API.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { newRequestId } from "../lib/request-id.ts";
import { invalidIdempotencyKey } from "./idempotency.ts";
import { discardRest } from "./overload/parser-feed.ts";
import { answerBare } from "./response/bare-response.ts";
import { Problem, type ProblemCode, problemDocument } from "./response/problems.ts";
import { STRICT_TRANSPORT_LINE } from "./strict-transport.ts";

interface ParserError extends Error {
  code?: string;
  /** The bytes that were being parsed, and how far. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/** Fields that a request may have once: of several, programs on the way may each take another (RFC 9110 §5.3, §7.2). */
const SINGLE_FIELDS = new Set(["host", "authorization", "content-type"]);

/** An answer that no endpoint gave. */
export interface Refused {
  requestId: string;
  status: number;
  code: ProblemCode;
}

export interface MalformedOptions {
  /** Called with what was answered. */
  refused: (refused: Refused) => void;
  /** Whether the answer carries Strict-Transport-Security, as the server's other answers do. */
  isStrict: boolean;
}

/** Answers a server's `clientError` and ends the connection. */
export function answerMalformed(error: ParserError, socket: Duplex, { refused, isStrict }: MalformedOptions): void {
  if (socket.writable && error.code !== "ECONNRESET") refused(refuse(error, socket, isStrict));
  // Bytes after the ones at fault are at fault as well; that connection ends by itself.
  else if (!error.code?.startsWith("HPE_")) socket.destroy();
}

function refuse(error: ParserError, socket: Duplex, isStrict: boolean): Refused {
  const problem = malformed(error);
  const requestId = newRequestId();
  const body = JSON.stringify(problemDocument(problem, requestId));
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      "Content-Type: application/problem+json",
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
  return { requestId, status: problem.status, code: problem.code };
}

/** Answers 400 or 417 to a request that Node lets through and no program should guess about; false where it is none. */
export function refuseAmbiguous(
  req: IncomingMessage,
  res: ServerResponse,
  report: (refused: Refused) => void,
): boolean {
  const problem = ambiguity(req);
  if (problem === null) return false;
  const requestId = answerBare(res, problem, { Connection: "close" });
  report({ requestId, status: problem.status, code: problem.code });
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
  return repeated === null ? null : invalid(`The header field ${repeated} is there more than once.`);
}

/** Brings an absolute target (RFC 9112 §3.2.2) to its path; false where it is no URL. */
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

/** Whether the field line that the parser stopped at is the Idempotency-Key: control characters end there. */
function isInIdempotencyKey({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  const read = rawPacket?.toString("latin1", 0, bytesParsed) ?? "";
  return /^idempotency-key:/i.test(read.slice(read.lastIndexOf("\n") + 1));
}

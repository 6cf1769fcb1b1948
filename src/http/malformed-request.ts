/**
 * What Node's parser refuses before there is a request: those clients get a problem document too. Everything that
 * parses goes to the API.
 */
import type { Duplex } from "node:stream";
import { newRequestId } from "../request-id.ts";
import { invalidIdempotencyKey } from "./idempotency.ts";
import { Problem, type ProblemCode, problemDocument } from "./problems.ts";
import { STRICT_TRANSPORT_LINE } from "./strict-transport.ts";

interface ParserError extends Error {
  code?: string;
  /** The bytes that were being parsed, and how far. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/** How long a client may go on sending once it was answered; its bytes are discarded, so that it sees the answer. */
const LINGER_MS = 2000;

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
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(cut));
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
  return { requestId, status: problem.status, code: problem.code };
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

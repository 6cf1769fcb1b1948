/**
 * What becomes of a request's body that nothing reads, because the request is answered without it. A short one of known length
 * is left to Node, which discards it and keeps the connection; it must be complete soon after the answer. Any other ends the
 * connection (parser-feed.ts discards the rest). A client that waits for permission to send its body gets it only when the
 * body is about to be read (RFC 9110 §10.1.1).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** A body of known length costs little to discard, and a kept connection is worth as much. */
const KEPT_BYTES_MAX = 1024 * 1024;
/** For such a body to be complete, from the answer on. */
const REST_MS = 5000;

/** Arranges it for a request that is about to be handled. */
export function boundUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  const { "content-length": length, "transfer-encoding": coding } = req.headers;
  if (coding === undefined && (length === undefined || length === "0")) return;
  if (coding === undefined && Number(length) <= KEPT_BYTES_MAX) {
    res.once("finish", () => {
      if (!req.complete) cutLater(req);
    });
    return;
  }
  res.setHeader("Connection", "close");
  req.once("end", () => {
    if (!res.headersSent) res.removeHeader("Connection");
  });
}

function cutLater(req: IncomingMessage): void {
  const cut = setTimeout(() => {
    if (!req.complete) req.socket.destroy();
  }, REST_MS);
  req.once("close", () => clearTimeout(cut));
}

/** Has `Expect: 100-continue` answered when something begins to read the body, whichever front it is, instead of at once. */
export function deferContinue(server: Server): void {
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => {
    req.once("resume", () => {
      // Node resumes what nothing has read once the response is sent.
      if (!res.headersSent) res.writeContinue();
    });
    server.emit("request", req, res);
  });
  // Any other expectation is refused where all ambiguous requests are.
  server.on("checkExpectation", (req: IncomingMessage, res: ServerResponse) => void server.emit("request", req, res));
}

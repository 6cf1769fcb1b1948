/**
 * Handles request bodies that no endpoint reads. Node discards a short one of known length and keeps the connection; the body
 * must be complete soon after the response. Any other body closes the connection (parser-feed.ts discards the rest). A client
 * that sends `Expect: 100-continue` gets its 100 only when the body is about to be read (RFC 9110 §10.1.1).
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { MIB } from "../../lib/units.ts";

/** Discarding a body of known length costs about as much as a new connection. */
const KEPT_BYTES_MAX = MIB;
/** How long such a body may take after the response. */
const REST_MS = 5000;

/** Called before a request is handled. */
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

/** Sends 100 Continue when the body is first read, in the API and the dashboard alike, instead of at once. */
export function deferContinue(server: Server): void {
  server.on("checkContinue", (req: IncomingMessage, res: ServerResponse) => {
    req.once("resume", () => {
      // Node resumes an unread body once the response is sent.
      if (!res.headersSent) res.writeContinue();
    });
    server.emit("request", req, res);
  });
  // malformed-request.ts rejects any other expectation.
  server.on("checkExpectation", (req: IncomingMessage, res: ServerResponse) => void server.emit("request", req, res));
}

/**
 * Listening: plain HTTP, or HTTPS when a certificate is there (which one, and for how long, is certificate.ts's), with
 * bounds on what a slow client can hold.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { type Certificate, readCertificate, watchCertificate } from "./certificate.ts";
import { answerMalformed, type Refused, refuseAmbiguous } from "./malformed-request.ts";
import { boundConnections } from "./overload/connections.ts";
import { feedInSlices } from "./overload/parser-feed.ts";
import { boundUnreadBody, deferContinue } from "./overload/unread-body.ts";
import { StrictTransportResponse } from "./strict-transport.ts";

/** Connections that may wait for the event loop to take them; the kernel has its own limit too. */
const BACKLOG = 4096;
/** For a TLS handshake, and again for a request's header. */
const HEADERS_TIMEOUT_MS = 20_000;
/** A whole request, body included; answers (`?wait=`) may take longer. */
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
/** How long requests under way may still take when the server stops. */
export const DRAIN_MS = 5000;
/** Between looks for connections that have become idle meanwhile. */
const DRAIN_LOOK_MS = 50;
/** How long a connection may stand still: in the midst of an answer that its client does not read, for instance. */
export const STALLED_MS = 90_000;

/** A request without Host is answered in malformed-request.ts: Node's own answer has no body. */
const OPTIONS = { requireHostHeader: false };
const STRICT = { ServerResponse: StrictTransportResponse };

export interface Listener {
  port: number;
  secure: boolean;
  /** When the certificate that is served ends, milliseconds since the epoch; null over plain HTTP. */
  certificateEndsMs(): number | null;
  /** Takes no new connections, lets requests under way finish within a bound. */
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** Where http.crt and http.key may lie. */
  certsDir: string;
  /** Whether clients reach us over HTTPS even where there is no certificate here: a proxy has one. */
  publicHttps?: boolean;
  clock: Clock;
  log: Logger;
  answer: (req: IncomingMessage, res: ServerResponse) => void;
  /** A request that is none was answered without `answer`. */
  refused: (refused: Refused) => void;
}

/** Listens; rejects when the port is taken or the certificate cannot be read. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const certificate = readCertificate(options.certsDir);
  // What is left of the bytes of a client that was cut off is parsed all the same.
  const answer: RequestListener = (req, res) => {
    if (req.socket.destroyed) return;
    boundUnreadBody(req, res);
    if (!refuseAmbiguous(req, res, options.refused)) options.answer(req, res);
  };
  const secure = certificate === null ? null : secureServer(certificate, { ...options, answer });
  const isStrict = secure !== null || options.publicHttps === true;
  const server = secure?.server ?? createServer({ ...OPTIONS, ...(isStrict ? STRICT : {}) }, answer);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = STALLED_MS;
  server.on("clientError", (error, socket) => answerMalformed(error, socket, { refused: options.refused, isStrict }));
  const connected = secure === null ? "connection" : "secureConnection";
  feedInSlices(server, connected);
  deferContinue(server);
  const { cutHandshakes } = boundConnections(server, connected);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host: options.host, backlog: BACKLOG }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    secure: secure !== null,
    certificateEndsMs: () => secure?.endsMs() ?? null,
    close() {
      secure?.stopWatching();
      return drain(server, cutHandshakes);
    },
  };
}

/** Connections keep the certificate that they began with; none is cut for a new one. */
function secureServer(first: Certificate, { certsDir, clock, log, answer }: ListenOptions) {
  const pair = { cert: first.cert, key: first.key, handshakeTimeout: HEADERS_TIMEOUT_MS };
  const server = createTlsServer({ ...pair, ...OPTIONS, ...STRICT }, answer);
  let endsMs = first.untilMs;
  const stopWatching = watchCertificate({
    certsDir,
    served: first,
    clock,
    log,
    serve(certificate) {
      server.setSecureContext(certificate);
      endsMs = certificate.untilMs;
    },
  });
  return { server, stopWatching, endsMs: () => endsMs };
}

async function drain(server: Server, cutHandshakes: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node keeps a connection open that becomes idle only after the close.
  const look = setInterval(() => {
    server.closeIdleConnections();
    cutHandshakes();
  }, DRAIN_LOOK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(look);
  clearTimeout(cut);
}

/**
 * Listens on plain HTTP, or on HTTPS where there is a certificate (security/served-certificate.ts), and bounds what slow clients can hold.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import type { Clock } from "../lib/clock.ts";
import { startListening } from "../lib/listening.ts";
import type { Logger } from "../lib/log.ts";
import type { CertificatePair } from "../security/certificate-pair.ts";
import {
  type Certificate,
  type CertificatePlaces,
  type ObtainedPair,
  readCertificate,
  watchCertificate,
} from "../security/served-certificate.ts";

import { createDialects } from "./dialects.ts";
import { answerMalformed, type Rejected, rejectAmbiguous } from "./malformed-request.ts";
import { boundConnections } from "./overload/connections.ts";
import { feedInSlices } from "./overload/parser-feed.ts";
import { boundUnreadBody, deferContinue } from "./overload/unread-body.ts";
import type { DialectOf } from "./response/dialect.ts";
import { StrictTransportResponse } from "./strict-transport.ts";

/** Connections that may wait to be accepted. The kernel has its own limit too. */
const BACKLOG = 4096;
/** For a TLS handshake, and again for the header of a request. */
const HEADERS_TIMEOUT_MS = 20_000;
/** For a whole request, body included. Responses (`?wait=`) may take longer. */
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
/** How long running requests may still take when the server stops. */
export const DRAIN_MS = 5000;
/** How often a stopping server closes connections that have become idle. */
const DRAIN_CHECK_MS = 50;
/** How long a connection may make no progress, for example within a response that its client does not read. */
export const STALLED_MS = 90_000;

/** malformed-request.ts responds to a request without Host: Node's own response has no body. */
const OPTIONS = { requireHostHeader: false };
const STRICT = { ServerResponse: StrictTransportResponse };

export interface Listener {
  port: number;
  secure: boolean;
  /** When the served certificate expires, milliseconds since the epoch; null over plain HTTP. */
  certificateEndsMs(): number | null;
  /** Accepts no new connections, and lets running requests finish within DRAIN_MS. */
  close(): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  /** The directory that may hold http.crt and http.key; null for plain HTTP. */
  certsDir: string | null;
  /** Absent where the service obtains no certificate for this listener automatically. */
  automatic?: AutomaticCertificate | null;
  /** Whether clients use HTTPS although there is no certificate here, because a proxy has one. */
  publicHttps?: boolean;
  clock: Clock;
  log: Logger;
  answer: (req: IncomingMessage, res: ServerResponse) => void;
  /** Called after a malformed request was rejected without `answer`. */
  rejected: (rejected: Rejected) => void;
  /** Absent where PUBLIC_URL is not known. */
  dialectOf?: DialectOf;
}

/** The certificate that the service obtains. The listener speaks HTTPS from the start. */
export interface AutomaticCertificate {
  obtained: ObtainedPair;
  /** Served until there is one: clients that verify certificates reject it. */
  placeholder: CertificatePair;
  /** What answers a challenge by TLS-ALPN-01 (RFC 8737) for a host; null without one. Absent where this challenge is not used. */
  challenge?: ((servername: string) => SecureContext | null) | undefined;
}

/** The protocol of a challenge. */
const ACME_TLS = "acme-tls/1";

/** Starts to listen. Rejects when the port is in use or the certificate cannot be read. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { rejected, dialectOf = createDialects(() => "") } = options;
  const places = placesOf(options);
  const certificate = places === null ? null : firstCertificate(places, options);
  // Node goes on parsing the buffered bytes of a destroyed connection.
  const answer: RequestListener = (req, res) => {
    if (req.socket.destroyed) return;
    boundUnreadBody(req, res);
    if (!rejectAmbiguous(req, res, { rejected, dialectOf })) options.answer(req, res);
  };
  const secure =
    certificate === null || places === null ? null : secureServer(certificate, places, { ...options, answer });
  const isStrict = secure !== null || options.publicHttps === true;
  const server = secure?.server ?? createServer({ ...OPTIONS, ...(isStrict ? STRICT : {}) }, answer);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = STALLED_MS;
  server.on("clientError", (error, socket) => answerMalformed(error, socket, { rejected, dialectOf, isStrict }));
  const connected = secure === null ? "connection" : "secureConnection";
  feedInSlices(server, connected);
  deferContinue(server);
  const { cutHandshakes } = boundConnections(server, connected);
  await startListening(server, { port: options.port, host: options.host, backlog: BACKLOG });
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

/** Connections keep the certificate that they began with. */
function secureServer(
  first: FirstCertificate,
  places: CertificatePlaces,
  { automatic, clock, log, answer }: ListenOptions,
) {
  const pair = { cert: first.cert, key: first.key, handshakeTimeout: HEADERS_TIMEOUT_MS };
  const challenge = automatic?.challenge === undefined ? {} : { ALPNCallback: answerChallenge(automatic.challenge) };
  const server = createTlsServer({ ...pair, ...challenge, ...OPTIONS, ...STRICT }, answer);
  let endsMs = first.untilMs;
  const stopWatching = watchCertificate({
    places,
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

interface FirstCertificate extends CertificatePair {
  /** Null for the placeholder. */
  untilMs: number | null;
}

const placesOf = ({ certsDir, automatic }: ListenOptions): CertificatePlaces | null =>
  certsDir === null ? null : { dir: certsDir, names: ["http"], obtained: automatic?.obtained };

function firstCertificate(places: CertificatePlaces, { automatic }: ListenOptions): FirstCertificate | null {
  const found: Certificate | null = readCertificate(places);
  return found ?? (automatic ? { ...automatic.placeholder, untilMs: null } : null);
}

/** Clients that offer the protocol of challenges get the certificate of the challenge; all others speak HTTP. */
function answerChallenge(challenge: NonNullable<AutomaticCertificate["challenge"]>) {
  return function (this: TLSSocket, offered: { servername: string; protocols: string[] }): string | undefined {
    if (!offered.protocols.includes(ACME_TLS)) return offered.protocols.find((protocol) => protocol === "http/1.1");
    const context = challenge(offered.servername);
    if (context === null) return undefined;
    this.setKeyCert(context);
    return ACME_TLS;
  };
}

async function drain(server: Server, cutHandshakes: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Node keeps a connection open that becomes idle after close().
  const check = setInterval(() => {
    server.closeIdleConnections();
    cutHandshakes();
  }, DRAIN_CHECK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(check);
  clearTimeout(cut);
}

/**
 * Listens for SMTP submission (RFC 6409): with STARTTLS (RFC 3207), and under TLS from the first octet (RFC 8314). Waits for a
 * certificate where it needs one, and serves a renewed one without a restart. protocol.ts serves the connections.
 */
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { peerAddress } from "../lib/client-address.ts";
import { type Certificate, watchCertificate } from "../security/served-certificate.ts";
import {
  type Certified,
  findCertificate,
  LOOK_INTERVAL_MS,
  pairOf,
  type SmtpCertificateOptions,
} from "../smtp-server/certificate.ts";
import { listenAt, portOf } from "../smtp-server/port.ts";
import { Protocol, type ProtocolParts } from "./protocol.ts";

export interface SubmissionOptions extends ProtocolParts, SmtpCertificateOptions {
  host: string;
  /** With STARTTLS; null for none. */
  port: number | null;
  /** Under TLS from the first octet; null for none. */
  tlsPort: number | null;
  /** Whether a client on loopback may authenticate without TLS. */
  allowPlaintext: boolean;
}

export interface SubmissionListener {
  /** Null where it does not listen, or not yet. */
  readonly port: number | null;
  readonly tlsPort: number | null;
  /** Accepts no new connection, lets complete messages be stored, and closes all. */
  close(): Promise<void>;
}

const HANDSHAKE_MS = 20_000;
/** Connections in a TLS handshake, at the port that begins with one. */
const HANDSHAKES_MAX = 800;

/**
 * Starts listening. Rejects if a port cannot be used. Without a certificate where one is needed, a warning is logged, and it starts
 * listening once there is one: HTTP and delivery work without it.
 */
export async function listenForSubmission(options: SubmissionOptions): Promise<SubmissionListener> {
  const certified = findCertificate(options);
  if (certified !== null || !needsCertificate(options)) return listenWith(options, certified);
  const { certsDir, obtained, log } = options;
  if (obtained !== undefined) log.info("SMTP submission waits for the first certificate");
  else
    log.warn(
      { certsDir },
      "SMTP submission needs a certificate: put smtp.crt and smtp.key, or http.crt and http.key, into CERTS_DIR",
    );
  return new WaitingListener(options);
}

async function listenWith(options: SubmissionOptions, certified: Certified | null): Promise<SubmissionListener> {
  const { port, tlsPort, allowPlaintext, clock, log } = options;
  const certificate = certified?.first ?? null;
  const protocol = new Protocol(options);
  const tls = tlsPort === null || certificate === null ? null : tlsServer(protocol, certificate);
  const plain = port === null ? null : new PlainServer(protocol, certificate, allowPlaintext);
  const servers = [tls, plain?.server ?? null].filter((server) => server !== null);
  try {
    if (tls !== null) await listenAt(tls, { port: tlsPort, host: options.host });
    if (plain !== null) await listenAt(plain.server, { port, host: options.host });
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  const watch = ({ places, first }: Certified): (() => void) =>
    watchCertificate({
      places,
      served: first,
      clock,
      log,
      serve({ cert, key }) {
        tls?.setSecureContext({ cert, key });
        protocol.renew({ cert, key });
      },
    });
  let stopWatching: () => void;
  if (certified !== null) stopWatching = watch(certified);
  else
    stopWatching = lookForCertificate(options, (found) => {
      plain?.offer(found.first);
      log.info({ notAfter: new Date(found.first.untilMs).toISOString() }, "offering STARTTLS with a new certificate");
      stopWatching = watch(found);
    });
  return {
    port: portOf(plain?.server ?? null),
    tlsPort: portOf(tls),
    async close() {
      stopWatching();
      for (const server of servers) server.close();
      await protocol.close();
    },
  };
}

/** Clients on loopback may need none. */
const needsCertificate = ({ tlsPort, allowPlaintext }: SubmissionOptions): boolean =>
  tlsPort !== null || !allowPlaintext;

/**
 * Looks for a certificate that is not there yet, until `use` has taken one: a promise of it may reject, such as for a port in use.
 * Returns how to stop.
 */
function lookForCertificate(
  options: Pick<SubmissionOptions, keyof SmtpCertificateOptions | "clock" | "log">,
  use: (certified: Certified) => void | Promise<void>,
): () => void {
  const { clock, log } = options;
  let isStopped = false;
  let cancel = (): void => {};
  const look = async (): Promise<void> => {
    try {
      const certified = findCertificate(options);
      if (certified !== null) return await use(certified);
    } catch (error) {
      // One of two files that are being written, or a port in use.
      log.warn({ error: (error as Error).message }, "SMTP submission cannot use the certificate");
    }
    if (!isStopped) wait();
  };
  const wait = (): void => {
    cancel = clock.after(LOOK_INTERVAL_MS, () => void look());
  };
  wait();
  return () => {
    isStopped = true;
    cancel();
  };
}

/** Listens once there is a certificate. */
class WaitingListener implements SubmissionListener {
  #listener: SubmissionListener | null = null;
  #starting = Promise.resolve();
  readonly #stopLooking: () => void;

  constructor(options: SubmissionOptions) {
    this.#stopLooking = lookForCertificate(options, (certified) => {
      const started = this.#start(options, certified);
      this.#starting = started.catch(() => {});
      return started;
    });
  }

  get port(): number | null {
    return this.#listener?.port ?? null;
  }

  get tlsPort(): number | null {
    return this.#listener?.tlsPort ?? null;
  }

  async close(): Promise<void> {
    this.#stopLooking();
    await this.#starting;
    await this.#listener?.close();
  }

  async #start(options: SubmissionOptions, certified: Certified): Promise<void> {
    this.#listener = await listenWith(options, certified);
    const { port, tlsPort } = this.#listener;
    options.log.info({ port, tlsPort }, "listening for SMTP submission");
  }
}

/** The client decides about TLS after EHLO. */
class PlainServer {
  readonly server: Server;
  readonly #protocol: Protocol;
  readonly #allowPlaintext: boolean;
  #kinds: Record<"strict" | "local", (socket: Socket) => void>;

  constructor(protocol: Protocol, certificate: Certificate | null, allowPlaintext: boolean) {
    this.#protocol = protocol;
    this.#allowPlaintext = allowPlaintext;
    this.#kinds = this.#kindsWith(certificate);
    this.server = createServer((socket) => this.#kinds[isLoopback(socket) ? "local" : "strict"](socket));
  }

  /** Offers STARTTLS to further connections, where there was no certificate before. */
  offer(certificate: Certificate): void {
    this.#kinds = this.#kindsWith(certificate);
  }

  #kindsWith(certificate: Certificate | null): Record<"strict" | "local", (socket: Socket) => void> {
    const shared = { secure: false, certificate: pairOf(certificate) };
    const strict = this.#protocol.kind({ ...shared, allowsPlaintext: false });
    return { strict, local: this.#allowPlaintext ? this.#protocol.kind({ ...shared, allowsPlaintext: true }) : strict };
  }
}

function tlsServer(protocol: Protocol, certificate: Certificate): TlsServer {
  const pair = pairOf(certificate) ?? {};
  const serve = protocol.kind({ secure: true, allowsPlaintext: false, certificate: pairOf(certificate) });
  const server = createTlsServer({ ...pair, handshakeTimeout: HANDSHAKE_MS }, serve);
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  boundHandshakes(server);
  return server;
}

/** At the limit, the handshake that has taken longest is ended: silent clients must not keep others out. */
function boundHandshakes(server: TlsServer): void {
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  /** By address and port, because the connection has another socket object after its handshake. Ordered by their beginning. */
  const running = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    running.set(name, socket);
    socket.once("close", () => {
      if (running.get(name) === socket) running.delete(name);
    });
    if (running.size <= HANDSHAKES_MAX) return;
    const [[oldestName, oldest] = [name, socket]] = running;
    running.delete(oldestName);
    oldest.destroy();
  });
  server.prependListener("secureConnection", (socket: Socket) => void running.delete(nameOf(socket)));
}

const isLoopback = (socket: Socket): boolean => /^(127\.|::1$)/.test(peerAddress(socket));

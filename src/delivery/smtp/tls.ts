/**
 * The TLS handshake on a connected socket: which versions and algorithms are acceptable, and what is recorded. When TLS is wanted
 * and which certificate is acceptable are the caller's decisions.
 */
import { constants, X509Certificate } from "node:crypto";
import { isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import type { Clock } from "../../lib/clock.ts";
import { connectionErrorText } from "../../lib/error-text.ts";
import { connectWithLimit, HANDSHAKE_OCTETS_MAX } from "../../lib/handshake-limit.ts";
import { KEY_EXCHANGE } from "../../lib/tls-key-exchange.ts";
import type { TlsRecord } from "../../message/result/outcome.ts";

/** The peer of a handshake and its certificate. */
export interface Peer {
  /** The requested name (SNI), or the address where there was none. */
  readonly serverName: string;
  /** The strength that the handshake accepted. */
  readonly strength: Strength;
  /** As OpenSSL names it, such as `TLSv1.3`. */
  readonly protocol: string;
  /** Why the certificate does not verify for that name with the trust anchors; null when it does. */
  readonly verificationError: string | null;
  /** The certificates that the peer presented, its own first, each issued by the next. */
  chain(): X509Certificate[];
}

/**
 * `strict`: TLS 1.2 or newer, with keys and signatures by OpenSSL's defaults. `lenient`: the same first, and in the same handshake
 * whatever else the peer offers: TLS 1.0 and 1.1, small keys, SHA-1, no secure renegotiation (RFC 5746).
 */
type Strength = "strict" | "lenient";

const ACCEPTED: Record<Strength, ConnectionOptions> = {
  strict: { ...KEY_EXCHANGE, minVersion: "TLSv1.2" },
  lenient: {
    ...KEY_EXCHANGE,
    minVersion: "TLSv1",
    // Above this level OpenSSL 3 has neither TLS 1.0 and 1.1 nor SHA-1 nor short keys. The list has no anonymous ciphers.
    ciphers: `${KEY_EXCHANGE.ciphers}:@SECLEVEL=0`,
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  },
};

const MODERN = ["TLSv1.2", "TLSv1.3"];

/** Why a peer is not acceptable, as text; null when it is. */
export type PeerCheck = (peer: Peer) => string | null;

export interface UpgradeOptions {
  timeoutMs: number;
  strength: Strength;
  /** Runs before anything is sent under TLS; an objection fails the handshake. */
  check: PeerCheck;
  /** The name to request, instead of the host's. */
  serverName?: string;
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
  /** The earlier handshakes of the peer's address; absent if none are recorded. */
  history?: HandshakeHistory;
}

/** The handshakes of one address. */
export interface HandshakeHistory {
  /** Whether all were within the limit, and enough of them: further ones have none, because the stream that counts costs CPU. */
  readonly isFamiliar: boolean;
  record(size: "small" | "large"): void;
}

/** Certificates of a chain that are examined: no legitimate chain is longer. */
const CHAIN_MAX = 20;

export type Handshake = { type: "done"; socket: TLSSocket } | { type: "failed"; error: string };

/** Never rejects; a failed handshake has destroyed both sockets. A name is sent as SNI, an address is not. */
export function handshake(plain: Socket, options: UpgradeOptions & { host: string; clock: Clock }): Promise<Handshake> {
  const { serverName = options.host, strength, check, timeoutMs, ca, clock, history } = options;
  const isFamiliar = history?.isFamiliar === true;
  const octetsBefore = plain.bytesRead;
  const record = (): void => history?.record(plain.bytesRead - octetsBefore > HANDSHAKE_OCTETS_MAX ? "large" : "small");
  return new Promise((resolve) => {
    const tlsOptions: ConnectionOptions = {
      host: serverName,
      ...ACCEPTED[strength],
      // `check` decides instead, by the policy.
      rejectUnauthorized: false,
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
      ...(ca === undefined ? {} : { ca }),
    };
    const socket = isFamiliar ? connectTls({ ...tlsOptions, socket: plain }) : connectWithLimit(plain, tlsOptions);
    const fail = (error: string) => {
      cancel();
      socket.destroy();
      resolve({ type: "failed", error });
    };
    const cancel = clock.after(timeoutMs, () => fail(`no TLS handshake within ${timeoutMs} ms`));
    plain.on("error", (error) => fail(connectionErrorText(error)));
    socket.on("error", (error) => fail(connectionErrorText(error)));
    socket.on("close", () => fail("connection closed in the TLS handshake"));
    socket.once("secureConnect", () => {
      record();
      const objection = check(peerOf(socket, { serverName, strength }));
      if (objection !== null) return fail(objection);
      cancel();
      resolve({ type: "done", socket });
    });
  });
}

function peerOf(socket: TLSSocket, asked: Pick<Peer, "serverName" | "strength">): Peer {
  return {
    ...asked,
    protocol: protocolOf(socket),
    // Declared as Error, but it is an error code.
    verificationError: socket.authorized ? null : String(socket.authorizationError ?? "no certificate"),
    chain: () => chainOf(socket),
  };
}

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let certificate = socket.getPeerCertificate(true);
  while (certificate?.raw !== undefined && chain.length < CHAIN_MAX) {
    chain.push(new X509Certificate(certificate.raw));
    // A root certificate is its own issuer here.
    if (certificate.issuerCertificate?.fingerprint256 === certificate.fingerprint256) break;
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

function protocolOf(socket: TLSSocket): string {
  return socket.getProtocol() ?? "unknown";
}

/** Whether a strict handshake accepts this version. */
export function isModern({ protocol }: Peer): boolean {
  return MODERN.includes(protocol);
}

/** `verified`: whether the certificate is trusted and names the host, whether or not that was required. */
export function tlsRecordOf(socket: TLSSocket): TlsRecord {
  return {
    protocol: protocolOf(socket),
    cipher: socket.getCipher().standardName,
    verified: socket.authorized,
  };
}

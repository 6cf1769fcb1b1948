/**
 * A limit of what a TLS server may send before the handshake is done. OpenSSL accepts certificates of 100 KiB and verifies them
 * on the event loop, whether or not they matter: chains with huge RSA exponents or name constraints took it a second of CPU. Node
 * has no option for that, and reads past JavaScript, so the octets pass through a stream that counts them.
 */
import type { RequestOptions } from "node:https";
import { connect, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";

/** Mail hosts send 2 to 8 KiB. */
export const HANDSHAKE_OCTETS_MAX = 16 * 1024;

export const TOO_LARGE = `the TLS handshake has more than ${HANDSHAKE_OCTETS_MAX} octets`;

class CountedStream extends Duplex {
  readonly #plain: Socket;
  #octets = 0;
  #isLimited = true;

  constructor(plain: Socket) {
    super();
    this.#plain = plain;
    plain.on("data", (chunk) => this.#receive(chunk));
    plain.on("end", () => this.push(null));
    plain.on("error", (error) => this.destroy(error));
    plain.on("close", () => this.destroy());
  }

  endLimit(): void {
    this.#isLimited = false;
  }

  #receive(chunk: Buffer): void {
    this.#octets += chunk.length;
    if (this.#isLimited && this.#octets > HANDSHAKE_OCTETS_MAX) this.destroy(new Error(TOO_LARGE));
    else if (!this.push(chunk)) this.#plain.pause();
  }

  override _read(): void {
    this.#plain.resume();
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#plain.write(chunk, callback);
  }

  override _final(callback: () => void): void {
    this.#plain.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#plain.destroy();
    callback(error);
  }
}

/** TLS on a connected or connecting socket, as tls.connect has it, with the limit. Its errors are events of the returned socket. */
export function connectWithLimit(plain: Socket, options: ConnectionOptions): TLSSocket {
  const counted = new CountedStream(plain);
  const socket = connectTls({ ...options, socket: counted });
  // The socket has the error already.
  counted.on("error", () => socket.destroy());
  socket.once("secureConnect", () => counted.endLimit());
  return socket;
}

/** For the `createConnection` of an HTTPS request without an agent. */
export function connectHttps({ host, port, lookup, servername, ca, ciphers, ecdhCurve }: RequestOptions): TLSSocket {
  const hostname = host ?? "localhost";
  const plain = connect({ host: hostname, port: Number(port ?? 443), ...(lookup === undefined ? {} : { lookup }) });
  const named = isIP(hostname) === 0 ? { servername: servername ?? hostname } : {};
  return connectWithLimit(plain, { host: hostname, ...named, ca, ciphers, ecdhCurve });
}

/**
 * The TLS handshake on a connected socket. Decides nothing about when TLS is wanted, only how it is begun and recorded.
 */
import { isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Clock } from "../../clock.ts";
import type { TlsRecord } from "../../message/outcome.ts";

export interface UpgradeOptions {
  timeoutMs: number;
  /** Whether a certificate that does not verify for the host fails the handshake. */
  verify: boolean;
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
}

export type Handshake = { type: "done"; socket: TLSSocket } | { type: "failed"; error: string };

/** Never rejects; a failed handshake has destroyed both sockets. A name goes out as SNI, an address does not. */
export function handshake(plain: Socket, options: UpgradeOptions & { host: string; clock: Clock }): Promise<Handshake> {
  const { host, verify, timeoutMs, ca, clock } = options;
  return new Promise((resolve) => {
    const socket = connectTls({
      socket: plain,
      host,
      rejectUnauthorized: verify,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca }),
    });
    const fail = (error: string) => {
      cancel();
      socket.destroy();
      resolve({ type: "failed", error });
    };
    const cancel = clock.after(timeoutMs, () => fail(`no TLS handshake within ${timeoutMs} ms`));
    plain.on("error", (error) => fail(error.message));
    // OpenSSL's message carries source files and line ends; its reason is the sentence.
    socket.on("error", (error: Error & { reason?: string }) => fail(error.reason ?? error.message));
    socket.on("close", () => fail("connection closed in the TLS handshake"));
    socket.once("secureConnect", () => {
      cancel();
      resolve({ type: "done", socket });
    });
  });
}

/** `verified`: whether the certificate is trusted and names the host, asked for or not. */
export function tlsRecordOf(socket: TLSSocket): TlsRecord {
  return {
    protocol: socket.getProtocol() ?? "unknown",
    cipher: socket.getCipher().standardName,
    verified: socket.authorized,
  };
}

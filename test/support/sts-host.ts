/**
 * The HTTPS host of MTA-STS policies for tests: https://mta-sts.DOMAIN/.well-known/mta-sts.txt on a loopback address,
 * with certificates of a test authority. A test may change its responses at any time.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TestContext } from "node:test";
import { createSecureContext } from "node:tls";
import { type Authority, certificateAuthority, type KeyAndCertificate } from "./self-signed.ts";

export interface StsHost {
  address: string;
  port: number;
  /** The trust anchor of its certificates. */
  authority: Authority;
  /** The policy file, or another action instead of serving it. */
  answer: string | ((request: IncomingMessage, response: ServerResponse) => void);
  /** Replaces the certificate that is valid for the requested name. */
  certificate: KeyAndCertificate | null;
  /** The requests so far: host and path. */
  requests: string[];
  /** Refuses connections from now on. */
  stop(): Promise<void>;
}

export async function startStsHost(t: TestContext): Promise<StsHost> {
  const authority = certificateAuthority("Test Web Root");
  const sockets = new Set<Duplex>();
  const host: StsHost = {
    address: "127.0.0.1",
    port: 0,
    authority,
    answer: "",
    certificate: null,
    requests: [],
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  const SNICallback = (name: string, done: (error: null, context: ReturnType<typeof createSecureContext>) => void) =>
    done(null, createSecureContext(host.certificate ?? authority.issue(name)));
  const server = createServer({ SNICallback, ...authority.issue("default.test") }, (request, response) => {
    host.requests.push(`${request.headers.host?.replace(/:\d+$/, "")}${request.url}`);
    if (typeof host.answer === "function") return host.answer(request, response);
    response.setHeader("Content-Type", "text/plain; charset=utf-8");
    response.end(host.answer);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, host.address, resolve));
  host.port = (server.address() as AddressInfo).port;
  t.after(() => host.stop());
  return host;
}

/** A policy file: the mode, then one mx line for each name. */
export function stsFile(mode: string, mx: string[], maxAgeS = 86_400): string {
  return ["version: STSv1", `mode: ${mode}`, ...mx.map((name) => `mx: ${name}`), `max_age: ${maxAgeS}`, ""].join(
    "\r\n",
  );
}

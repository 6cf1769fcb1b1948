/**
 * Listens for mail that comes back (RFC 5321). With a certificate, clients may use STARTTLS (RFC 3207); one that is put there or
 * renewed later is served without a restart. protocol.ts serves the connections.
 */
import { createServer, type Socket } from "node:net";
import { watchCertificate } from "../security/served-certificate.ts";
import {
  type Certified,
  findCertificate,
  LOOK_INTERVAL_MS,
  pairOf,
  type SmtpCertificateOptions,
} from "../smtp-server/certificate.ts";
import { listenAt, portOf } from "../smtp-server/port.ts";
import { Protocol, type ProtocolParts } from "./protocol.ts";

export interface InboundOptions extends ProtocolParts, SmtpCertificateOptions {
  host: string;
  port: number;
}

export interface InboundListener {
  readonly port: number;
  /** Accepts no new connection, lets complete messages be stored, and closes all. */
  close(): Promise<void>;
}

/** Starts listening. Rejects if the port or the certificate cannot be used. */
export async function listenForInbound(options: InboundOptions): Promise<InboundListener> {
  const { host, port } = options;
  const protocol = new Protocol(options);
  const found = findCertificate(options);
  let serve = protocol.kind(pairOf(found?.first ?? null));
  const server = createServer((socket: Socket) => serve(socket));
  await listenAt(server, { port, host });
  let stopWatching = (): void => {};
  const use = (certified: Certified): void => {
    stopWatching = watch(certified, protocol, options);
  };
  if (found !== null) use(found);
  else {
    stopWatching = awaitCertificate(options, (certified) => {
      serve = protocol.kind(pairOf(certified.first));
      use(certified);
    });
  }
  return {
    port: portOf(server) ?? port,
    async close() {
      stopWatching();
      server.close();
      await protocol.close();
    },
  };
}

const watch = ({ places, first }: Certified, protocol: Protocol, { clock, log }: InboundOptions): (() => void) =>
  watchCertificate({
    places,
    served: first,
    clock,
    log,
    serve: ({ cert, key }) => protocol.renew({ cert, key }),
  });

/** Calls `found` once there is a certificate that can be used. Returns how to stop looking. */
function awaitCertificate(options: InboundOptions, found: (certified: Certified) => void): () => void {
  const { clock, log } = options;
  let cancel = (): void => {};
  let warned = "";
  const look = (): void => {
    try {
      const certified = findCertificate(options);
      if (certified === null) wait();
      else found(certified);
    } catch (error) {
      // One of two files that are being written, perhaps.
      const { message } = error as Error;
      if (message !== warned) log.warn({ error: message }, "the certificate of the inbound listener cannot be used");
      warned = message;
      wait();
    }
  };
  const wait = (): void => {
    cancel = clock.after(LOOK_INTERVAL_MS, look);
  };
  wait();
  return () => cancel();
}

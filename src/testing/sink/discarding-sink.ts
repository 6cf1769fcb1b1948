/**
 * The sink inside the service, for messages of test keys: carries out the actions that local parts select, and keeps nothing of a
 * message, except for the bounce of `bounce-later@`. It listens on loopback, on a port that is drawn at each start. Another program of
 * the host that finds the port can play the same scripts. Its bounces then reach the service too, which knows its own envelope
 * senders by their tags.
 */

import { randomBytes } from "node:crypto";
import type { SMTPServerDataStream } from "smtp-server";
import { MIB } from "../../lib/units.ts";
import { headerOf } from "./header.ts";
import { LaterBounces, type SinkBounce } from "./later-bounces.ts";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

const HOST = "127.0.0.1";
const MESSAGE_BYTES_MAX = 50 * MIB;
/** More than the service opens. */
const CLIENTS_MAX = 1000;
/** As many as the service offers in one transaction. */
const RECIPIENTS_MAX = 100;
/** Of a header, for a bounce: the rest of a larger one is left out. */
const HEADER_BYTES_MAX = 32 * 1024;

/**
 * Starts listening, without TLS: a handshake would cost the service's own CPU time twice. Each bounce that a message asks for is
 * passed to `onBounce` after half a second, if the sink still runs.
 */
export async function startDiscardingSink(onBounce: (bounce: SinkBounce) => void): Promise<ScriptedServer> {
  const bounces = new LaterBounces(onBounce);
  const server = await startScriptedServer({
    port: 0,
    host: HOST,
    tls: false,
    messageBytesMax: MESSAGE_BYTES_MAX,
    clientsMax: CLIENTS_MAX,
    recipientsMax: RECIPIENTS_MAX,
    async receive(stream, about) {
      const header = await discard(stream, bounces.isDue(about) ? HEADER_BYTES_MAX : 0);
      if (header === null) return null;
      bounces.add(about, header);
      return randomBytes(6).toString("hex");
    },
  });
  return {
    port: server.port,
    close() {
      bounces.close();
      return server.close();
    },
  };
}

/** Reads a message. Returns its header, of at most so many bytes; null if it did not arrive as a whole. */
async function discard(stream: SMTPServerDataStream, headerBytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      if (bytes >= headerBytesMax) continue;
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
  } catch {
    return null;
  }
  return stream.sizeExceeded ? null : headerOf(Buffer.concat(chunks).subarray(0, headerBytesMax));
}

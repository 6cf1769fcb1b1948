/**
 * The sink inside the service, for messages of test keys: carries out the actions that local parts select, and keeps nothing of a
 * message. It listens on loopback, on a port that is drawn at each start. Another program of the host that finds the port can play
 * the same scripts, without any effect on the service.
 */
import { randomBytes } from "node:crypto";
import type { SMTPServerDataStream } from "smtp-server";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

const HOST = "127.0.0.1";
const MESSAGE_BYTES_MAX = 50 * 1024 * 1024;
/** More than the service opens. */
const CLIENTS_MAX = 1000;
/** As many as the service offers in one transaction. */
const RECIPIENTS_MAX = 100;

/** Starts listening, without TLS: a handshake would cost the service's own CPU time twice. */
export function startDiscardingSink(): Promise<ScriptedServer> {
  return startScriptedServer({
    ...{ port: 0, host: HOST, tls: false, messageBytesMax: MESSAGE_BYTES_MAX },
    ...{ clientsMax: CLIENTS_MAX, recipientsMax: RECIPIENTS_MAX },
    receive: async (stream) => ((await discard(stream)) ? randomBytes(6).toString("hex") : null),
  });
}

/** Whether the whole message arrived. */
async function discard(stream: SMTPServerDataStream): Promise<boolean> {
  try {
    for await (const _ of stream);
    return !stream.sizeExceeded;
  } catch {
    return false;
  }
}

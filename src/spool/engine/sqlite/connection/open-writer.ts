/**
 * Starts the writer: in a thread for a service, whose event loop must not wait for the disk; behind a message channel in the
 * same thread for the command line, which starts sooner that way.
 */
import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { startThread } from "../../../../lib/thread.ts";
import { serveWriter } from "./writer.ts";
import type { FromWriter, ToWriter } from "./writer-protocol.ts";

export interface Writer {
  /** `transfer`: ArrayBuffers in the message that need not be copied, and cannot be used here afterwards. */
  post(message: ToWriter, transfer?: ArrayBuffer[]): void;
  listen(listeners: WriterListeners): void;
  /** Resolves when the writer has closed the store. */
  ended: Promise<void>;
}

export interface WriterListeners {
  message: (message: FromWriter) => void;
  /** The thread died of an error. */
  failed: (error: Error) => void;
  ended: () => void;
}

/** Starts a writer. Rejects with one line if it cannot open the store. */
export async function openWriter(options: { dataDir: string; role: "service" | "client" }): Promise<Writer> {
  const port = options.role === "service" ? startWriterThread(options.dataDir) : startWriterHere(options.dataDir);
  const ended = new Promise<void>((resolve) => {
    port.once("exit", resolve);
    port.once("close", resolve);
  });
  await new Promise<void>((resolve, reject) => {
    port.once("error", reject);
    port.once("message", (message: FromWriter) => {
      port.off("error", reject);
      if (message.type === "refused") reject(new Error(message.error));
      else resolve();
    });
  });
  return {
    post: (message, transfer) => port.postMessage(message, transfer),
    listen(listeners) {
      port.on("message", listeners.message);
      port.on("error", listeners.failed);
      void ended.then(listeners.ended);
    },
    ended,
  };
}

function startWriterThread(dataDir: string): Worker {
  return startThread(new URL("./writer-thread.ts", import.meta.url), { dataDir });
}

function startWriterHere(dataDir: string): MessagePort {
  const { port1, port2 } = new MessageChannel();
  serveWriter(port1, dataDir);
  return port2;
}

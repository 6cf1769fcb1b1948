/**
 * The protocol's messages, each on a line of standard input and output. In place of the SDK's transport for it, which does not end with
 * its input.
 */
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { StandardStreams } from "../lib/standard-streams.ts";

/** Octets of a line. The text and the HTML of a message have at most a tenth as many characters. */
const LINE_BYTES_MAX = 8 * 1024 * 1024;

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #streams: StandardStreams;
  readonly #buffer = new ReadBuffer({ maxBufferSize: LINE_BYTES_MAX });

  constructor(streams: StandardStreams) {
    this.#streams = streams;
  }

  /** Messages are taken from `read` on. */
  async start(): Promise<void> {}

  /** Takes messages until the input ends. Rejects if a line is too long. */
  async read(): Promise<void> {
    try {
      for await (const chunk of this.#streams.input) {
        this.#append(chunk);
        while (this.#takeMessage());
      }
    } finally {
      await this.close();
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#streams.write(serializeMessage(message));
    await this.#streams.drained();
  }

  async close(): Promise<void> {
    this.#buffer.clear();
    this.onclose?.();
  }

  #append(chunk: Uint8Array): void {
    try {
      this.#buffer.append(Buffer.from(chunk));
    } catch {
      throw new Error(`a line of standard input is longer than ${LINE_BYTES_MAX} bytes`);
    }
  }

  #takeMessage(): boolean {
    try {
      const message = this.#buffer.readMessage();
      if (message === null) return false;
      this.onmessage?.(message);
    } catch {
      this.onerror?.(new Error("a line that is no message of the protocol was ignored"));
    }
    return true;
  }
}

/**
 * The built-in sink for a proof: accepts every message and counts, by the number in the recipient's address, how often each arrived as a
 * whole. Some replies to the final dot are late, so that kills meet deliveries between dot and reply.
 */
import { setTimeout as delay } from "node:timers/promises";
import { startScriptedServer } from "../testing/sink/scripted-server.ts";
import { contentMark, numberIn } from "./numbered-message.ts";

const HOST = "127.0.0.1";
const MESSAGE_BYTES_MAX = 64 * 1024;
const CLIENTS_MAX = 500;
const RECIPIENTS_MAX = 10;
const LATE_SHARE = 0.2;
const LATE_MAX_MS = 300;

/** Changes what the sink records of a message: a content for each arrival. For tests. */
export type Recorder = (number: number, content: Buffer) => readonly Buffer[];

export interface RecordingSink {
  readonly port: number;
  /** How often each message arrived as a whole, by its number. */
  readonly arrivals: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

const asItIs: Recorder = (_number, content) => [content];

export async function startRecordingSink(recorder: Recorder = asItIs): Promise<RecordingSink> {
  const arrivals = new Map<number, number>();
  const server = await startScriptedServer({
    port: 0,
    host: HOST,
    tls: false,
    messageBytesMax: MESSAGE_BYTES_MAX,
    clientsMax: CLIENTS_MAX,
    recipientsMax: RECIPIENTS_MAX,
    async receive(stream, { recipients }) {
      const content = await wholeOf(stream);
      if (content === null) return null;
      for (const number of recipients.map(numberIn)) {
        const whole = recorder(number, content).filter((each) => each.includes(contentMark(number)));
        if (whole.length > 0) arrivals.set(number, (arrivals.get(number) ?? 0) + whole.length);
      }
      if (Math.random() < LATE_SHARE) await delay(Math.random() * LATE_MAX_MS);
      return `prove-${recipients.map(numberIn).join("-")}`;
    },
  });
  return { port: server.port, arrivals, close: () => server.close() };
}

/** Null if the client disconnected before the final dot. */
async function wholeOf(stream: AsyncIterable<unknown> & { sizeExceeded: boolean }): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) if (!stream.sizeExceeded) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return stream.sizeExceeded ? null : Buffer.concat(chunks);
}

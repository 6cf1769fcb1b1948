/** The interface of a measured mail server, which accepts messages and delivers them to the benchmark's sink. */
import type { Content } from "../load/content.ts";
import type { SmtpSink } from "../smtp-sink.ts";

export interface Load {
  messages: number;
  clients: number;
  /** By default a text of 4096 bytes. */
  content?: Content;
  /** Sends messages refused for the moment again, by clients that cost more CPU time. */
  repeats?: boolean;
}

/** One run of load, from its first submission until all messages are final. */
export interface Burst {
  /** Accepted messages per second. */
  acceptedPerS: number;
  /** Messages per second, from the first submission to the last arrival. */
  endToEndPerS: number;
  /** Refusals and lost connections of messages that were sent again. */
  repeated: number;
  /** CPU time of all processes of the side per message, until it is idle again. */
  cpuMs: number;
  /** Latency of the responses; null if the load does not measure it. */
  p50Ms: number | null;
  p99Ms: number | null;
}

/** Submits one message after another. */
export interface Submitter {
  /** Resolves when the message is accepted. */
  send(number: number): Promise<void>;
  close(): void;
}

export interface Side {
  name: string;
  /**
   * Submits the load, and waits for the last arrival and until the side is idle. Throws if messages are refused or
   * lost.
   */
  burst(sink: SmtpSink, load: Load): Promise<Burst>;
  submitter(): Promise<Submitter>;
  stop(): Promise<void>;
}

export const OURS = "Postrider";

export const BODY_BYTES = 4096;

/** The addresses inside the benchmark's network. */
export const ADDRESSES = {
  sink: { host: "127.0.0.2", port: 25 },
  recipientDomain: "customers.example",
  senderDomain: "shop.example",
  sender: "hello@shop.example",
  hostname: "mta.shop.example",
} as const;

/** What is measured: a mail server that takes messages and delivers them to the benchmark's sink. */
import type { SmtpSink } from "../smtp-sink.ts";

export interface Load {
  messages: number;
  clients: number;
}

/** One run of load, from its first submission until everything is settled. */
export interface Burst {
  /** Messages answered for good, a second. */
  acceptedPerS: number;
  /** Messages a second from the first submission to the arrival of the last. */
  endToEndPerS: number;
  /** CPU time of all processes of the side, per message, until it was idle again. */
  cpuMs: number;
  /** Latency of the answers; null where the load cannot tell. */
  p50Ms: number | null;
  p99Ms: number | null;
}

/** A way to submit one message after the other. */
export interface Submitter {
  /** Resolves when it is accepted. */
  send(number: number): Promise<void>;
  close(): void;
}

export interface Side {
  name: string;
  /** Submits, waits for the last arrival, and until the side is idle again. Throws when messages are refused or lost. */
  burst(sink: SmtpSink, load: Load): Promise<Burst>;
  submitter(): Promise<Submitter>;
  stop(): Promise<void>;
}

export const OURS = "Postrider";

export const BODY_BYTES = 4096;

/** Where everything is, inside the benchmark's own network. */
export const ADDRESSES = {
  sink: { host: "127.0.0.2", port: 25 },
  recipientDomain: "customers.example",
  senderDomain: "shop.example",
  sender: "hello@shop.example",
  hostname: "mta.shop.example",
} as const;

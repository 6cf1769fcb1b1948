/**
 * An app that receives webhooks, as a separate program that can be killed. Reads its options as JSON from the first
 * argument, prints its port, and appends what happens to a file: each request before its answer, each answer before it
 * is written, and each answer that the system has taken over. A kill loses nothing that was appended.
 */
import { createHash } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { Prng } from "../simulate/prng.ts";

export interface ReceiverOptions {
  host: string;
  /** 0 for a free port. */
  port: number;
  /** The file of the records; created if it does not exist. */
  file: string;
  /** The secret of each path. */
  secrets: Record<string, string>;
  seed: number;
  /** Answers every request with 204 at once. */
  isHealthy: boolean;
}

/** A request whose body was read. */
export interface Arrival {
  record: "arrival";
  /** Unique among all processes of the receiver. */
  request: string;
  path: string;
  /** The webhook-id header. */
  id: string;
  /** Of the body. */
  eventId: string;
  type: string;
  messageId: string | null;
  sequence: number | null;
  bodyHash: string;
  isVerified: boolean;
  behaviour: Behaviour;
  atMs: number;
}

/** `answering`: the answer is written next. `answered`: the operating system has all of it. */
export interface AnswerRecord {
  record: "answering" | "answered";
  request: string;
  status: number;
  atMs: number;
}

export type ReceiverRecord = Arrival | AnswerRecord;

/** What the receiver does with a request; the weights are relative. */
const WEIGHTS = {
  ok: 58,
  /** 2xx after a while, when a process may have been killed. */
  slow: 14,
  /** 200 when the service has given up. */
  late: 1,
  error: 8,
  /** 429 with Retry-After. */
  busy: 5,
  /** No answer, and a reset after a while. */
  hang: 5,
  reset: 5,
  /** A reset before the body is read. */
  unread: 2,
  /** A reset in the middle of a 200. */
  half: 2,
} as const;

export type Behaviour = keyof typeof WEIGHTS;

const BEHAVIOURS = Object.keys(WEIGHTS) as Behaviour[];
const TOTAL_WEIGHT = Object.values(WEIGHTS).reduce((sum, weight) => sum + weight, 0);
/** Of new connections. */
const REFUSED_PROBABILITY = 0.03;
const SLOW_MS = [5, 1500] as const;
const HANG_MS = [100, 4000] as const;
/** The service waits 15 s. */
const LATE_MS = 16_000;

const options = JSON.parse(process.argv[2] ?? "") as ReceiverOptions;
const prng = new Prng(options.seed);
const file = openSync(options.file, "a");
const verifiers = new Map(Object.entries(options.secrets).map(([path, secret]) => [path, new Webhook(secret)]));
let requests = 0;

function append(record: ReceiverRecord): void {
  writeSync(file, `${JSON.stringify(record)}\n`);
}

function drawBehaviour(): Behaviour {
  if (options.isHealthy) return "ok";
  let left = prng.next() * TOTAL_WEIGHT;
  for (const name of BEHAVIOURS) {
    left -= WEIGHTS[name];
    if (left < 0) return name;
  }
  return "ok";
}

async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const behaviour = drawBehaviour();
  if (behaviour === "unread") {
    incoming.socket.resetAndDestroy();
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const arrival = arrivalOf(incoming, Buffer.concat(chunks), behaviour);
  append(arrival);
  answer(arrival, incoming, outgoing);
}

function arrivalOf({ url: path = "", headers }: IncomingMessage, bytes: Buffer, behaviour: Behaviour): Arrival {
  const body = bytes.toString("utf8");
  const { type, data } = JSON.parse(body);
  requests += 1;
  return {
    record: "arrival",
    request: `${process.pid}-${requests}`,
    path,
    id: String(headers["webhook-id"]),
    eventId: data.id,
    type,
    messageId: data.message_id,
    sequence: data.sequence,
    bodyHash: createHash("sha256").update(bytes).digest("base64"),
    isVerified: isVerified(path, body, headers as Record<string, string>),
    behaviour,
    atMs: Date.now(),
  };
}

function isVerified(path: string, body: string, headers: Record<string, string>): boolean {
  try {
    return verifiers.get(path)?.verify(body, headers) !== undefined;
  } catch {
    return false;
  }
}

function answer({ request, behaviour }: Arrival, { socket }: IncomingMessage, outgoing: ServerResponse): void {
  const success = prng.pick([200, 204]);
  const respond = (status: number, fields: Record<string, string> = {}): void => {
    if (socket.destroyed) return;
    append({ record: "answering", request, status, atMs: Date.now() });
    outgoing.on("finish", () => append({ record: "answered", request, status, atMs: Date.now() }));
    outgoing.writeHead(status, fields).end();
  };
  switch (behaviour) {
    case "slow":
      setTimeout(respond, prng.logUniform(SLOW_MS), success);
      break;
    case "late":
      setTimeout(respond, LATE_MS, 200);
      break;
    case "error":
      respond(500);
      break;
    case "busy":
      respond(429, { "Retry-After": "1" });
      break;
    case "hang":
      setTimeout(() => socket.resetAndDestroy(), prng.logUniform(HANG_MS));
      break;
    case "half":
      append({ record: "answering", request, status: 200, atMs: Date.now() });
      outgoing.writeHead(200, { "Content-Length": "1000" }).write("begun", () => socket.resetAndDestroy());
      break;
    case "reset":
    case "unread":
      socket.resetAndDestroy();
      break;
    case "ok":
      respond(success);
      break;
  }
}

const server = createServer((incoming, outgoing) => {
  // The service was killed in the middle of a request.
  receive(incoming, outgoing).catch(() => incoming.destroy());
});
server.on("connection", (socket) => {
  if (!options.isHealthy && prng.chance(REFUSED_PROBABILITY)) socket.resetAndDestroy();
});
server.listen(options.port, options.host, () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

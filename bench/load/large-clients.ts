/**
 * Clients that send long messages and repeat refused ones, in a process of their own: wrk does not survive a response
 * before the end of its request. An order arrives over the IPC channel, and the counts are its answer.
 */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ADDRESSES } from "../sides/side.ts";
import { afterRecipients, type Content } from "./content.ts";

export interface LargeOrder {
  url: string;
  key: string;
  clients: number;
  /** Messages to send; each is sent until it is accepted. */
  messages: number;
  content: Content;
  /** The number of the first recipient. */
  firstNumber?: number;
  limitMs: number;
}

export interface LargeCounts {
  accepted: number;
  /** Responses 429 and 503 by status, code and Retry-After. */
  refused: Record<string, number>;
  /** Connections that ended without a response. */
  lost: number;
  requestBytes: number;
  startEpochMs: number;
  /** Until the last response. */
  ms: number;
}

const RETRY_MS = 1000;

async function serve({
  url,
  key,
  clients,
  messages,
  content,
  firstNumber = 1,
  limitMs,
}: LargeOrder): Promise<LargeCounts> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const tail = Buffer.from(afterRecipients(content));
  const startMs = performance.now();
  const counts: LargeCounts = { accepted: 0, refused: {}, lost: 0, requestBytes: 0, startEpochMs: Date.now(), ms: 0 };
  let next = firstNumber;

  async function sendOne(number: number): Promise<void> {
    const to = `large${number}@${ADDRESSES.recipientDomain}`;
    const head = Buffer.from(`{"from":"Shop <${ADDRESSES.sender}>","to":["${to}"`);
    counts.requestBytes = head.length + tail.length;
    while (performance.now() - startMs < limitMs) {
      const pauseMs = await attempt([head, tail]);
      if (pauseMs === null) return;
      await delay(pauseMs);
    }
  }

  /** Returns null if the message was accepted, otherwise the pause until the next attempt. */
  async function attempt(body: readonly Buffer[]): Promise<number | null> {
    const response = await post(`${url}/api/sending/send`, { agent, key, body });
    if (response === null) {
      counts.lost++;
      return RETRY_MS;
    }
    const { status, code, retryAfterS } = response;
    if (status === 202) {
      counts.accepted++;
      return null;
    }
    if (status !== 429 && status !== 503) throw new Error(`Postrider responded ${status} ${code}`);
    const kind = `${status} ${code}, Retry-After ${retryAfterS ?? "none"}`;
    counts.refused[kind] = (counts.refused[kind] ?? 0) + 1;
    return retryAfterS === null ? RETRY_MS : retryAfterS * 1000;
  }

  async function client(): Promise<void> {
    while (next < firstNumber + messages && performance.now() - startMs < limitMs) await sendOne(next++);
  }

  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return { ...counts, ms: performance.now() - startMs };
}

interface Answer {
  status: number;
  /** The problem's code; empty for other bodies. */
  code: string;
  retryAfterS: number | null;
}

/** Sends one request. Returns null if the connection ended before a response. */
function post(
  url: string,
  { agent, key, body }: { agent: Agent; key: string; body: readonly Buffer[] },
): Promise<Answer | null> {
  const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Content-Length": length };
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", agent, headers });
    let response: IncomingMessage | null = null;
    sent.on("response", (received) => {
      response = received;
      void answerOf(received).then(resolve);
    });
    // After a response, an error only means that the service did not read the rest of the request.
    sent.on("error", () => {
      if (response === null) resolve(null);
    });
    for (const part of body) sent.write(part);
    sent.end();
  });
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  const retryAfterS = headers["retry-after"] === undefined ? null : Number(headers["retry-after"]);
  let text = "";
  try {
    for await (const chunk of response) text += chunk;
  } catch {
    // The connection ended with the body: the status counts.
  }
  const [, code = ""] = /"code":"(\w+)"/.exec(text) ?? [];
  return { status, code, retryAfterS };
}

const [order] = await once(process, "message");
const counts = await serve(order as LargeOrder);
process.send?.(counts, () => process.disconnect());

/**
 * Clients that send long messages and repeat refused ones, in a process of their own: wrk does not survive a response
 * before the end of its request. An order arrives over the IPC channel, and the counts are its answer.
 */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ADDRESSES } from "../sides/side.ts";
import { afterRecipients, textContent } from "./content.ts";

export interface LargeOrder {
  url: string;
  key: string;
  clients: number;
  /** Messages to send; each is sent until it is accepted. */
  messages: number;
  textBytes: number;
  limitMs: number;
}

export interface LargeCounts {
  accepted: number;
  /** Responses 429 and 503. */
  refused: number;
  /** Connections that ended without a response. */
  lost: number;
  requestBytes: number;
  /** Until the last response. */
  ms: number;
}

const RETRY_MS = 1000;

async function serve({ url, key, clients, messages, textBytes, limitMs }: LargeOrder): Promise<LargeCounts> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const tail = Buffer.from(afterRecipients(textContent("long text", textBytes)));
  const startMs = performance.now();
  const counts: LargeCounts = { accepted: 0, refused: 0, lost: 0, requestBytes: 0, ms: 0 };
  let next = 1;

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
    const { statusCode = 0, headers } = response;
    if (statusCode === 202) {
      counts.accepted++;
      return null;
    }
    if (statusCode !== 429 && statusCode !== 503) throw new Error(`Postrider responded ${statusCode}`);
    counts.refused++;
    return Number(headers["retry-after"] ?? 0) * 1000 || RETRY_MS;
  }

  async function client(): Promise<void> {
    while (next <= messages && performance.now() - startMs < limitMs) await sendOne(next++);
  }

  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return { ...counts, ms: performance.now() - startMs };
}

/** Sends one request. Returns the response without its body, or null if the connection ended before it. */
function post(
  url: string,
  { agent, key, body }: { agent: Agent; key: string; body: readonly Buffer[] },
): Promise<IncomingMessage | null> {
  const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "Content-Length": length };
  return new Promise((resolve) => {
    const sent = request(url, { method: "POST", agent, headers });
    sent.on("response", (response) => {
      response.resume();
      response.on("close", () => resolve(response));
    });
    // After a response, an error only means that the service did not read the rest of the request.
    sent.on("error", () => resolve(null));
    for (const part of body) sent.write(part);
    sent.end();
  });
}

const [order] = await once(process, "message");
const counts = await serve(order as LargeOrder);
process.send?.(counts, () => process.disconnect());

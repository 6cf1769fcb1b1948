/**
 * API clients. Each client sends its messages, retries after errors, broken connections and timeouts, with or without
 * an Idempotency-Key, sometimes twice concurrently, and records every response.
 */

import type { Tally } from "./fault-injector.ts";
import type { History, Intent } from "./history.ts";
import type { ApiRequest, ApiResponse } from "./http-transport.ts";
import type { Prng } from "./prng.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface ClientOptions {
  time: VirtualTime;
  prng: Prng;
  history: History;
  apiKey: string;
  tally: Tally;
  /** Sends a request to the running service; `cut` when none runs. */
  send: (call: ApiRequest, settle: (reply: ApiResponse) => void) => void;
}

const INTENTS = [5, 40] as const;
const TIMEOUT_MS = 60_000;
const RETRY_DELAY_MS = [100, 240_000] as const;
const LARGE_PROBABILITY = 0.03;
/** The share of messages whose content has a few parts. */
const PARTS_PROBABILITY = 0.15;
const DEADLINE_PROBABILITY = 0.4;

/** Creates the messages of a run and sends each at a random time within the first `spanMs`. */
export function startClients(parts: ClientOptions, domains: string[], spanMs: number): void {
  const { prng, time, history, tally } = parts;
  const count = prng.integer(...INTENTS);
  for (let number = 0; number < count; number += 1) {
    const key = prng.chance(0.7) ? `order-${number}` : null;
    const recipients = Array.from({ length: prng.integer(1, 4) }, (_, i) => {
      return `u${number}-${i}@${domains[prng.integer(0, domains.length - 1)]}`;
    });
    const text = `Mail ${number}\n.\n..dots\n${"A long line of text.\n".repeat(drawLines(prng))}`;
    const expiresInS = prng.chance(DEADLINE_PROBABILITY) ? prng.pick([20, 60, 300, 600, 3600]) : null;
    const intent: Intent = { number, key, recipients, text, expiresInS, isAccepted: false, attempts: 0 };
    history.intents.push(intent);
    time.after(prng.next() * spanMs, () => {
      attemptSend(intent, parts);
      if (key === null || !prng.chance(0.2)) return;
      tally.add("sent_twice_at_once");
      time.after(prng.logUniform([0.1, 2000]), () => attemptSend(intent, parts));
    });
  }
}

function drawLines(prng: Prng): number {
  if (prng.chance(LARGE_PROBABILITY)) return prng.integer(100, 9000);
  return prng.chance(PARTS_PROBABILITY) ? prng.integer(50, 500) : 0;
}

function requestFor(intent: Intent, apiKey: string): ApiRequest {
  const body = {
    from: "Shop <hello@sender.example>",
    to: intent.recipients,
    subject: `Intent ${intent.number}`,
    text: intent.text,
    ...(intent.expiresInS === null ? {} : { expires_in: intent.expiresInS }),
  };
  const headers: Record<string, string> = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  if (intent.key !== null) headers["idempotency-key"] = intent.key;
  return { method: "POST", path: "/api/sending/send", headers, body: Buffer.from(JSON.stringify(body)) };
}

function attemptSend(intent: Intent, parts: ClientOptions): void {
  const { prng, time, history, apiKey, tally, send } = parts;
  intent.attempts += 1;
  let isWaiting = true;
  const settle = (reply: ApiResponse): void => {
    // A response that arrives after the client's timeout is recorded too.
    if (reply.type === "response") record(reply);
    if (!isWaiting) return;
    isWaiting = false;
    cancelTimeout();
    if (reply.type === "response" && reply.status === 202) {
      // A client that crashes before it stores the response sends again.
      if (intent.key !== null && prng.chance(0.1)) retry();
    } else retry();
  };
  const record = ({ status, body }: Extract<ApiResponse, { type: "response" }>): void => {
    if (status === 202) {
      intent.isAccepted = true;
      history.acceptedSends.push({ intent: intent.number, id: String(body.id) });
      return;
    }
    const isTemporary = (status === 503 || status === 429) && Number(body.retry_after) >= 1;
    // A client that still reads gets this response for a truncated body.
    const isBroken = status === 400 && body.code === "invalid_json";
    if (!isTemporary && !isBroken)
      history.violations.push(`intent ${intent.number} got response ${status} ${String(body.code)}`);
  };
  const retry = (): void => {
    const mayRepeat = intent.key !== null || prng.chance(0.5);
    if (!mayRepeat) return;
    tally.add(intent.key === null ? "retried_without_key" : "retried_with_key");
    time.after(prng.logUniform(RETRY_DELAY_MS), () => attemptSend(intent, parts));
  };
  const cancelTimeout = time.after(TIMEOUT_MS, () => settle({ type: "cut" }));
  send(requestFor(intent, apiKey), settle);
}

/**
 * API clients over real HTTP. Each message is an intent in the history, sent until it gets a 202, mostly with an
 * Idempotency-Key. Without a key it is sent once, because a second attempt could correctly create another message.
 */
import type { History, Intent } from "../simulate/history.ts";
import type { Prng } from "../simulate/prng.ts";
import { DOMAINS } from "./exchangers.ts";
import type { Harness } from "./harness.ts";
import { SENDER } from "./sender.ts";

export interface LoadOptions {
  harness: Harness;
  prng: Prng;
  /** The service's current URL. */
  url: string;
  intents: Intent[];
  /** Concurrent sends. */
  width: number;
}

export interface SendResults {
  accepted: number;
  /** Counts by status and code, such as `503 engine_unavailable`. */
  refused: Map<string, number>;
  broken: number;
}

const LARGE_PROBABILITY = 0.05;
const TIMEOUT_MS = 20_000;

/** Creates messages to send and records them in the history. */
export function newIntents(history: History, prng: Prng, count: number): Intent[] {
  return Array.from({ length: count }, () => {
    const number = history.intents.length;
    const recipients = Array.from({ length: prng.integer(1, 3) }, (_, i) => {
      return `u${number}-${i}@${DOMAINS[prng.integer(0, DOMAINS.length - 1)]}`;
    });
    const key = prng.chance(0.8) ? `order-${number}` : null;
    const text = `Message ${number}\n.\n${prng.chance(LARGE_PROBABILITY) ? "A long line of text.\n".repeat(4000) : ""}`;
    const intent: Intent = { number, key, recipients, text, expiresInS: null, isAccepted: false, attempts: 0 };
    history.intents.push(intent);
    return intent;
  });
}

/** The intents that a client would send or retry. */
export function unsent(history: History): Intent[] {
  return history.intents.filter((intent) => !intent.isAccepted && (intent.key !== null || intent.attempts === 0));
}

/** Sends each intent once. Resolves when each has a response or an error. */
export async function send({ harness, url, intents, width }: LoadOptions): Promise<SendResults> {
  const results: SendResults = { accepted: 0, refused: new Map(), broken: 0 };
  const waiting = [...intents];
  const sendRemaining = async (): Promise<void> => {
    for (let intent = waiting.shift(); intent !== undefined; intent = waiting.shift()) {
      await sendOne(intent, { harness, url, answers: results });
    }
  };
  await Promise.all(Array.from({ length: width }, sendRemaining));
  return results;
}

async function sendOne(
  intent: Intent,
  { harness, url, answers }: { harness: Harness; url: string; answers: SendResults },
): Promise<void> {
  const { number, key, recipients: to, text } = intent;
  intent.attempts += 1;
  const headers = { authorization: `Bearer ${harness.apiKey}`, "content-type": "application/json" };
  try {
    const response = await fetch(`${url}/api/sending/send`, {
      method: "POST",
      headers: key === null ? headers : { ...headers, "idempotency-key": key },
      body: JSON.stringify({ from: `Shop <hello@${SENDER}>`, to, subject: `Intent ${number}`, text }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { id, code } = (await response.json()) as { id: string; code: string };
    if (response.status === 202) {
      intent.isAccepted = true;
      answers.accepted += 1;
      harness.history.acceptedSends.push({ intent: number, id });
    } else {
      const name = `${response.status} ${code}`;
      answers.refused.set(name, (answers.refused.get(name) ?? 0) + 1);
    }
  } catch {
    answers.broken += 1;
  }
}

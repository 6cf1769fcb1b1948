/**
 * Senders over real HTTP: each mail is one intent in the books, tried until it is answered 202, most with an
 * Idempotency-Key. Without one a mail is tried once: another try could rightly become another mail.
 */
import type { Books, Intent } from "../simulate/books.ts";
import type { Chance } from "../simulate/chance.ts";
import { DOMAINS, type House, SENDER } from "./house.ts";

export interface LoadOptions {
  house: House;
  chance: Chance;
  /** Where the service is now. */
  url: string;
  intents: Intent[];
  /** Sends under way at one time. */
  width: number;
}

export interface Answers {
  accepted: number;
  /** By status and code, such as `503 engine_unavailable`. */
  refused: Map<string, number>;
  broken: number;
}

const LARGE = 0.05;
const TIMEOUT_MS = 20_000;

/** New mails to send, entered in the books. */
export function newIntents(books: Books, chance: Chance, count: number): Intent[] {
  return Array.from({ length: count }, () => {
    const number = books.intents.length;
    const recipients = Array.from({ length: chance.whole(1, 3) }, (_, i) => {
      return `u${number}-${i}@${DOMAINS[chance.whole(0, DOMAINS.length - 1)]}`;
    });
    const key = chance.hit(0.8) ? `order-${number}` : null;
    const text = `Mail ${number}\n.\n${chance.hit(LARGE) ? "A long line of text.\n".repeat(4000) : ""}`;
    const intent: Intent = { number, key, recipients, text, expiresInS: null, isAnswered: false, tries: 0 };
    books.intents.push(intent);
    return intent;
  });
}

/** Those that a client would try again. */
export function unanswered(books: Books): Intent[] {
  return books.intents.filter((intent) => !intent.isAnswered && (intent.key !== null || intent.tries === 0));
}

/** Tries each of the intents once; ends when all have an answer or none can be had. */
export async function send({ house, url, intents, width }: LoadOptions): Promise<Answers> {
  const answers: Answers = { accepted: 0, refused: new Map(), broken: 0 };
  const waiting = [...intents];
  const sendOn = async (): Promise<void> => {
    for (let intent = waiting.shift(); intent !== undefined; intent = waiting.shift()) {
      await sendOne(intent, { house, url, answers });
    }
  };
  await Promise.all(Array.from({ length: width }, sendOn));
  return answers;
}

async function sendOne(
  intent: Intent,
  { house, url, answers }: { house: House; url: string; answers: Answers },
): Promise<void> {
  const { number, key, recipients: to, text } = intent;
  intent.tries += 1;
  const headers = { authorization: `Bearer ${house.apiKey}`, "content-type": "application/json" };
  try {
    const response = await fetch(`${url}/api/sending/send`, {
      method: "POST",
      headers: key === null ? headers : { ...headers, "idempotency-key": key },
      body: JSON.stringify({ from: `Shop <hello@${SENDER}>`, to, subject: `Intent ${number}`, text }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { id, code } = (await response.json()) as { id: string; code: string };
    if (response.status === 202) {
      intent.isAnswered = true;
      answers.accepted += 1;
      house.books.answered.push({ intent: number, id });
    } else {
      const name = `${response.status} ${code}`;
      answers.refused.set(name, (answers.refused.get(name) ?? 0) + 1);
    }
  } catch {
    answers.broken += 1;
  }
}

/**
 * Clients of the API: each wants some mails sent, tries again after errors, cuts and silence, some with an
 * Idempotency-Key and some without, some twice at once, and keeps every answer it got.
 */
import type { Books, Intent } from "./books.ts";
import type { Chance } from "./chance.ts";
import type { Call, Reply } from "./front.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Tally } from "./weather.ts";

export interface ClientParts {
  time: VirtualTime;
  chance: Chance;
  books: Books;
  apiKey: string;
  tally: Tally;
  /** Sends a request to whatever life serves now; `cut` when none does. */
  send: (call: Call, settle: (reply: Reply) => void) => void;
}

const INTENTS = [5, 40] as const;
const PATIENCE_MS = 60_000;
const AGAIN_MS = [100, 240_000] as const;
const LARGE = 0.03;
const DEADLINES = 0.4;

/** Makes the mails of a run and sends each at some moment of the first `spanMs`. */
export function startClients(parts: ClientParts, domains: string[], spanMs: number): void {
  const { chance, time, books, tally } = parts;
  const count = chance.whole(...INTENTS);
  for (let number = 0; number < count; number += 1) {
    const key = chance.hit(0.7) ? `order-${number}` : null;
    const recipients = Array.from({ length: chance.whole(1, 4) }, (_, i) => {
      return `u${number}-${i}@${domains[chance.whole(0, domains.length - 1)]}`;
    });
    const text = `Mail ${number}\n.\n..dots\n${chance.hit(LARGE) ? "A long line of text.\n".repeat(chance.whole(100, 9000)) : ""}`;
    const expiresInS = chance.hit(DEADLINES) ? chance.pick([20, 60, 300, 600, 3600]) : null;
    const intent: Intent = { number, key, recipients, text, expiresInS, isAnswered: false, tries: 0 };
    books.intents.push(intent);
    time.after(chance.next() * spanMs, () => {
      trySending(intent, parts);
      if (key === null || !chance.hit(0.2)) return;
      tally.add("sent_twice_at_once");
      time.after(chance.spread([0.1, 2000]), () => trySending(intent, parts));
    });
  }
}

function callFor(intent: Intent, apiKey: string): Call {
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

function trySending(intent: Intent, parts: ClientParts): void {
  const { chance, time, books, apiKey, tally, send } = parts;
  intent.tries += 1;
  let isWaiting = true;
  const settle = (reply: Reply): void => {
    // An answer that comes after the client gave up is an answer all the same, to whoever keeps the books.
    if (reply.type === "answer") note(reply);
    if (!isWaiting) return;
    isWaiting = false;
    giveUp();
    if (reply.type === "answer" && reply.status === 202) {
      // A client that crashed before it wrote the answer down sends again.
      if (intent.key !== null && chance.hit(0.1)) again();
    } else again();
  };
  const note = ({ status, body }: Extract<Reply, { type: "answer" }>): void => {
    if (status === 202) {
      intent.isAnswered = true;
      books.answered.push({ intent: intent.number, id: String(body.id) });
      return;
    }
    const isTemporary = (status === 503 || status === 429) && Number(body.retry_after) >= 1;
    // A body that broke off is told as such, if the client still reads.
    const isBroken = status === 400 && body.code === "invalid_json";
    if (!isTemporary && !isBroken)
      books.violations.push(`intent ${intent.number} was answered ${status} ${String(body.code)}`);
  };
  const again = (): void => {
    const mayRepeat = intent.key !== null || chance.hit(0.5);
    if (!mayRepeat) return;
    tally.add(intent.key === null ? "retried_without_key" : "retried_with_key");
    time.after(chance.spread(AGAIN_MS), () => trySending(intent, parts));
  };
  const giveUp = time.after(PATIENCE_MS, () => settle({ type: "cut" }));
  send(callFor(intent, apiKey), settle);
}

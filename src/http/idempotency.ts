/**
 * Idempotency-Key: reading the header, and letting duplicates that arrive while the first is under way wait for its
 * answer. What is remembered across requests and restarts is the spool's: it commits the record with the message.
 */
import { Problem } from "./response/problems.ts";

const PRINTABLE = /^[\x20-\x7e]{1,256}$/;

/**
 * The key of the Idempotency-Key header, bare or as a quoted string (RFC 8941 §3.3.3); null without the header. Takes
 * the value of each such line, since Node would join several to one that nobody sent. Throws 400.
 */
export function readIdempotencyKey(lines: string[] = []): string | null {
  const [header, ...others] = lines;
  if (header === undefined) return null;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header);
  const key = quoted?.[1]?.replace(/\\(["\\])/g, "$1") ?? header;
  if (others.length > 0 || !PRINTABLE.test(key) || (quoted === null && header.includes('"'))) {
    throw invalidIdempotencyKey();
  }
  return key;
}

export function invalidIdempotencyKey(): Problem {
  return new Problem(
    "invalid_idempotency_key",
    "Idempotency-Key must be 1 to 256 printable ASCII characters, bare or as one quoted string.",
  );
}

interface UnderWay<T> {
  payloadHash: string;
  answer: Promise<T>;
}

/** Requests under way, by the name their idempotency key has in its account. */
export class InFlight<T> {
  #underWay = new Map<string, UnderWay<T>>();

  /** Runs `run`, unless a request of that name and payload is under way: then `joined` is true and its answer, or its error, is shared. */
  async share(name: string, payloadHash: string, run: () => Promise<T>): Promise<{ joined: boolean; answer: T }> {
    const first = this.#underWay.get(name);
    if (first !== undefined && first.payloadHash === payloadHash) return { joined: true, answer: await first.answer };
    // Another payload: only the outcome of the first tells whether this one may use the key.
    if (first !== undefined) {
      await first.answer.catch(() => {});
      return this.share(name, payloadHash, run);
    }
    const answer = run();
    this.#underWay.set(name, { payloadHash, answer });
    try {
      return { joined: false, answer: await answer };
    } finally {
      this.#underWay.delete(name);
    }
  }
}

/**
 * Sends test messages from a verified domain of an account to any address. The account's quota applies, and a separate rate:
 * everybody may be their recipient, so they must not be of use to a sender of spam.
 */
import { type Clock, rfc3339 } from "../../lib/clock.ts";
import { parseMailbox } from "../../message/address.ts";
import type { RateLimits, SharedBuckets } from "../../spool/port/token-buckets.ts";
import type { AcceptMessage } from "./accept-message.ts";
import { type ServiceMessageResult, sendServiceMessage } from "./service-message.ts";

/** The key id of messages that were sent from the dashboard. */
export const DASHBOARD_KEY = "dashboard";

/** Of each account. */
const RATE = { perSecond: 1 / 60, burst: 10 };

export interface TestMessage {
  accountId: string;
  /** An address of a verified domain, as typed. */
  from: string;
  /** As typed. */
  to: string;
  /** The request that asks for it. */
  requestId: string;
}

/** `invalid`: which field is at fault. The details are sentences for the user who sends it. */
export type TestMessageResult =
  | { type: "accepted"; id: string }
  | { type: "invalid"; field: "from" | "to"; detail: string }
  | { type: "rejected"; detail: string; retryAfterS?: number };

export interface TestMessageParts {
  acceptMessage: Pick<AcceptMessage, "accept">;
  clock: Pick<Clock, "now">;
  limits: RateLimits;
}

export class TestMessages {
  readonly #parts: TestMessageParts;
  readonly #rate: SharedBuckets;

  constructor(parts: TestMessageParts) {
    this.#parts = parts;
    this.#rate = parts.limits.tokenBuckets("test_message", RATE);
  }

  /** `accepted` means on disk. Rejects with SpoolUnavailable. */
  async send({ accountId, from, to, requestId }: TestMessage): Promise<TestMessageResult> {
    const sender = parseMailbox(from);
    if (sender.type === "invalid") return { type: "invalid", field: "from", detail: sender.detail };
    const recipient = parseMailbox(to);
    if (recipient.type === "invalid") return { type: "invalid", field: "to", detail: recipient.detail };
    if (!(await this.#rate.take(accountId))) return this.#tooMany(accountId);
    let isAccepted = false;
    try {
      const { local, domain: name } = sender;
      const message = { keyId: DASHBOARD_KEY, domain: { accountId, name }, local, to, requestId, idempotencyKey: null };
      const subject = `It works: a message from ${name}`;
      const texts = bodies(name, this.#parts.clock.now());
      const result = resultOf(await sendServiceMessage(this.#parts, { ...message, subject, ...texts }));
      isAccepted = result.type === "accepted";
      return result;
    } finally {
      if (!isAccepted) this.#rate.putBack(accountId);
    }
  }

  #tooMany(accountId: string): TestMessageResult {
    const retryAfterS = Math.max(1, Math.ceil(this.#rate.secondsToToken(accountId)));
    const detail = `This account has sent ${RATE.burst} test messages in a short time. The next one is possible in ${retryAfterS} s.`;
    return { type: "rejected", detail, retryAfterS };
  }
}

function resultOf(result: ServiceMessageResult): TestMessageResult {
  if ("id" in result) return { type: "accepted", id: result.id };
  const { detail } = result;
  if (result.type === "invalid_recipient") return { type: "invalid", field: "to", detail };
  if (result.code === "sender_not_allowed" || result.code === "domain_not_verified") {
    return { type: "invalid", field: "from", detail };
  }
  return { type: "rejected", detail, ...(result.retryAfterS === undefined ? {} : { retryAfterS: result.retryAfterS }) };
}

function bodies(domain: string, nowMs: number): { text: string; html: string } {
  const sentence = `Postrider accepted this message at ${rfc3339(nowMs)} and delivered it for ${domain}.`;
  const advice = "Its header shows the DKIM signature, and how your provider judged SPF, DKIM and DMARC.";
  return {
    text: `${sentence}\n\n${advice}\n`,
    html: `<p>${sentence}</p><p>${advice}</p>`,
  };
}

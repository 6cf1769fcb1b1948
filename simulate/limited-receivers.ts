/**
 * Runs with receivers that limit this server, and without other faults. Two recipient domains share a receiver with a profile that asks
 * for a pause from time to time. Two other receivers, one with a profile, have this server's address on a block list for a time.
 */
import { ADDRESS_BLOCKS, type RecordsStage, type Refusal, type RefusalParts } from "./own-records.ts";

const MINUTE_MS = 60_000;
const EVERY = 40;
const REMAINDER = 26;
/** From the beginning of a run. Clients send before and meanwhile. */
const FROM_MS = 2 * MINUTE_MS;
const UNTIL_MS = [30 * MINUTE_MS, 60 * MINUTE_MS] as const;
export const LIMITED_FAULTS_MS = 60 * MINUTE_MS;
const PAUSE_MS = 15 * MINUTE_MS;
/** How long the receiver accepts mail between two pauses. */
const OPEN_MS = [1, 10 * MINUTE_MS] as const;

const PAUSES: readonly [Refusal, ...Refusal[]] = [
  { stage: "greeting", reply: "421 4.7.0 Try again in 15 minutes" },
  { stage: "mail", reply: "421 4.7.0 Unusual rate of mail from 192.0.2.1. Try again in 15 minutes" },
  { stage: "mail", reply: "451 4.7.1 Too many messages from 192.0.2.1, please retry after 900 seconds" },
  { stage: "rcpt", reply: "421 4.7.0 Connection rate of 192.0.2.1 exceeded, please wait 15 minutes" },
];

/** The domain that the mail exchangers of a recipient domain are in, by the recipient domain. */
const RECEIVERS: Readonly<Record<string, string>> = {
  "d0.example": "mail.icloud.com",
  "d1.example": "mail.icloud.com",
  "d2.example": "am0.yahoodns.net",
};
/** The names of those receivers' profiles. */
const PROFILES: Readonly<Record<string, string>> = { "mail.icloud.com": "icloud", "am0.yahoodns.net": "yahoo" };
const PAUSING = "mail.icloud.com";
const BLOCKING: ReadonlySet<string> = new Set(["am0.yahoodns.net", "d3.example"]);

export const receiverOfDomain = (domain: string): string => RECEIVERS[domain] ?? domain;

/** Whether a mail exchanger belongs to the receiver of that name. */
export function isExchangerOf(receiver: string | null, mx: string): boolean {
  const domain = mx.slice(mx.indexOf(".") + 1);
  return receiver === (PROFILES[domain] ?? domain);
}

/** Whether the seed is of such a run. None is of one with a focus, an overloaded domain, slow hosts or vanished records. */
export const hasLimitedReceivers = (seed: number): boolean => seed % EVERY === REMAINDER;

/** The refusals of a run's receivers. */
export class LimitedReceivers {
  readonly occurrence = "refused_by_limited_receiver";
  readonly #parts: RefusalParts;
  readonly #blocks: ReadonlyMap<string, Refusal>;
  readonly #blockedUntilMs: number;
  #pause: Refusal;
  #pausedUntilMs = 0;
  /** When the next pause may begin. */
  #pausesFromMs = FROM_MS;

  constructor(parts: RefusalParts) {
    const { prng, history } = parts;
    this.#parts = parts;
    this.#blocks = new Map([...BLOCKING].map((receiver) => [receiver, prng.pick(ADDRESS_BLOCKS)]));
    this.#blockedUntilMs = prng.integer(...UNTIL_MS);
    this.#pause = prng.pick(PAUSES);
    history.losesNoMail = true;
    for (const { reply } of this.#blocks.values()) history.addressRefusals.add(reply);
  }

  /** The reply of a recipient domain's host at a stage, now; null if it has no objection. */
  refusal(domain: string, stage: RecordsStage): string | null {
    const receiver = receiverOfDomain(domain);
    if (receiver === PAUSING) return this.#pauseAt(receiver, stage);
    const block = this.#blocks.get(receiver);
    const nowMs = this.#parts.elapsedMs();
    return block?.stage === stage && nowMs >= FROM_MS && nowMs < this.#blockedUntilMs ? block.reply : null;
  }

  /** Within a pause, the receiver repeats its reply, which does not prolong the pause. */
  #pauseAt(receiver: string, stage: RecordsStage): string | null {
    const { prng, history, elapsedMs } = this.#parts;
    const nowMs = elapsedMs();
    if (stage === "greeting" || stage === "mail") history.contacts.push({ receiver, atMs: nowMs });
    if (stage !== this.#pause.stage) return null;
    if (nowMs < this.#pausedUntilMs) return this.#pause.reply;
    if (nowMs < this.#pausesFromMs || nowMs >= this.#blockedUntilMs) return null;
    this.#pausedUntilMs = nowMs + PAUSE_MS;
    this.#pausesFromMs = this.#pausedUntilMs + prng.logUniform(OPEN_MS);
    history.pauses.push({ receiver, fromMs: nowMs, untilMs: this.#pausedUntilMs });
    return this.#pause.reply;
  }
}

/**
 * Runs in which this host's reverse name, or the sending domain's records, vanish for ten minutes, or its address is on block lists, and
 * nothing else fails: each recipient domain refuses everything meanwhile, with one reply at one stage. All messages must be delivered afterwards.
 */
import type { History } from "./history.ts";
import type { Settings } from "./postrider.ts";
import type { Prng } from "./prng.ts";

const MINUTE_MS = 60_000;
const EVERY = 40;
const REMAINDER = 13;
/** From the beginning of a run. Clients send before and meanwhile. */
const FROM_MS = 2 * MINUTE_MS;
const UNTIL_MS = FROM_MS + 10 * MINUTE_MS;
export const OWN_RECORDS_FAULTS_MS = 20 * MINUTE_MS;

export type RecordsStage = "greeting" | "mail" | "rcpt" | "dot";

export interface Refusal {
  stage: RecordsStage;
  reply: string;
}

/** Of this server's address, as receivers word it. */
export const ADDRESS_BLOCKS: readonly [Refusal, ...Refusal[]] = [
  { stage: "greeting", reply: "554 IP address is block listed. https://postmaster.peer.example/case?ip=192.0.2.1" },
  {
    stage: "mail",
    reply: "550 5.7.1 messages from [192.0.2.1] weren't sent: part of their network is on our block list (S3140)",
  },
  {
    stage: "rcpt",
    reply: "553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in our list",
  },
  { stage: "dot", reply: "550 5.7.1 Service unavailable; client host [192.0.2.1] blocked using zen.spamhaus.org" },
];

const REFUSALS: readonly [Refusal, ...Refusal[]] = [
  { stage: "greeting", reply: "554 No SMTP service. Bad DNS PTR resource record." },
  { stage: "mail", reply: "550 5.7.25 the IP address sending this message does not have a PTR record" },
  { stage: "mail", reply: "554 5.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]" },
  { stage: "rcpt", reply: "550 5.7.25 no PTR record" },
  ...ADDRESS_BLOCKS,
  { stage: "rcpt", reply: "450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]" },
  { stage: "rcpt", reply: "550 5.7.1 <mta.sender.example>: Helo command rejected: Host not found" },
  { stage: "mail", reply: "550 5.1.8 <a@sender.example>: Sender address rejected: Domain not found" },
  {
    stage: "rcpt",
    reply: "550 5.7.27 <a@sender.example>: Sender address rejected: Domain does not accept mail (nullMX)",
  },
  { stage: "rcpt", reply: "550 5.7.1 Please see http://www.openspf.net/Why?s=mfrom;id=a@sender.example;ip=192.0.2.1" },
  { stage: "rcpt", reply: "550 Sender verify failed" },
  { stage: "dot", reply: "550 5.7.26 this mail has been blocked because the sender is unauthenticated" },
  { stage: "dot", reply: "550 5.7.515 Access denied, sending domain does not meet the required authentication level" },
  { stage: "dot", reply: "550 5.7.1 rejected due to the DMARC policy of the sending domain" },
];

/** Whether the seed is of such a run. None is of one with an overloaded domain. */
export const losesOwnRecords = (seed: number): boolean => seed % EVERY === REMAINDER;

/** Messages outlast the ten minutes. */
export const ownRecordsSettings = (drawn: Settings): Settings => ({ ...drawn, maxAgeMs: 4 * 60 * MINUTE_MS });

export interface RefusalParts {
  prng: Prng;
  history: History;
  /** Since the beginning of the run. */
  elapsedMs: () => number;
}

/** What receivers say about our records, in a run in which they vanish. */
export class OwnRecords {
  readonly occurrence = "refused_for_own_records";
  readonly #parts: RefusalParts;
  readonly #refusals = new Map<string, Refusal>();

  constructor(parts: RefusalParts) {
    this.#parts = parts;
    parts.history.losesNoMail = true;
  }

  /** The reply of a recipient domain's host at a stage, now; null if it has no objection. */
  refusal(domain: string, stage: RecordsStage): string | null {
    const { prng, elapsedMs } = this.#parts;
    const nowMs = elapsedMs();
    if (nowMs < FROM_MS || nowMs >= UNTIL_MS) return null;
    const refusal = this.#refusals.get(domain) ?? prng.pick(REFUSALS);
    this.#refusals.set(domain, refusal);
    return refusal.stage === stage ? refusal.reply : null;
  }
}

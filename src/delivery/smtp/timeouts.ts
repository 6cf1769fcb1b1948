/**
 * Time limits of the steps of an SMTP dialogue. verdict.ts decides what a timeout means for a recipient.
 */
import { MINUTE_MS, SECOND_MS } from "../../lib/units.ts";

/** Milliseconds. `quit` also limits the other steps whose reply changes no recipient's result (RSET, a lone dot). */
export interface Timeouts {
  connect: number;
  greeting: number;
  ehlo: number;
  starttls: number;
  mail: number;
  rcpt: number;
  data: number;
  /** Until the peer accepts one block of content. */
  block: number;
  /** From MAIL to the final dot, even with a peer that is slow but never silent: nothing is lost by ending it before the dot. */
  handover: number;
  /** From the final dot to its reply. */
  dot: number;
  quit: number;
}

/**
 * Until the greeting of a host that has not greeted before. Nearly all of them never will; a host that greets late is one that is
 * loaded, and known from the time before.
 */
export const FIRST_GREETING_MS = MINUTE_MS;

/**
 * The limit of each step before the content in a brief attempt: the first one at a message, to a destination that is not known to
 * answer promptly, while many attempts of the account wait. Later attempts at the message have the usual limits.
 */
export const BRIEF_STEP_MS = 10 * SECOND_MS;

/** The minimums of RFC 5321 §4.5.3.2. Where it defines none: 30 s for the TCP connection and half an hour from MAIL to the dot. */
export const RFC_TIMEOUTS: Readonly<Timeouts> = {
  connect: 30 * SECOND_MS,
  greeting: 5 * MINUTE_MS,
  ehlo: 5 * MINUTE_MS,
  starttls: 2 * MINUTE_MS,
  mail: 5 * MINUTE_MS,
  rcpt: 5 * MINUTE_MS,
  data: 2 * MINUTE_MS,
  block: 3 * MINUTE_MS,
  handover: 30 * MINUTE_MS,
  dot: 10 * MINUTE_MS,
  quit: 5 * SECOND_MS,
};

/** Those of a brief attempt, until the session is open; then those of a transaction. */
export const BRIEF_OPENING = {
  connect: BRIEF_STEP_MS,
  greeting: BRIEF_STEP_MS,
  ehlo: BRIEF_STEP_MS,
  starttls: BRIEF_STEP_MS,
} as const satisfies Partial<Timeouts>;
export const BRIEF_ENVELOPE = {
  mail: BRIEF_STEP_MS,
  rcpt: BRIEF_STEP_MS,
  data: BRIEF_STEP_MS,
} as const satisfies Partial<Timeouts>;

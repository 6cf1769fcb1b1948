/**
 * What the mail servers of a closed destination did instead of accepting messages, and how that is said. The dashboard, the command
 * line, the log and the notes of attempts use the same sentence. delivery/throttle/window-state.ts decides when a destination is
 * closed.
 */
import type { Category } from "./category.ts";
import { classifyReply } from "./classifier.ts";
import type { SmtpReply, Stage } from "./outcome.ts";
import { scopeOf } from "./refusal-scope.ts";

export type TroubleCause =
  | "connection_lost"
  | "timeout"
  | "malformed_reply"
  /** A reply about rate, or any 421. */
  | "rate_limited"
  /** A refusal of the address that mail leaves from, for its reputation, or for its reverse name or its EHLO name. */
  | "reputation"
  | "authentication"
  | "refused"
  /** No address accepts a connection. */
  | "unreachable";

/** What a mail server did instead of accepting a message. */
export interface Trouble {
  cause: TroubleCause;
  /** The reply or the error on one line, at most TEXT_LENGTH_MAX characters. */
  text: string;
  /** How long the receiver wants no mail after the reply; absent if that is not known. `atOnce`: after the first such reply. */
  pause?: { ms: number; atOnce: boolean };
}

/** A destination that accepts nothing at the moment: it is probed by one attempt at a time. Times are of the caller's clock. */
export interface ClosedDestination {
  sinceMs: number;
  /** When the next probe may begin. */
  probeAtMs: number;
  /** Whether a probe is under way. */
  isProbing: boolean;
  /** Each cause once, in the order of their first appearance; empty if they are not known. */
  causes: TroubleCause[];
  /** Null if it is not known, or not for the reader. */
  last: (Trouble & { atMs: number }) | null;
}

/** A text, or a moment. */
export type SentencePart = string | { atMs: number };

/** The window of a peer's text that is kept of each destination. */
const TEXT_LENGTH_MAX = 200;

const NAMES: Record<TroubleCause, string> = {
  connection_lost: "lost connections",
  timeout: "timeouts",
  malformed_reply: "malformed replies",
  rate_limited: "rate limits",
  reputation: "rejections of this server's address",
  authentication: "rejections of this server's name",
  refused: "negative replies",
  unreachable: "failed connections",
};

export function troubleOfReply(reply: SmtpReply, stage: Stage): Trouble {
  const { code, enhanced_code: enhanced, message } = reply;
  const text = [String(code), enhanced ?? "", message].filter((part) => part !== "").join(" ");
  return { cause: causeOfReply(reply, stage), text: lineOf(text) };
}

function causeOfReply(reply: SmtpReply, stage: Stage): TroubleCause {
  const classification = classifyReply(reply, stage);
  const { category } = classification;
  const isOfAddress = scopeOf(reply, stage, classification) === "sending_address";
  if (isOfAddress && (category === "reputation" || category === "authentication")) return category;
  return category === "rate_limited" || reply.code === 421 ? "rate_limited" : "refused";
}

/** The category of the refusals of this server's address after which a destination is closed; null if it is closed for something else. */
export function blockOf({ last }: { last: Trouble | null }): Category | null {
  return last?.cause === "reputation" || last?.cause === "authentication" ? last.cause : null;
}

export function troubleOfError(cause: TroubleCause, error: string): Trouble {
  return { cause, text: lineOf(error) };
}

/** Since when the destination is closed, after what, and when it is probed next. */
export function closedSentence({ sinceMs, probeAtMs, isProbing, causes, last }: ClosedDestination): SentencePart[] {
  const after = causes.length === 0 ? "" : ` after ${listOf(causes.map((cause) => NAMES[cause]))}`;
  return [
    "Postrider closed delivery to the recipient's server ",
    { atMs: sinceMs },
    `${after}. `,
    ...(last === null ? [] : [`${lastName(last)} `, { atMs: last.atMs }, `: ${ended(last.text)} `]),
    ...(isProbing
      ? ["One message probes it now; the others wait for its result."]
      : ["The next probe, with one message, is due ", { atMs: probeAtMs }, "."]),
  ];
}

/** The destination as users see who must not read what its servers wrote: that may name another account's recipient. */
export function withoutReply(closed: ClosedDestination): ClosedDestination {
  return { ...closed, last: null };
}

const REPLIES: ReadonlySet<TroubleCause> = new Set(["rate_limited", "refused", "reputation", "authentication"]);

const lastName = ({ cause }: Trouble): string => (REPLIES.has(cause) ? "Last reply" : "Last error");

const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function lineOf(text: string): string {
  const line = text
    .slice(0, 2 * TEXT_LENGTH_MAX)
    .replace(/\s+/g, " ")
    .trim();
  // A slice keeps the whole text in memory; a copy does not. Half a surrogate pair is not a character.
  const short =
    line.length <= TEXT_LENGTH_MAX ? line : `${line.slice(0, TEXT_LENGTH_MAX - 1).replace(/[\ud800-\udbff]$/u, "")}…`;
  return Buffer.from(short).toString();
}

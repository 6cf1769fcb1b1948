/**
 * What every check takes and gives, and how DNS text is shown in its sentences.
 * Each check decides alone what counts as published; what a result means for the domain is standing.ts's to say.
 */
import type { Resolver, Trouble } from "../dns/resolver.ts";
import type { Domain, DomainCheck } from "../spool/port/domains.ts";

/** What the checks need to know of this installation. */
export interface CheckContext {
  resolver: Resolver;
  /** The EHLO name. */
  hostname: string;
  /** The public addresses that mail leaves from; empty when none is known. */
  sendingIps: string[];
  /** SMTP_ALLOW_PRIVATE: whether a host in a private network is one that mail can reach. */
  allowPrivate?: boolean;
}

/** The part of a domain that decides which records it should publish. */
export type Publisher = Pick<Domain, "name" | "token" | "selector" | "publicKey">;

/**
 * What one look at the DNS has shown: `detail` says what was seen and exactly what to change. `expected` passes the check
 * when it is published, and is never a weaker policy than what is published already.
 */
export type Seen = Pick<DomainCheck, "state" | "detail" | "expected" | "found" | "warnings" | "foundAt" | "expectedAt">;

export type Check = (domain: Publisher, context: CheckContext) => Promise<Seen>;

const SHOWN_RECORDS_MAX = 10;
const SHOWN_LENGTH_MAX = 1000;
const QUOTED_LENGTH_MAX = 300;

/** Records as `found` carries them: bounded in number and length, since anybody may publish anything. */
export function shown(records: string[]): string[] {
  return records.slice(0, SHOWN_RECORDS_MAX).map((record) => cut(printable(record), SHOWN_LENGTH_MAX));
}

/** Published text inside a sentence: bounded, in typographic quotes so that pasted ones stay visible. */
export function quoted(text: string): string {
  return `“${cut(printable(text), QUOTED_LENGTH_MAX)}”`;
}

/** The result when the DNS said nothing: never a failure. */
export function troubled(question: string, trouble: Trouble, expected: string): Seen {
  const detail = `The DNS gave no answer about ${question} (${trouble.code}). Nothing is wrong for certain; the check is repeated by itself.`;
  return { state: "temporary_failure", detail, expected, found: [] };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The text without characters that steer a terminal or turn the reading direction. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be shown.
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

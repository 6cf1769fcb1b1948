/**
 * The input and the result of a check of one DNS record, and how DNS text is displayed in its sentences. Each check decides
 * on its own what counts as published; verification-state.ts decides what a result means for the domain.
 */
import type { LookupFailure, Resolver } from "../dns/resolver.ts";
import type { Domain, DomainCheck } from "../spool/port/domains.ts";

/** What the checks depend on besides the domain. */
export interface CheckContext {
  resolver: Resolver;
  /** The EHLO name. */
  hostname: string;
  /** The public addresses that messages are sent from, by any node; empty when none is known. */
  readonly sendingIps: string[];
  /** Those that the mail of a domain leaves from, where operators have chosen them; null elsewhere, and for a pool without any. */
  ipsOf?: (domain: Pick<PublishingDomain, "name" | "accountId">) => string[] | null;
  /** SMTP_ALLOW_PRIVATE: accept MX hosts with private addresses. */
  allowPrivate?: boolean;
}

/** The part of a domain that determines the records it publishes. */
export type PublishingDomain = Pick<Domain, "name" | "token" | "selector" | "publicKey"> & {
  /** Whether its return path is on. */
  hasReturnPath?: boolean;
  accountId?: string;
};

/** The context, or a part of it, with the addresses that the mail of a domain leaves from. */
export const contextOf = <Context extends Pick<CheckContext, "sendingIps" | "ipsOf">>(
  domain: Pick<PublishingDomain, "name" | "accountId">,
  context: Context,
): Context => ({ ...context, sendingIps: context.ipsOf?.(domain) ?? context.sendingIps });

/** The part of a domain that determines its DKIM record. */
export type KeyedDomain = Pick<PublishingDomain, "name" | "selector" | "publicKey">;

/**
 * The result of one run of a check. `detail` states what was found and how to fix it. `expected` passes the check when it is
 * published, and is never a weaker policy than the published one.
 */
export type CheckResult = Pick<
  DomainCheck,
  "state" | "detail" | "expected" | "found" | "warnings" | "foundAt" | "expectedAt"
>;

export type RecordCheck = (domain: PublishingDomain, context: CheckContext) => Promise<CheckResult>;

const RECORDS_MAX = 10;
const RECORD_LENGTH_MAX = 1000;
const QUOTE_LENGTH_MAX = 300;

/** Records for `found`, bounded in number and length: a zone may publish anything. */
export function displayRecords(records: string[]): string[] {
  return records.slice(0, RECORDS_MAX).map((record) => truncate(replaceControls(record), RECORD_LENGTH_MAX));
}

/** Published text inside a sentence: bounded, in typographic quotes because the text may contain plain ones. */
export function quote(text: string): string {
  return `“${truncate(replaceControls(text), QUOTE_LENGTH_MAX)}”`;
}

/** The result of a failed lookup, which proves nothing about the record. */
export function temporaryFailure(question: string, failure: LookupFailure, expected: string): CheckResult {
  const detail = `The DNS lookup of ${question} failed (${failure.code}). The record may be correct; the check is repeated automatically.`;
  return { state: "temporary_failure", detail, expected, found: [] };
}

function truncate(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Replaces control characters and those that change the text direction by U+FFFD. */
export function replaceControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the function replaces control characters.
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** What the reports of receivers mean, in sentences for the dashboard and the command line. */

import type { ReportedSource, TlsTotals, WeekReports } from "../../spool/port/sender-reports.ts";
import type { RefusalReason, Refusals } from "../incoming/report-intake.ts";
import { NETWORK_SHARE_MAX, SHARED_PLACES } from "../incoming/report-places.ts";

type Receiver = WeekReports["receivers"][number];

/** Addresses named in a sentence. */
const NAMED_MAX = 3;

/** One sentence about the messages that failed DMARC at a receiver: how many were ours, and where the others came from. */
export function receiverSentence(
  { org, messages, failed, failedOurs }: Receiver,
  sources: readonly ReportedSource[],
): string {
  if (failed === 0) return `${countOf(messages, "message")} passed DMARC at ${org}, and none failed.`;
  const start = failed === 1 ? `The one message that failed DMARC at ${org}` : null;
  const from = originText(
    failed - failedOurs,
    sources.filter((source) => source.org === org),
  );
  if (failedOurs === failed)
    return `${start ?? `All ${number(failed)} messages that failed DMARC at ${org}`} ${be(failed)} ours.`;
  if (start !== null) return `${start} was not ours; it came from ${from}.`;
  const ours = failedOurs === 0 ? "none were ours; they" : `${number(failedOurs)} ${be(failedOurs)} ours; the others`;
  return `Of ${number(failed)} messages that failed DMARC at ${org}, ${ours} came from ${from}.`;
}

/** Names the addresses that most of the failed messages came from which were not ours. */
function originText(messages: number, sources: readonly ReportedSource[]): string {
  const failing = sources.filter(({ ours, failed }) => ours === "no" && failed > 0);
  const named = failing.slice(0, NAMED_MAX);
  const isComplete = named.reduce((sum, { failed }) => sum + failed, 0) >= messages;
  const addresses = [...named.map(({ ip }) => ip), ...(isComplete ? [] : ["other addresses"])];
  const last = addresses.pop() ?? "";
  return addresses.length === 0 ? last : `${addresses.join(", ")} and ${last}`;
}

/** One sentence about the TLS sessions that a sender has reported. */
export function tlsSentence({ org, succeeded, failed }: TlsTotals & { org: string }): string {
  const total = countOf(succeeded + failed, "session");
  return failed === 0 ? `${total} of ${org} had TLS as required.` : `${number(failed)} of ${total} of ${org} failed.`;
}

const OURS_TEXTS = {
  address: "yes: an address of this service",
  signature: "yes: signed with a key of this domain, and passed on by another host",
  no: "no",
} as const satisfies Record<ReportedSource["ours"], string>;

export const oursText = ({ ours }: Pick<ReportedSource, "ours">): string => OURS_TEXTS[ours];

const number = (value: number): string => value.toLocaleString("en-US");
const countOf = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
const be = (count: number): string => (count === 1 ? "was" : "were");

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  no_report: "the message contained no report",
  too_large: "the report was too large",
  damaged_archive: "the archive was damaged, or of an unknown kind",
  several_files: "the archive had more than one file",
  unknown_encoding: "the encoding is unknown",
  too_complex: "it had longer texts or more elements than a report",
  not_allowed: "it had a document type or a processing instruction",
  not_well_formed: "it was not well-formed",
  incomplete: "the domain, the id, the period or the sender was missing",
  several_domains: "it was about several domains",
  too_slow: "reading it took too long",
  other_domain: "it was about another domain",
  other_time: "it was about a time that is too long ago, or ahead",
  day_full: `${SHARED_PLACES} reports of that day were stored, besides those of known reporters`,
  share_used: `its network had sent ${NETWORK_SHARE_MAX} on that day`,
};

export const refusalText = (reason: RefusalReason): string => REFUSALS[reason] ?? reason;

/** Empty if every report was stored. */
export const refusalsSentence = ({ total }: Refusals): string =>
  total === 0
    ? ""
    : `${total === 1 ? "1 report" : `${total} reports`} of the last 35 days could not be read, or was not stored.`;

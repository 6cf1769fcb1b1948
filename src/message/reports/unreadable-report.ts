/** Why a report that came in was not read, as a word that is counted and shown. */

export const UNREAD_REASONS = [
  /** The message has no DMARC or TLS report. */
  "no_report",
  /** Packed, unpacked, or unpacked for its packed size. */
  "too_large",
  /** The archive is damaged, encrypted, or of an unknown kind. */
  "damaged_archive",
  "several_files",
  /** An encoding that is not known. */
  "unknown_encoding",
  /** Longer tokens, more elements or deeper ones than reports have. */
  "too_complex",
  /** A document type or a processing instruction. */
  "not_allowed",
  "not_well_formed",
  /** The domain, the id, the period or the sender is missing. */
  "incomplete",
  "several_domains",
  /** Reading took too long, or too much memory. */
  "too_slow",
  /** About another domain than that of the address, or a time that is too long ago or ahead. */
  "other_domain",
  "other_time",
] as const;

export type UnreadReason = (typeof UNREAD_REASONS)[number];

/** Ends the reading of a report. */
export class UnreadableReport extends Error {
  override name = "UnreadableReport";
  readonly reason: UnreadReason;

  constructor(reason: UnreadReason) {
    super(`the report cannot be read: ${reason}`);
    this.reason = reason;
  }
}

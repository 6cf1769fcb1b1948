/**
 * The addresses that DMARC reports are sent to (RFC 7489 §6.2): which are usable, and which were evidently meant.
 * Whether anybody reads the reports is not decided here.
 */

const MAILTO = /^mailto:[^\s@,;!<>:]+@[^\s@,;!<>]+(![0-9]+[kmgt]?)?$/i;

/** Whether receivers can send a report to it. Other schemes than mailto are legal, and nobody serves them. */
export function isReportUri(uri: string): boolean {
  return MAILTO.test(uri.trim());
}

/** A list of usable addresses, each once: `a@b` is taken for `mailto:a@b`. Null where none is left. */
export function mendedUris(list: string): string | null {
  const uris = list.split(/[,\s]+/).map((uri) => `mailto:${uri.replace(/[<>]/g, "").replace(/^mail-?to[:=]\/*/i, "")}`);
  const usable = [...new Set(uris.filter(isReportUri))];
  return usable.length === 0 ? null : usable.join(",");
}

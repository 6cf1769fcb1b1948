/** The addresses in rua= and ruf= (RFC 9989 §4.6, §4.8): which are well-formed, and to which receivers can send. */

/** Commas and exclamation points are encoded in a URI. The size limit of RFC 7489 may follow it, and is ignored. */
const URI = /^[a-z][a-z0-9+.-]*:[^\s,;!<>"\\\u0080-\uffff]+(?:![0-9]+[kmgt]?)?$/i;
const MAILTO = /^mailto:[^\s@,;!<>:]+@[^\s@,;!<>]+(?:![0-9]+[kmgt]?)?$/i;

/** The addresses of a list, without surrounding spaces. */
export const urisIn = (list: string): string[] => list.split(",").map((uri) => uri.trim());

/** Whether the text is a URI of any scheme, mailto with an address. */
export function isUri(uri: string): boolean {
  return /^mailto:/i.test(uri) ? isReportUri(uri) : URI.test(uri);
}

/** Whether receivers can send a report to `uri`. Schemes other than mailto are legal, but no receiver has to support them. */
export function isReportUri(uri: string): boolean {
  return MAILTO.test(uri.trim());
}

/** Whether the URI has the size limit of RFC 7489, which receivers ignore now. */
export const hasSizeLimit = (uri: string): boolean => uri.includes("!");

/** Folds the lines of a header field (RFC 5322 §2.2.3). */

/** Octets of a line without its CRLF (RFC 5322 §2.1.1). */
const LINE_OCTETS_MAX = 998;

/** Octets of a line before it is folded. */
const FOLDED_OCTETS_MAX = 900;

/** Whether a line of the text is longer than a message may have it. */
export const hasLongLine = (text: string): boolean =>
  text.split("\r\n").some((line) => Buffer.byteLength(line) > LINE_OCTETS_MAX);

/** Folds long lines at white space, where they have any. */
export function folded(text: string): string {
  const octets = Buffer.from(text).toString("latin1");
  const lines = octets.split("\r\n").map((line) => piecesOf(line).join("\r\n"));
  return Buffer.from(lines.join("\r\n"), "latin1").toString();
}

function piecesOf(written: string): string[] {
  if (written.length <= FOLDED_OCTETS_MAX) return [written];
  // A run of white space could become a line without other characters.
  const line = written.replace(/[ \t]+/g, " ");
  const pieces: string[] = [];
  let from = 0;
  while (line.length - from > FOLDED_OCTETS_MAX) {
    const last = line.lastIndexOf(" ", from + FOLDED_OCTETS_MAX);
    const next = last > from ? last : line.indexOf(" ", from + 1);
    if (next < 0) break;
    pieces.push(line.slice(from, next));
    from = next;
  }
  return [...pieces, line.slice(from)];
}

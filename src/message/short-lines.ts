/**
 * Texts that need no encoding but CRLF line ends (7bit, RFC 2045 §2.7). Most texts are of this kind, and V8's own string functions
 * convert them in half the time of a loop over their bytes. They do so in pieces, because a list of all lines of a text takes
 * many times its memory.
 */

/** Longest line, without its CRLF: all mail programs show it and no mail server folds it. */
const LINE_LENGTH_MAX = 76;
/** UTF-16 code units of a text that are converted at once: their lists of lines stay in V8's young generation. */
const PIECE_LENGTH = 16 * 1024;

/** Consecutive pieces of the text with CRLF line ends; null if one of its lines is longer than 76 characters. */
export function shortLines(text: string): string[] | null {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = pieceEnd(text, from);
    if (end === null) return null;
    const lines = linesOf(text.slice(from, end));
    if (lines.some((line) => line.length > LINE_LENGTH_MAX)) return null;
    pieces.push(lines.join("\r\n"));
    from = end;
  }
  return pieces;
}

/** Half the time if the text has no CR, as most have none. */
function linesOf(text: string): string[] {
  return text.split(text.includes("\r") ? /\r\n?|\n/ : "\n");
}

/** The end of the text or of a line; null if that line is too long. */
function pieceEnd(text: string, from: number): number | null {
  const limit = from + PIECE_LENGTH;
  if (limit >= text.length) return text.length;
  // A line and one byte of its CRLF.
  const endMin = limit - LINE_LENGTH_MAX - 1;
  for (let end = limit; end >= endMin; end -= 1) {
    if (text[end - 1] === "\n" || (text[end - 1] === "\r" && text[end] !== "\n")) return end;
  }
  return null;
}

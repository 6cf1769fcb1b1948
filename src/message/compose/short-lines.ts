/**
 * Texts that need no encoding except CRLF line ends (7bit, RFC 2045 §2.7), as most texts do. V8's string functions convert them
 * in half the time of a loop over bytes. Texts are converted in pieces: a list of all lines would take many times their memory.
 */

/** Longest line, without its CRLF. Mail programs show such lines and mail servers do not fold them. */
const LINE_LENGTH_MAX = 76;
/** UTF-16 code units converted at once. Their lists of lines stay in V8's young generation. */
const PIECE_LENGTH = 16 * 1024;

/** Returns consecutive pieces of the text with CRLF line ends; null if a line is longer than 76 characters. */
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

/** Takes half the time without a CR, as in most texts. */
function linesOf(text: string): string[] {
  return text.split(text.includes("\r") ? /\r\n?|\n/ : "\n");
}

/** Returns the end of the text or of a line; null if that line is too long. */
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

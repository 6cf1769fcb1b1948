/** Phrases in header fields (RFC 5322 §3.2.5), such as the name of a mailbox: as atoms, quoted, or in encoded words. */
import { quoteString } from "nodemailer/lib/mime-funcs";
import { encodedWords } from "../encoded-words.ts";

/** Words up to this length can be folded within RFC 5322's recommended 78 characters. */
const PLAIN_LENGTH_MAX = 60;

/** A text, which is not empty, as a phrase. */
export function phraseOf(text: string): string {
  if (text.length > PLAIN_LENGTH_MAX || needsEncoding(text)) return encodedWords(text);
  return /^[\w!#$%&'*+\-/=?^`{|}~ ]*$/.test(text) ? text : quoteString(text);
}

/** Whether a header field would change the text: not printable ASCII, runs of spaces, or text that looks encoded. */
export const needsEncoding = (text: string): boolean => /[^ -~]|^ | $| {2}|=\?/.test(text);

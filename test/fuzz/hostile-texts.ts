/**
 * Texts that make a parser with a quadratic step slow: a unit that is repeated up to a length, because such a step restarts at each
 * repetition, or takes back what it has read of them one by one. The last character differs, so that no repetition is the end.
 */

/** Punctuation that grammars give a meaning, white space, digits and letters, and openings that are never closed. */
const CHARACTERS = [..."\"'()<>[]{}\\;:,.=?&%@!/*+-_~#|$^` \t\r\n\0aZ019é“€"];

const SEQUENCES = [
  // Line ends, folds, and lines that are empty or short.
  "\r\n",
  "\r\n ",
  "\r\n\t",
  "\n ",
  " \r\n",
  "a\r\n",
  "a: b\r\n",
  "a:\r\n",
  "\r\n\r\n",
  "--\r\n",
  "a\n",
  ": ",
  // Quoted strings, comments, addresses, and lists of them.

  '"a" ',
  '""',
  '\\"',
  '"\\',
  "(a)",
  "(a",
  "\\(",
  "<a>",
  "<a@b>",
  "a@",
  "@a",
  "a@b.c,",
  "a@b.c ",
  "a <",
  "a,",
  "a, ",
  // Tags, parameters, encoded words, escapes.

  "a=b;",
  "a=b; ",
  ";a=",
  "; ",
  ";;",
  "a=",
  "=a",
  "=?",
  "?=",
  "=?utf-8?q?a?=",
  "=?utf-8?q?a?= ",
  "=?a?b?",
  "=41",
  "=\r\n",
  "%41",
  "%{",
  "%{d}",
  "%",
  "&amp;",
  "&#",
  "&",
  "\\u0041",
  "\\\\",
  "a%",
  // Names, numbers, terms.

  "a.",
  ".a",
  "a-",
  "1.",
  "1a",
  "a1",
  "a b ",
  "aA",
  "a ",
  " a",
  "v=",
  "a:",
  "a/",
  "/1",
  "//",
  "::",
  "1:",
  "-a ",
  "0",
  "1 ",
  // Mark-up and JSON.

  "<a",
  "<a ",
  "</a>",
  "<a b=",
  "<!--",
  "<![CDATA[",
  "<br>",
  "a<",
  '{"a":',
  "[[",
  "[1,",
  '"a",',
  "{}",
  "cid:a ",
  '"cid:a',
  // Boundaries and fields.

  "--b\r\n",
  "--b--\r\n",
  "\r\n--b",
  "--b",
  "a;b=c\r\n ",
  "To: a\r\n",
  "Received: a\r\n",
  "550 a\r\n",
  "550-a\r\n",
  "5.1.1 ",
] as const;

export const UNITS: readonly string[] = [...CHARACTERS, ...SEQUENCES];

/** `unit` repeated up to `length` characters, and an end that no grammar expects. */
export function repeated(unit: string, length: number): string {
  return `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length - 1)}\u0001`;
}

/**
 * Splits a field with parameters (RFC 2045 §5.1, RFC 2183) as it is written: folded, with white space and comments around its
 * signs, values quoted or not. Reads each character a bounded number of times.
 */

/** A part of the field between two semicolons. */
export interface Segment {
  /** As written, without the semicolon before it. */
  text: string;
  /** Of a parameter: its name in lower case; null for other text. */
  name: string | null;
  /** Of a parameter: its value without quotes, escapes and folds. */
  value: string;
  /** The white space before its name, and what follows its value. */
  before: string;
  after: string;
}

/** The parts of a field's text after its colon. The first one is its value. */
export function segmentsOf(text: string): Segment[] {
  const ends = separatorsOf(text);
  return ends.map((end, index) => segmentOf(text.slice(index === 0 ? 0 : (ends[index - 1] as number) + 1, end)));
}

/** The value of the first parameter with this name; null without one. `text`: what is after the field's colon. */
export function parameterOf(text: string, name: string): string | null {
  return segmentsOf(text).find((segment, index) => index > 0 && segment.name === name)?.value ?? null;
}

/** Where the parts end: at the semicolons outside quotes and comments, and at the end. */
function separatorsOf(text: string): number[] {
  const scanner = new Scanner(text);
  const ends: number[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === ";") ends.push(at);
    at = Math.max(at + 1, scanner.quoteEnd(at), scanner.commentEnd(at));
  }
  return [...ends, text.length];
}

const ATTRIBUTE = /^[^\s"()<>@,;:\\=/?[\]]+/;

function segmentOf(text: string): Segment {
  const scanner = new Scanner(text);
  const nameFrom = scanner.skipSpace(0);
  const [name = ""] = ATTRIBUTE.exec(text.slice(nameFrom)) ?? [];
  const nameEnd = nameFrom + name.length;
  const equals = scanner.skipSpace(nameEnd);
  if (name === "" || text[equals] !== "=") return { text, name: null, value: "", before: "", after: "" };
  const from = scanner.skipSpace(equals + 1);
  const quoteEnd = scanner.quoteEnd(from);
  const isQuoted = quoteEnd > from;
  const end = isQuoted ? quoteEnd : scanner.bareEnd(from);
  const written = text.slice(from, end).replaceAll("\r\n", "");
  const value = isQuoted ? written.slice(1, -1).replace(/\\(.)/gsu, "$1") : written;
  const [before = ""] = /^[ \t\r\n]*/.exec(text) ?? [];
  return { text, name: name.toLowerCase(), value, before, after: text.slice(end) };
}

const isSpace = (character: string | undefined): boolean => character !== undefined && " \t\r\n".includes(character);

/** Finds the ends of quoted strings, comments and values. What is not closed is ordinary text, so that each search is linear. */
class Scanner {
  readonly #text: string;
  readonly #lastQuote: number;
  #lastParenthesis: number;

  constructor(text: string) {
    this.#text = text;
    this.#lastQuote = text.lastIndexOf('"');
    this.#lastParenthesis = text.lastIndexOf(")");
  }

  /** The index after the quoted string that begins here; the same index if none does. */
  quoteEnd(from: number): number {
    if (this.#text[from] !== '"' || from >= this.#lastQuote) return from;
    for (let at = from + 1; at < this.#text.length; at += 1) {
      if (this.#text[at] === "\\") at += 1;
      else if (this.#text[at] === '"') return at + 1;
    }
    return this.#text.length;
  }

  /** The index after the comment (RFC 5322 §3.2.2) that begins here; the same index if none does. */
  commentEnd(from: number): number {
    if (this.#text[from] !== "(" || from > this.#lastParenthesis) return from;
    let depth = 0;
    for (let at = from; at < this.#text.length; at += 1) {
      if (this.#text[at] === "\\") at += 1;
      else if (this.#text[at] === "(") depth += 1;
      else if (this.#text[at] === ")") depth -= 1;
      if (depth === 0) return at + 1;
    }
    this.#lastParenthesis = -1;
    return from;
  }

  /** The index after white space and comments. */
  skipSpace(from: number): number {
    let at = from;
    for (;;) {
      const next = isSpace(this.#text[at]) ? at + 1 : this.commentEnd(at);
      if (next === at) return at;
      at = next;
    }
  }

  /**
   * The index after a value without quotes. Some programs write file names with blanks so: it ends before trailing white space and
   * comments. A parenthesis within a word, as in `a(1).pdf`, is part of it.
   */
  bareEnd(from: number): number {
    let end = from;
    for (let at = from; at < this.#text.length; ) {
      const next = isSpace(this.#text[at]) ? this.skipSpace(at) : at;
      if (next === at) end = at + 1;
      at = Math.max(at + 1, next);
    }
    return end;
  }
}

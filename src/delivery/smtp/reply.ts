/**
 * Parses SMTP replies (RFC 5321 §4.2): decides what a well-formed reply is and which text of it is stored. Which command a reply
 * belongs to is decided in connection.ts, its meaning in transaction.ts and above.
 */
import type { SmtpReply } from "../../message/result/outcome.ts";

export const LINE_BYTES_MAX = 4096;
export const LINES_MAX = 200;
export const MESSAGE_BYTES_MAX = 4096;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const HYPHEN = 0x2d;
const ZERO = 0x30;
const ELLIPSIS = "…";
const NOTHING = Buffer.alloc(0);
const CODE_LENGTH = 3;

/** Of one UTF-16 code unit. */
const UTF8_BYTES_MAX = 3;
/** Some servers, such as Cisco's, write it as `#5.1.0`. */
const ENHANCED_CODE = /^#?(([245])\.\d{1,3}\.\d{1,3})(?=\s|$)/u;

/** Complete replies in the order received, and the error that ended parsing, if any. */
export interface ParsedReplies {
  replies: SmtpReply[];
  error: string | null;
}

/**
 * Accepts bytes in any fragments. After the first error it returns nothing but that error.
 *
 * The code of a reply is that of its last line, as in Postfix: some hosts greet with `220-` and then `521`, or give two reasons with
 * two codes. A 2xx or 3xx counts only where every line has a code of its class: what begins as a refusal is no acceptance.
 */
export class ReplyParser {
  #partial = NOTHING;
  /** Of the line before. */
  #code: number | null = null;
  #lines: string[] = [];
  #error: string | null = null;

  /** Whether bytes of an unfinished reply are waiting for the rest. */
  get midReply(): boolean {
    return this.#partial.length > 0 || this.#lines.length > 0;
  }

  push(bytes: Buffer): ParsedReplies {
    const replies: SmtpReply[] = [];
    const all = this.#partial.length === 0 ? bytes : Buffer.concat([this.#partial, bytes]);
    let from = 0;
    while (this.#error === null) {
      const lineFeed = all.indexOf(LF, from);
      if (lineFeed === -1) break;
      const reply = this.#takeLine(all, from, withoutCr(all, from, lineFeed));
      if (reply !== null) replies.push(reply);
      from = lineFeed + 1;
    }
    // A CR that may belong to the line end does not count as text.
    const restEnd = withoutCr(all, from, all.length);
    if (this.#error === null && restEnd - from > LINE_BYTES_MAX) this.#error = "reply line too long";
    this.#partial = this.#error !== null || from === all.length ? NOTHING : Buffer.from(all.subarray(from));
    return { replies, error: this.#error };
  }

  /** The reply that the line from `from` to `end` completes; null when more lines follow or the line is malformed. */
  #takeLine(all: Buffer, from: number, end: number): SmtpReply | null {
    const code = codeOf(all, from, end);
    this.#error = this.#fault(all, { from, end, code });
    if (this.#error !== null || code === null) return null;
    this.#code = code;
    this.#lines.push(printable(all.toString("utf8", Math.min(from + CODE_LENGTH + 1, end), end)));
    if (from + CODE_LENGTH < end && all[from + CODE_LENGTH] === HYPHEN) return null;
    const reply = composeReply(code, this.#lines);
    this.#code = null;
    this.#lines = [];
    return reply;
  }

  #fault(all: Buffer, { from, end, code }: { from: number; end: number; code: number | null }): string | null {
    if (end - from > LINE_BYTES_MAX) return "reply line too long";
    if (code === null) return `malformed reply line: ${excerpt(all.subarray(from, end))}`;
    const isRefusal = code >= 400;
    if (this.#code !== null && !isRefusal && classOf(this.#code) !== classOf(code))
      return "reply lines with different codes";
    if (this.#lines.length >= LINES_MAX) return "reply with too many lines";
    return null;
  }
}

/** The first digit of a code (RFC 5321 §4.2.1). */
function classOf(code: number): number {
  return Math.floor(code / 100);
}

/** The code at the start of the line from `from` to `end`, alone or before a space or hyphen; null when the line is malformed. */
function codeOf(all: Buffer, from: number, end: number): number | null {
  if (end - from < CODE_LENGTH) return null;
  let code = 0;
  for (let at = from; at < from + CODE_LENGTH; at += 1) {
    const digit = (all[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return null;
    code = code * 10 + digit;
  }
  const separator = from + CODE_LENGTH < end ? all[from + CODE_LENGTH] : SPACE;
  return code >= 200 && code < 600 && (separator === SPACE || separator === HYPHEN) ? code : null;
}

/** The end of a line without the CR at its end. */
function withoutCr(all: Buffer, from: number, end: number): number {
  return end > from && all[end - 1] === CR ? end - 1 : end;
}

function excerpt(line: Buffer): string {
  return JSON.stringify(printable(line.subarray(0, 80).toString("utf8")));
}

function printable(text: string): string {
  if (!/\p{Cc}/u.test(text)) return text;
  return text.replace(/\p{Cc}/gu, (control) => (control === "\t" ? " " : "\uFFFD"));
}

/** Uses the first enhanced code whose class agrees with the reply's (RFC 3463 §2), and removes it from every line that repeats it. */
function composeReply(code: number, lines: string[]): SmtpReply {
  const codes = lines.map((line) => enhancedCodeOf(line, code));
  const enhanced = codes.find((found) => found !== null) ?? null;
  const texts = lines.map((line, at) =>
    enhanced !== null && codes[at] === enhanced
      ? line.slice(line.indexOf(enhanced) + enhanced.length).trimStart()
      : line,
  );
  return { code, enhanced_code: enhanced, message: bounded(texts.join("\n")) };
}

function enhancedCodeOf(line: string, code: number): string | null {
  const match = ENHANCED_CODE.exec(line);
  return match !== null && Number(match[2]) === classOf(code) ? (match[1] ?? null) : null;
}

function bounded(text: string): string {
  if (text.length * UTF8_BYTES_MAX <= MESSAGE_BYTES_MAX) return text;
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= MESSAGE_BYTES_MAX) return text;
  let end = MESSAGE_BYTES_MAX - Buffer.byteLength(ELLIPSIS);
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end) + ELLIPSIS;
}

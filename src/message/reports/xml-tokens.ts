/**
 * Splits XML into its tokens before a parser builds anything of them, and rejects what no report has: a token of more than some
 * kilobytes, an element with many attributes, a comment, a document type, a processing instruction. So nothing that is packed into a mail
 * takes more memory than the longest token.
 */
import { UnreadableReport } from "./unreadable-report.ts";

/** Characters of a text or a CDATA section. Values have some dozens; `extra_contact_info` may be some sentences. */
export const TEXT_MAX = 16 * 1024;
/** Of a tag. A root with its namespaces and schema locations has some hundreds. */
export const TAG_MAX = 4 * 1024;
export const ATTRIBUTES_MAX = 32;

const [LESS, GREATER, QUOTE, APOSTROPHE, EQUALS] = [0x3c, 0x3e, 0x22, 0x27, 0x3d];
/** So many characters tell which token begins: `<![CDATA[`. */
const START_LENGTH = 9;

export class XmlTokens {
  /** The beginning of a token. */
  #rest = "";
  #isBegun = false;

  /** Returns the whole tokens so far, in one text. Throws UnreadableReport if one exceeds a limit. */
  add(text: string): string {
    return this.#split(this.#rest + text, false);
  }

  /** Returns what is left at the end of the document. */
  end(): string {
    return this.#split(this.#rest, true) + this.#rest;
  }

  #split(text: string, isEnd: boolean): string {
    let at = 0;
    while (at < text.length && (isEnd || text.length - at >= START_LENGTH)) {
      const next = text.charCodeAt(at) === LESS ? this.#markupEnd(text, at) : textEnd(text, at);
      if (next === -1) break;
      this.#isBegun = true;
      at = next;
    }
    this.#rest = text.slice(at);
    return text.slice(0, at);
  }

  /** Returns where the markup ends that begins here; -1 if it is not complete. */
  #markupEnd(text: string, at: number): number {
    const second = text[at + 1];
    if (second === "!") return sectionEnd(text, at);
    if (second !== "?") return tagEnd(text, at);
    // The declaration of the document. No report has an instruction.
    if (this.#isBegun || !/^<\?xml\s/.test(text.slice(at, at + START_LENGTH)))
      throw new UnreadableReport("not_allowed");
    return endAt(text, at, { mark: "?>", skipped: 2, max: TAG_MAX });
  }
}

/** Of a CDATA section. No report has comments or declarations. */
function sectionEnd(text: string, at: number): number {
  if (!text.startsWith("<![CDATA[", at)) throw new UnreadableReport("not_allowed");
  return endAt(text, at, { mark: "]]>", skipped: 9, max: TEXT_MAX });
}

function textEnd(text: string, at: number): number {
  const end = text.indexOf("<", at);
  return within(end, at, text, TEXT_MAX);
}

function endAt(
  text: string,
  at: number,
  { mark, skipped, max }: { mark: string; skipped: number; max: number },
): number {
  const found = text.indexOf(mark, at + skipped);
  return within(found === -1 ? -1 : found + mark.length, at, text, max);
}

/** Checks the length of the token, or of the part of it that has come. */
function within(end: number, at: number, text: string, max: number): number {
  if ((end === -1 ? text.length : end) - at > max) throw new UnreadableReport("too_complex");
  return end;
}

/** An attribute's value may contain `>`. */
function tagEnd(text: string, at: number): number {
  const last = Math.min(text.length, at + TAG_MAX);
  let quote = 0;
  let attributes = 0;
  for (let place = at + 1; place < last; place += 1) {
    const code = text.charCodeAt(place);
    if (quote !== 0) quote = code === quote ? 0 : quote;
    else if (code === GREATER) return place + 1;
    else if (code === QUOTE || code === APOSTROPHE) quote = code;
    else if (code === EQUALS) attributes += 1;
    if (attributes > ATTRIBUTES_MAX) throw new UnreadableReport("too_complex");
  }
  return within(-1, at, text, TAG_MAX - 1);
}

/**
 * Mailboxes and groups (RFC 5322 §3.4), and other fields of phrases: a name that is not ASCII becomes encoded words, one that is
 * itself an address is quoted, and a domain becomes A-labels. A local part outside ASCII has no other form as an address (RFC 6531): it
 * stays, or the mailbox becomes text.
 */
import { isAscii } from "../address.ts";
import { decodeWords, encodedWords } from "../encoded-words.ts";
import { percentEncoded, withAsciiDomain } from "./address-text.ts";
import { asciiComment } from "./ascii-tokens.ts";
import { splitComments } from "./comments.ts";
import { phraseOf } from "./phrase.ts";

interface Token {
  type: "comment" | "quoted" | "address" | "angle" | "group" | "separator" | "words";
  text: string;
}

/** How an address outside ASCII is written: as it is with its domain in ASCII, or as text that is no address. */
export type AddressForm = (address: string, context: "angle" | "bare") => string;

export const asAddress: AddressForm = (address, context) =>
  context === "angle" ? `<${withAsciiDomain(address)}>` : withAsciiDomain(address);

/** As `asAddress`; an address that has no form in ASCII becomes the name of a group without members (RFC 6857 §3.1.8). */
export const asGroup: AddressForm = (address, context) => {
  const written = asAddress(address, context);
  return isAscii(written) ? written : emptyGroup(context === "angle" ? ` ${address}` : address);
};

/** White space between encoded words is not part of the text. */
const emptyGroup = (text: string): string => ` ${encodedWords(text)} :;`;

/** `value`: unfolded. Returns it folded, each changed name on its own lines. */
export function addressesInAscii(value: string, form: AddressForm = asAddress): string {
  const tokens = form === asGroup ? withoutNestedGroups(tokensOf(value)) : tokensOf(value);
  let written = "";
  let phrase: Token[] = [];
  for (const token of tokens) {
    if (token.type === "quoted" || token.type === "words" || (token.type === "comment" && phrase.length > 0)) {
      phrase.push(token);
      continue;
    }
    const names = token.type === "angle" || token.type === "group" || token.text === ":";
    written += phraseInAscii(phrase, names, form) + tokenInAscii(token, form);
    phrase = [];
  }
  return (written + phraseInAscii(phrase, false, form)).trim();
}

/**
 * A group cannot have groups as members: one with a member that has no form in ASCII becomes one token, from its colon to its semicolon,
 * whose text is its members (RFC 6857 §3.1.7).
 */
function withoutNestedGroups(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    kept.push(token);
    if (token.text !== ":") continue;
    const end = endOfGroup(tokens, at + 1);
    const members = tokens.slice(at + 1, end).map(({ text }) => text);
    if (isAscii(addressesInAscii(members.join("")))) continue;
    kept.pop();
    kept.push({ type: "group", text: members.join("").trim() });
    at = end;
  }
  return kept;
}

/** Where the members end: before the semicolon, or before a colon of another group. */
function endOfGroup(tokens: readonly Token[], from: number): number {
  let at = from;
  while (at < tokens.length && !(tokens[at]?.type === "separator" && ";:".includes(tokens[at]?.text ?? ""))) at += 1;
  return at;
}

/** `value`: unfolded. Phrases with separators, and identifiers in angle brackets (RFC 5322 §3.6.5, RFC 2919). */
export const phrasesInAscii = (value: string): string =>
  addressesInAscii(value, (text, context) =>
    context === "angle" ? `<${percentEncoded(text)}>` : percentEncoded(text),
  );

function tokenInAscii({ type, text }: Token, form: AddressForm): string {
  if (type === "separator") return text === "," ? ",\r\n " : text;
  if (type === "group") return emptyGroup(` ${text}`);
  if (isAscii(text)) return text;
  if (type === "comment") return asciiComment(text);
  return type === "angle" ? form(text.slice(1).replace(/>$/, ""), "angle") : form(text, "bare");
}

/** Words, quoted strings and comments in a row. `isName`: whether an address or the members of a group follow. */
function phraseInAscii(tokens: readonly Token[], isName: boolean, form: AddressForm): string {
  const written = tokens.map(({ text }) => text).join("");
  const words = tokens.filter(({ type }) => type !== "comment");
  const hasAddress = words.some(({ type, text }) => type === "words" && text.includes("@"));
  if (isAscii(written) && !(isName && hasAddress)) return written;
  if (isAscii(words.map(({ text }) => text).join("")) && !(isName && hasAddress)) {
    return tokens.map((token) => (token.type === "comment" ? asciiComment(token.text) : token.text)).join("");
  }
  const comments = tokens.filter(({ type }) => type === "comment").map(({ text }) => asciiComment(text));
  const text = isName || !hasAddress ? phraseOf(phraseText(words)) : withAddresses(words, form);
  return ` ${[text, ...comments].join(" ")}${isName ? " " : ""}`;
}

const unquoted = (text: string): string => text.slice(1).replace(/"$/, "").replace(/\\(.)/gsu, "$1");

/** What the words say, with single blanks. */
function phraseText(words: readonly Token[]): string {
  const texts = words.map(({ type, text }) => (type === "quoted" ? unquoted(text) : decodeWords(text)));
  return texts.join("").replace(/\s+/gu, " ").trim();
}

/** Words without angle brackets: those with an @ are addresses. */
function withAddresses(words: readonly Token[], form: AddressForm): string {
  const parts = words.flatMap(({ type, text }) => (type === "quoted" ? [text] : text.split(/[ \t]+/)));
  const written = parts.map((part) => {
    if (isAscii(part)) return part;
    if (part.startsWith('"')) return phraseOf(unquoted(part));
    return part.includes("@") ? form(part, "bare") : phraseOf(part);
  });
  return written.join(" ").trim();
}

function tokensOf(value: string): Token[] {
  const pieces = splitComments(value) ?? [{ text: value, isComment: false }];
  return pieces.flatMap(({ text, isComment }): Token[] =>
    isComment ? [{ type: "comment", text }] : tokensWithoutComments(text),
  );
}

function tokensWithoutComments(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const [type, end] = tokenAt(text, at);
    tokens.push({ type, text: text.slice(at, end) });
    at = end;
  }
  return tokens;
}

/** What is not closed extends to the end, so that each character is read once. */
function tokenAt(text: string, at: number): [Token["type"], number] {
  const character = text[at] as string;
  if (",;:".includes(character)) return ["separator", at + 1];
  if (character === "<") {
    const end = text.indexOf(">", at);
    return ["angle", end === -1 ? text.length : end + 1];
  }
  if (character !== '"') return ["words", endOf(text, at + 1, '"<,;:')];
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  end = Math.min(end + 1, text.length);
  // A quoted local part, with its domain.
  return text[end] === "@" ? ["address", endOf(text, end, ' \t"<>,;:')] : ["quoted", end];
}

function endOf(text: string, from: number, ends: string): number {
  let at = from;
  while (at < text.length && !ends.includes(text[at] as string)) at += 1;
  return at;
}

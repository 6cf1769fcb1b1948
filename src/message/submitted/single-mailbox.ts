/** The mailbox of a From or Sender field that must hold exactly one (RFC 5322 §3.6.2). address.ts decides what a valid mailbox is. */
import { type ParsedMailbox, parseMailbox } from "../address.ts";
import { decodeWords } from "../encoded-words.ts";

/** Parses an unfolded field's value. Several mailboxes and groups are invalid. The name is decoded. */
export function singleMailbox(value: string): ParsedMailbox {
  const text = withoutComments(value);
  if (text === null) return { type: "invalid", detail: "A comment or a quoted string is not closed." };
  const parsed = parseMailbox(text.replaceAll("\t", " "));
  if (parsed.type === "invalid") return parsed;
  return { ...parsed, name: parsed.name === null ? null : decodeWords(parsed.name) };
}

/** Returns the value with each comment replaced by a space (RFC 5322 §3.2.2); null if one does not end. */
function withoutComments(value: string): string | null {
  if (!value.includes("(")) return value;
  let result = "";
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] as string;
    const isEscape = character === "\\" && (isQuoted || depth > 0);
    const kept = isEscape ? value.slice(at, at + 2) : character;
    if (isEscape) at += 1;
    else if (isQuoted) isQuoted = character !== '"';
    else if (character === "(") depth += 1;
    else if (character === ")" && depth > 0) {
      depth -= 1;
      if (depth === 0) result += " ";
      continue;
    } else if (character === '"' && depth === 0) isQuoted = true;
    if (depth === 0) result += kept;
  }
  return depth > 0 || isQuoted ? null : result;
}

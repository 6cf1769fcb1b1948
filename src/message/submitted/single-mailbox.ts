/** The mailbox of a field such as From or Sender that must hold exactly one (RFC 5322 §3.6.2). address.ts decides what a valid mailbox is. */
import { type ParsedMailbox, parseMailbox } from "../address.ts";
import { decodeWords } from "../encoded-words.ts";
import { splitComments } from "../header/comments.ts";

/** Parses an unfolded field's value. Several mailboxes and groups are invalid. The name is decoded. */
export function singleMailbox(value: string): ParsedMailbox {
  const text = withoutComments(value);
  if (text === null) return { type: "invalid", detail: "A comment or a quoted string is not closed." };
  const parsed = parseMailbox(text.replaceAll("\t", " "));
  if (parsed.type === "invalid") return parsed;
  return { ...parsed, name: parsed.name === null ? null : decodeWords(parsed.name) };
}

/** Returns the value with each comment replaced by a space; null if one does not end. */
const withoutComments = (value: string): string | null =>
  splitComments(value)
    ?.map(({ text, isComment }) => (isComment ? " " : text))
    .join("") ?? null;

/** The addresses in the header of a stored message, as a reader sees them. Any content is tolerated, within limits. */
import addressparser from "nodemailer/lib/addressparser";
import { decodeWords } from "../encoded-words.ts";

export interface ShownMailbox {
  /** The display name, decoded; null for none. */
  name: string | null;
  /** As written. */
  address: string;
}

export type AddressFieldName = "from" | "reply-to" | "to" | "cc";

/** Characters of a header, and of a field. A field with more is cut. */
const HEADER_LENGTH_MAX = 64 * 1024;
const FIELD_LENGTH_MAX = 16 * 1024;

const FIELDS: Record<AddressFieldName, RegExp> = {
  from: /^from:((?:[^\r]*\r\n[ \t])*[^\r]*)/im,
  "reply-to": /^reply-to:((?:[^\r]*\r\n[ \t])*[^\r]*)/im,
  to: /^to:((?:[^\r]*\r\n[ \t])*[^\r]*)/im,
  cc: /^cc:((?:[^\r]*\r\n[ \t])*[^\r]*)/im,
};

/** Returns the mailboxes of the first field of this name, those of its groups too; none without the field. */
export function mailboxesIn(content: Buffer, name: AddressFieldName): ShownMailbox[] {
  const end = content.indexOf("\r\n\r\n");
  const header = content.toString("utf8", 0, Math.min(end === -1 ? content.length : end, HEADER_LENGTH_MAX));
  const [, value = ""] = FIELDS[name].exec(header) ?? [];
  const mailboxes = addressparser(value.slice(0, FIELD_LENGTH_MAX).replaceAll("\r\n", ""), { flatten: true });
  return mailboxes.filter(({ address }) => address !== "").map(shownMailbox);
}

function shownMailbox({ name, address }: { name: string; address: string }): ShownMailbox {
  const decoded = decodeWords(name)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  return { name: decoded === "" ? null : decoded, address };
}

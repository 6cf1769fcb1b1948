/**
 * Header fields in ASCII. Programs write UTF-8 into header fields without SMTPUTF8 (RFC 6531), which few servers offer. Each kind of
 * field has its own places for encoded text (RFC 2047 §5, RFC 2231, RFC 3987), and a reader finds the same in them. A local part
 * outside ASCII has no other form as an address: it stays as long as a host may offer SMTPUTF8.
 */
import { isAscii } from "../address.ts";
import { decodeWords, encodedWords } from "../encoded-words.ts";
import { type AddressForm, addressesInAscii, asAddress, asGroup, phrasesInAscii } from "./ascii-addresses.ts";
import { parametersInAscii } from "./ascii-parameters.ts";
import { asciiTokens } from "./ascii-tokens.ts";
import { urlsInAscii } from "./ascii-urls.ts";
import { kindOf } from "./field-kinds.ts";
import { folded } from "./folding.ts";
import type { HeaderField } from "./header-fields.ts";

/** The field as it is sent. One in ASCII is not changed, unless the name of a mailbox must be quoted. */
export const inAscii = (field: HeaderField): string => fieldInAscii(field, asAddress);

/**
 * The field where an extension of SMTP cannot help, as in the header of a part: ASCII without exception. A mailbox that has no form in
 * ASCII becomes a group without members whose name says the address (RFC 6857 §3.1.8).
 */
export const partFieldInAscii = (field: HeaderField): string => fieldInAscii(field, asGroup);

/** The field for a host without SMTPUTF8: as in a part, but for From, which must name the sender's address. */
export const downgradedField = (field: HeaderField): string =>
  field.key === "from" ? inAscii(field) : partFieldInAscii(field);

function fieldInAscii({ name, key, value, text }: HeaderField, form: AddressForm): string {
  const kind = kindOf(key);
  if (isAscii(text) && !(kind === "addresses" && hasUnquotedAddress(value))) return text;
  switch (kind) {
    case "addresses":
      return folded(`${name}: ${addressesInAscii(value, form)}\r\n`);
    case "phrases":
      return folded(`${name}: ${phrasesInAscii(value)}\r\n`);
    case "text":
      return `${name}: ${encodedWords(decodeWords(value))}\r\n`;
    default:
      return structured(kind, text);
  }
}

/** The field with its folds. */
function structured(kind: "urls" | "parameters" | "tokens", text: string): string {
  const colon = text.indexOf(":") + 1;
  const [prefix, rest] = [text.slice(0, colon), text.slice(colon, -"\r\n".length)];
  if (kind === "parameters") return `${parametersInAscii(prefix, rest)}\r\n`;
  return `${folded(prefix + (kind === "urls" ? urlsInAscii(rest) : asciiTokens(rest)))}\r\n`;
}

/** Whether a name without quotes has an @ in it, as in `a@b <a@b>`. Reads each character once. */
function hasUnquotedAddress(value: string): boolean {
  if (!value.includes("<")) return false;
  let hasAt = false;
  for (const character of value) {
    if (character === "<" && hasAt) return true;
    if (character === "@") hasAt = true;
    else if ('<>",;:()'.includes(character)) hasAt = false;
  }
  return false;
}

/**
 * Parameters of MAIL and RCPT that ask for delivery status notifications, and say what these are to repeat (RFC 3461): the envelope
 * id and the recipient as we sent it, which survive forwarding. Only failures are reported, with the header and not the content.
 */
import { isAscii } from "../../message/address.ts";

/** RFC 3461 §4.2. */
const ORIGINAL_RECIPIENT_LENGTH_MAX = 500;

/** Asks for notifications of one message. */
export interface NotificationRequest {
  /** ASCII, up to 100 characters in xtext. */
  envelopeId: string;
}

export function mailParameters({ envelopeId }: NotificationRequest): string[] {
  return ["RET=HDRS", `ENVID=${xtext(envelopeId)}`];
}

/** `address`: an addr-spec as it is sent in RCPT. One that is not ASCII needs SMTPUTF8 at the host. */
export function rcptParameters(address: string): string[] {
  const original = isAscii(address) ? `rfc822;${xtext(address)}` : `utf-8;${unitext(address)}`;
  const isTooLong = Buffer.byteLength(original) > ORIGINAL_RECIPIENT_LENGTH_MAX;
  return ["NOTIFY=FAILURE", ...(isTooLong ? [] : [`ORCPT=${original}`])];
}

/** RFC 3461 §4. */
const xtext = (text: string): string => text.replace(/[^!-*,-<>-~]/g, (character) => `+${hexOf(character)}`);

/** `utf-8-addr-unitext` of RFC 6533 §3. */
const unitext = (address: string): string =>
  address.replace(/[^!-*,-<>-[\]-~\P{ASCII}]/gu, (character) => `\\x{${hexOf(character)}}`);

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");

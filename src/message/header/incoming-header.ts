/**
 * What is read of the header of a message that came back before it is understood: fields are counted and looked for as they are
 * written, in a header of any form. message/feedback/ reads the rest.
 */

/** A longer header is read up to here. */
const HEADER_OCTETS_MAX = 256 * 1024;

/** The header without the empty line after it; line ends may be CRLF, LF or CR. */
export function headerText(content: Buffer): string {
  const text = content.toString("latin1", 0, HEADER_OCTETS_MAX);
  const end = /\r\n\r\n|\n\n|\r\r/.exec(text)?.index;
  return end === undefined ? text : text.slice(0, end);
}

/** How many servers have passed the message on (RFC 5321 §4.4). */
export function receivedFields(header: string): number {
  return header.match(/^received[ \t]*:/gim)?.length ?? 0;
}

/** Whether a program has sent the message, so that nothing may be sent in reply to it (RFC 3834 §5). */
export function isAutoSubmitted(header: string): boolean {
  const [, value] = /^auto-submitted[ \t]*:(?:[ \t]|\r?\n[ \t])*([^\s;(]*)/im.exec(header) ?? [];
  return value !== undefined && value !== "" && value.toLowerCase() !== "no";
}

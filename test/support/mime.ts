/**
 * Just enough of a MIME reader (RFC 2045, 2046) to see whether a received message says what was sent. Strict where a
 * receiver could go wrong: what it does not expect, it throws at.
 */

export interface Field {
  name: string;
  /** Unfolded, not decoded. */
  value: string;
}

export interface Leaf {
  type: string;
  /** Decoded to text, as the charset says. */
  text: string;
}

/** The header's fields in their order. */
export function fieldsOf(message: Buffer): Field[] {
  const unfolded = headerOf(message)
    .toString("utf8")
    .replace(/\r\n(?=[ \t])/g, "");
  return unfolded.split("\r\n").map((line) => {
    const [, name, value] = /^([!-9;-~]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`not a header field: ${line}`);
    return { name, value: value.trim() };
  });
}

/** The values of the fields with this name. */
export function valuesOf(message: Buffer, name: string): string[] {
  return fieldsOf(message)
    .filter((field) => field.name.toLowerCase() === name.toLowerCase())
    .map((field) => field.value);
}

/** The text parts, in their order. */
export function leavesOf(part: Buffer): Leaf[] {
  const [type = "text/plain"] = valuesOf(part, "Content-Type");
  const body = part.subarray(headerOf(part).length + 4);
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary !== undefined) {
    const [, ...parts] = `\r\n${body.toString("latin1")}`.split(`\r\n--${boundary}`);
    if (parts.pop()?.startsWith("--") !== true) throw new Error("the multipart is not closed");
    return parts.flatMap((inner) => leavesOf(Buffer.from(inner.replace(/^\r\n/, ""), "latin1")));
  }
  const [encoding = "7bit"] = valuesOf(part, "Content-Transfer-Encoding");
  const charset = /charset="?([^";]+)"?/i.exec(type)?.[1] ?? "utf-8";
  const bytes = decoded(body, encoding.toLowerCase());
  return [{ type: type.split(";")[0]?.toLowerCase() ?? "", text: new TextDecoder(charset).decode(bytes) }];
}

function headerOf(message: Buffer): Buffer {
  const end = message.indexOf("\r\n\r\n");
  if (end === -1) throw new Error("no end of the header");
  return message.subarray(0, end);
}

function decoded(body: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case "7bit":
      return body;
    case "base64":
      return Buffer.from(body.toString("latin1"), "base64");
    case "quoted-printable":
      return quotedPrintable(body.toString("latin1"));
    default:
      throw new Error(`unexpected encoding ${encoding}`);
  }
}

function quotedPrintable(text: string): Buffer {
  if (/[^\t\r\n -~]/.test(text)) throw new Error("8-bit in quoted-printable");
  const joined = text.replace(/[ \t]+(?=\r\n)/g, "").replace(/=\r\n/g, "");
  const bytes = joined.replace(/=(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
}

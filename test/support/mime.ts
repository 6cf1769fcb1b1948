/**
 * A minimal MIME parser (RFC 2045, 2046) that checks whether a received message has the content that was sent. Throws
 * on anything unexpected.
 */

export interface Field {
  name: string;
  /** Unfolded, not decoded. */
  value: string;
}

export interface Leaf {
  type: string;
  /** The text decoded by its charset. */
  text: string;
}

/** The header's fields in order. */
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

/** A body part with its header and content. */
export interface Part {
  /** Lower case, without parameters. */
  type: string;
  /** By lower-case name. */
  fields: Map<string, string>;
  /** Decoded; a multipart is left encoded. */
  content: Buffer;
  parts: Part[];
}

export function partOf(part: Buffer): Part {
  const fields = new Map(fieldsOf(part).map(({ name, value }) => [name.toLowerCase(), value]));
  const contentType = fields.get("content-type") ?? "text/plain";
  const type = contentType.split(";")[0]?.toLowerCase() ?? "";
  const body = part.subarray(headerOf(part).length + 4);
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary !== undefined) {
    const [, ...parts] = `\r\n${body.toString("latin1")}`.split(`\r\n--${boundary}`);
    if (parts.pop()?.startsWith("--") !== true) throw new Error("the multipart is not closed");
    const inner = parts.map((text) => partOf(Buffer.from(text.replace(/^\r\n/, ""), "latin1")));
    return { type, fields, content: body, parts: inner };
  }
  const encoding = fields.get("content-transfer-encoding") ?? "7bit";
  return { type, fields, content: decoded(body, encoding.toLowerCase()), parts: [] };
}

/** The text parts in order. */
export function leavesOf(part: Buffer): Leaf[] {
  const leaves = ({ parts, ...leaf }: Part): Omit<Part, "parts">[] =>
    parts.length === 0 ? [leaf] : parts.flatMap(leaves);
  return leaves(partOf(part)).map(({ type, fields, content }) => {
    const charset = /charset="?([^";]+)"?/i.exec(fields.get("content-type") ?? "")?.[1] ?? "utf-8";
    return { type, text: new TextDecoder(charset).decode(content) };
  });
}

function headerOf(message: Buffer): Buffer {
  const end = message.indexOf("\r\n\r\n");
  if (end === -1) throw new Error("no end of the header");
  return message.subarray(0, end);
}

function decoded(body: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case "7bit":
    case "8bit":
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

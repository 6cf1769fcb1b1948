/** Reads the leaves of a MIME message (RFC 2045, 2046): independent of the product's code, and stricter than mail programs. */

/** A part that is not a multipart, nor an attached message. */
export interface MimeLeaf {
  /** Lower case, without parameters. */
  type: string;
  /** Decoded. */
  octets: Buffer;
}

/** The leaves of a message in order, without those after the end of an unclosed multipart. */
export function mimeLeaves(entity: Buffer): MimeLeaf[] {
  const { fields, body } = split(entity);
  const contentType = fields.get("content-type") ?? "text/plain";
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "message/rfc822") return mimeLeaves(body);
  if (type.startsWith("multipart/")) return partsOf(body, boundaryOf(contentType)).flatMap(mimeLeaves);
  return [{ type, octets: decoded(body, fields.get("content-transfer-encoding")?.trim().toLowerCase() ?? "7bit") }];
}

function split(entity: Buffer): { fields: ReadonlyMap<string, string>; body: Buffer } {
  const text = entity.toString("latin1");
  if (text.startsWith("\r\n")) return { fields: new Map(), body: entity.subarray(2) };
  const end = text.indexOf("\r\n\r\n");
  const header = end === -1 ? text : text.slice(0, end);
  const fields = header.replace(/\r\n(?=[ \t])/g, "").split("\r\n");
  const pairs = fields.map((field): [string, string] => {
    const colon = field.indexOf(":");
    return [field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1)];
  });
  return { fields: new Map(pairs), body: end === -1 ? Buffer.alloc(0) : entity.subarray(end + 4) };
}

function boundaryOf(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(contentType) ?? [];
  return quoted ?? bare ?? "";
}

/** What is between the delimiter lines. */
function partsOf(body: Buffer, boundary: string): Buffer[] {
  const text = `\r\n${body.toString("latin1")}`;
  const delimiter = new RegExp(`\\r\\n--${boundary.replace(/[^\w]/g, "\\$&")}(--)?[ \\t]*(?=\\r\\n|$)`, "g");
  const parts: Buffer[] = [];
  let from = -1;
  for (const found of text.matchAll(delimiter)) {
    if (from !== -1) parts.push(Buffer.from(text.slice(from, Math.max(from, found.index)), "latin1"));
    if (found[1] !== undefined) return parts;
    from = found.index + found[0].length + 2;
  }
  if (from !== -1) parts.push(Buffer.from(text.slice(from), "latin1"));
  return parts;
}

function decoded(body: Buffer, encoding: string): Buffer {
  if (encoding === "base64") return Buffer.from(body.toString("latin1"), "base64");
  if (encoding !== "quoted-printable") return body;
  const text = body.toString("latin1").replace(/=\r\n/g, "");
  const octets = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, "latin1");
}

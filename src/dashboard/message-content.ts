/**
 * What can be shown of a stored message: its header and its text and HTML bodies (RFC 2045, 2046). Forgiving: what it
 * cannot read it leaves out, the source shows everything.
 */

export interface ShownContent {
  text: string | null;
  html: string | null;
  /** As stored, decoded as UTF-8. */
  source: string;
  sizeBytes: number;
}

const DEPTH_MAX = 10;
/** More is neither rendered nor printed; the source can be downloaded whole. */
const SHOWN_BYTES_MAX = 2 * 1024 * 1024;

export function readContent(content: Buffer): ShownContent {
  const leaves = leavesOf(content, 0);
  const first = (type: string): string | null => leaves.find((leaf) => leaf.type === type)?.text ?? null;
  const source = content.subarray(0, SHOWN_BYTES_MAX).toString("utf8");
  return { text: first("text/plain"), html: first("text/html"), source, sizeBytes: content.length };
}

interface Leaf {
  type: string;
  text: string;
}

function leavesOf(part: Buffer, depth: number): Leaf[] {
  const end = part.indexOf("\r\n\r\n");
  const header = part.subarray(0, end === -1 ? part.length : end).toString("utf8");
  const body = end === -1 ? Buffer.alloc(0) : part.subarray(end + 4);
  const contentType = fieldOf(header, "Content-Type") ?? "text/plain";
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type.startsWith("multipart/")) {
    const boundary = parameterOf(contentType, "boundary");
    if (boundary === null || depth >= DEPTH_MAX) return [];
    return partsOf(body, boundary).flatMap((inner) => leavesOf(inner, depth + 1));
  }
  if (!type.startsWith("text/") || /^attachment/i.test(fieldOf(header, "Content-Disposition") ?? "")) return [];
  const bytes = decoded(body, (fieldOf(header, "Content-Transfer-Encoding") ?? "7bit").trim().toLowerCase());
  return [{ type, text: textOf(bytes.subarray(0, SHOWN_BYTES_MAX), parameterOf(contentType, "charset") ?? "utf-8") }];
}

function fieldOf(header: string, name: string): string | null {
  const lines = header.replace(/\r\n(?=[ \t])/g, "").split("\r\n");
  const line = lines.find((text) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line === undefined ? null : line.slice(name.length + 1).trim();
}

function parameterOf(value: string, name: string): string | null {
  const [, quoted, bare] = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, "i").exec(value) ?? [];
  return quoted ?? bare ?? null;
}

function partsOf(body: Buffer, boundary: string): Buffer[] {
  const [, ...parts] = `\r\n${body.toString("latin1")}`.split(`\r\n--${boundary}`);
  return parts
    .filter((part) => !part.startsWith("--"))
    .map((part) => Buffer.from(part.replace(/^[ \t]*\r\n/, ""), "latin1"));
}

function decoded(body: Buffer, encoding: string): Buffer {
  if (encoding === "base64") return Buffer.from(body.toString("latin1"), "base64");
  if (encoding !== "quoted-printable") return body;
  const joined = body
    .toString("latin1")
    .replace(/[ \t]+(?=\r\n)/g, "")
    .replace(/=\r\n/g, "");
  const bytes = joined.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
}

function textOf(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

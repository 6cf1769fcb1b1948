/**
 * Takes a message apart into its leaf parts (RFC 2045, 2046), and tolerates what broken programs write: line ends of one octet, a
 * missing or wrong boundary, a missing blank line, an mbox line before the header. Each octet is examined a bounded number of times,
 * whatever the message contains. An attached message is a leaf.
 *
 * postal-mime is not used: 8 KiB of unclosed HTML tags, 32 KiB of delimiter lines and 1 MiB of empty lines took it more than 20 s,
 * 6 s and 18 s (and 1.3 GB). A test compares both on messages of mail servers.
 */
import { decodeTransfer } from "../reading/transfer-decoding.ts";

export type Fields = ReadonlyMap<string, readonly string[]>;

export interface Leaf {
  /** In lower case; `text/plain` if missing. */
  type: string;
  /** In lower case; null if missing. */
  charset: string | null;
  isAttachment: boolean;
  /** Decoded from the transfer encoding. */
  bytes: Buffer;
}

export interface Leaves {
  /** The values of the message's header fields, unfolded, by lower-case name. Encoded words are not decoded. */
  fields: Fields;
  leaves: Leaf[];
}

/** A real notification is nested three levels deep. Deeper parts are not read. */
const DEPTH_MAX = 10;
/** Further parts are not read. */
const PARTS_MAX = 200;
const HEADER_BYTES_MAX = 64 * 1024;
const LINES_MAX = 1000;
const VALUE_LENGTH_MAX = 4000;

/** Returns the leaf parts of a message in their order. */
export function leafParts(raw: Buffer): Leaves {
  const part = splitPart(withCrlf(raw), true);
  const walk: Walk = { leaves: [], partsLeft: PARTS_MAX };
  visit(part, 0, walk);
  return { fields: part.fields, leaves: walk.leaves };
}

interface Part {
  fields: Fields;
  body: Buffer;
}

interface Walk {
  leaves: Leaf[];
  partsLeft: number;
}

/** Space, the controls from tab to CR, and the space of Latin-1 that does not break. */
const isBlank = (octet: number | undefined): boolean =>
  octet === 0x20 || octet === 0xa0 || (octet !== undefined && octet >= 0x09 && octet <= 0x0d);
const MBOX_LINE = /^>?From [^:\r\n]/;
const [CR, LF] = [0x0d, 0x0a];

/** Returns the message with CRLF line ends, without blank lines and a line `From …` (mbox) before the header. */
function withCrlf(raw: Buffer): Buffer {
  let start = 0;
  while (isBlank(raw[start])) start += 1;
  if (MBOX_LINE.test(raw.toString("latin1", start, start + 10))) start = raw.indexOf(LF, start) + 1 || start;
  const lines = raw.subarray(start);
  let bare = 0;
  for (let at = 0; at < lines.length; at += 1) if (lines[at] === LF && lines[at - 1] !== CR) bare += 1;
  return bare === 0 ? lines : withReturns(lines, bare);
}

/** In octets: a text of so many line ends would take several times its length in memory. */
function withReturns(lines: Buffer, bare: number): Buffer {
  const ended = Buffer.allocUnsafe(lines.length + bare);
  let to = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const octet = lines[at] ?? 0;
    if (octet === LF && lines[at - 1] !== CR) ended[to++] = CR;
    ended[to++] = octet;
  }
  return ended;
}

function visit({ fields, body }: Part, depth: number, walk: Walk): void {
  walk.partsLeft -= 1;
  const contentType = fields.get("content-type")?.[0];
  // Some programs omit the field of the message, but write the parts.
  const type =
    contentType === undefined && START_OF_PARTS.test(startOf(body)) ? "multipart/mixed" : typeOf(contentType);
  const boundary = type.startsWith("multipart/") ? boundaryIn(body, contentType ?? "") : null;
  if (boundary === null || depth >= DEPTH_MAX) {
    addLeaf({ fields, body }, type, walk);
    return;
  }
  const isDigest = type === "multipart/digest";
  for (const inner of partsOf(body, boundary)) {
    if (walk.partsLeft === 0) return;
    const part = splitPart(inner, false);
    visit(isDigest ? asAttachedMessage(part) : part, depth + 1, walk);
  }
}

/** RFC 2046 §5.1.5. */
const asAttachedMessage = ({ fields, body }: Part): Part => ({
  fields: fields.has("content-type") ? fields : new Map([...fields, ["content-type", ["message/rfc822"]]]),
  body,
});

function typeOf(contentType = "text/plain"): string {
  const type = /^[^;\s(]*/.exec(contentType.slice(0, VALUE_LENGTH_MAX))?.[0].toLowerCase() ?? "";
  return type.includes("/") ? type : "text/plain";
}

function addLeaf({ fields, body }: Part, type: string, { leaves }: Walk): void {
  const encoding = /[\w-]+/.exec(fields.get("content-transfer-encoding")?.[0] ?? "")?.[0].toLowerCase() ?? "7bit";
  leaves.push({
    type: type.startsWith("multipart/") ? "text/plain" : type,
    charset: CHARSET.exec(fields.get("content-type")?.[0] ?? "")?.[1]?.toLowerCase() ?? null,
    isAttachment: /^attachment/i.test(fields.get("content-disposition")?.[0] ?? ""),
    bytes: decodeTransfer(body, encoding, body.length).bytes,
  });
}

const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;
const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^;\s"]{1,200}))/i;
/** A delimiter line that a field of a part's header follows. */
const DELIMITER_LINE = /^--([^\r\n]{1,200}?)[ \t]{0,20}\r\nContent-[\w-]{1,40}:/im;
const START_OF_PARTS = /^\s{0,20}--[^\r\n]{1,200}\r\nContent-[\w-]{1,40}:/i;
const GUESS_BYTES_MAX = 64 * 1024;

const startOf = (body: Buffer): string => body.toString("latin1", 0, GUESS_BYTES_MAX);

/** Returns the boundary that the field names, if it occurs, else the one that the body seems to use; null if there is none. */
function boundaryIn(body: Buffer, contentType: string): string | null {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  const named = Buffer.from(quoted ?? bare ?? "", "utf8")
    .toString("latin1")
    .trimEnd();
  if (named !== "" && body.includes(`--${named}`, 0, "latin1")) return named;
  return DELIMITER_LINE.exec(startOf(body))?.[1] ?? null;
}

/** Yields the parts between the delimiter lines. The last part may be unterminated. */
function* partsOf(body: Buffer, boundary: string): Generator<Buffer> {
  const delimiter = Buffer.from(`--${boundary}`, "latin1");
  let from: number | null = null;
  for (let at = nextLine(body, delimiter, 0); at !== -1; ) {
    if (from !== null) yield body.subarray(from, Math.max(from, at - 2));
    const after = at + delimiter.length;
    const isLast = body[after] === 0x2d && body[after + 1] === 0x2d;
    const lineEnd = body.indexOf("\r\n", after);
    from = isLast || lineEnd === -1 ? null : lineEnd + 2;
    if (isLast || lineEnd === -1) return;
    at = nextLine(body, delimiter, lineEnd);
  }
  if (from !== null) yield body.subarray(from);
}

/** Returns where the next delimiter line starts; -1 if there is none. */
function nextLine(body: Buffer, delimiter: Buffer, start: number): number {
  let at = body.indexOf(delimiter, start);
  while (at !== -1 && !((at === 0 || body[at - 1] === 0x0a) && endsLine(body, at + delimiter.length))) {
    at = body.indexOf(delimiter, at + 1);
  }
  return at;
}

/** The boundary of an inner multipart may begin with the outer one's. */
const endsLine = (body: Buffer, at: number): boolean =>
  /^(?:--)?[ \t]{0,20}(?:\r\n|$)/.test(body.toString("latin1", at, at + 30));

const FIELD = /^([!-9;-~]{1,100})[ \t]*:(.*)$/s;

/** The header ends at a blank line, or before the first line that is no field. */
function splitPart(part: Buffer, isMessage: boolean): Part {
  const fields = new Map<string, string[]>();
  let values: string[] = [];
  let at = 0;
  for (let lines = 0; at < part.length && at < HEADER_BYTES_MAX && lines < LINES_MAX; lines += 1) {
    const found = part.indexOf("\r\n", at);
    const end = found === -1 ? part.length : found;
    if (end === at) return { fields, body: part.subarray(end + 2) };
    const line = part.toString("utf8", at, Math.min(end, at + VALUE_LENGTH_MAX));
    const [, name, value = ""] = FIELD.exec(line) ?? [];
    if (name !== undefined) values = addField(fields, name.toLowerCase(), value.trim());
    else if (/^[ \t]/.test(line)) continueField(values, line);
    else if (!isMessage || !line.startsWith(">From ")) break;
    at = end + 2;
  }
  return { fields, body: part.subarray(at) };
}

function addField(fields: Map<string, string[]>, name: string, value: string): string[] {
  const values = fields.get(name) ?? [];
  values.push(value);
  fields.set(name, values);
  return values;
}

function continueField(values: string[], line: string): void {
  const last = values.at(-1);
  if (last !== undefined && last.length < VALUE_LENGTH_MAX) values[values.length - 1] = `${last} ${line.trim()}`;
}

/**
 * Generated MIME messages as programs build them, and as no program should: nested multiparts, 8-bit parts, odd header fields. The same
 * seed gives the same messages. mime-header.ts generates the fields; mime-leaves.ts reads the parts of a message that arrived.
 */
import type { Prng } from "../../simulate/prng.ts";
import { type AddressedOptions, messageFields } from "./mime-header.ts";
import type { MimeLeaf } from "./mime-leaves.ts";
import { leafPart } from "./mime-parts.ts";
import { CRLF, type GeneratedLeaf, latin1, type MimeEntity, token } from "./mime-text.ts";

export interface GeneratedMessage {
  /** The header fields as written, folded, with their line ends, in their order. */
  fields: string[];
  /** The body, which ends its last line; null for a message without the empty line before it. */
  body: Buffer | null;
  /** Its parts that are not multiparts, in order. */
  leaves: MimeLeaf[];
}

export interface MessageOptions extends AddressedOptions {
  /** Whether the message can be re-encoded in 7 bits, and has octets above 127. */
  eightBitTextOnly: boolean;
}

const DEPTH_MAX = 5;

/** Returns a message that a submission service should accept, with lines of at most 998 octets. */
export function generateMessage(random: Prng, options: MessageOptions): GeneratedMessage {
  const { eightBitTextOnly } = options;
  const root = rootEntity(random, eightBitTextOnly);
  const fields = messageFields(random, options, root.fields);
  if (!eightBitTextOnly && random.chance(0.01)) return { fields, body: null, leaves: [] };
  return { fields, body: root.body, leaves: root.leaves };
}

/** The octets of a message, as a client submits them before dot stuffing. */
export function octetsOf({ fields, body }: GeneratedMessage): Buffer {
  const header = latin1(fields.join(""));
  return body === null ? header : Buffer.concat([header, CRLF, body]);
}

/** The last line of a message ends, as SMTP requires. */
function rootEntity(random: Prng, eightBitTextOnly: boolean): MimeEntity {
  for (;;) {
    const root = ended(entity(random, { depth: 0, isStrict: eightBitTextOnly }));
    if (!eightBitTextOnly || root.body.some((octet) => octet > 127)) return root;
  }
}

/** The entity with a line end, which belongs to its content if it is a leaf. */
function ended(made: MimeEntity): MimeEntity {
  const { fields, body, leaves, isLeaf } = made;
  if (body.length === 0 || body.subarray(-CRLF.length).equals(CRLF)) return made;
  const [leaf] = leaves;
  const isLonger = isLeaf && leaf !== undefined && !leaf.isBase64;
  const longer = isLonger ? [{ ...leaf, octets: Buffer.concat([leaf.octets, CRLF]) }] : leaves;
  return { fields, isLeaf, body: Buffer.concat([body, CRLF]), leaves: longer };
}

interface Place {
  depth: number;
  /** Whether the entity must be one that can be re-encoded in 7 bits. */
  isStrict: boolean;
}

function entity(random: Prng, place: Place): MimeEntity {
  const draw = random.next();
  const isLeaf = place.depth >= DEPTH_MAX || draw < 0.35 + 0.12 * place.depth;
  if (isLeaf) return leafPart(random, place.isStrict || place.depth === 0);
  return draw > 0.93 ? attachedMessage(random, place) : multipart(random, place);
}

const SUBTYPES = ["mixed", "alternative", "related", "report", "Digest", "x-unheard-of", "MIXED", "signed"] as const;

function multipart(random: Prng, place: Place): MimeEntity {
  const boundary = boundaryFor(random, place.depth);
  const parts = Array.from({ length: random.integer(1, 4) }, () => inPart(random, place));
  const padding = (): string => (random.chance(0.1) ? random.pick([" ", "\t", "  \t"]) : "");
  const preamble = random.chance(0.4) ? Buffer.concat([aside(random, place), CRLF]) : null;
  const opened = preamble === null ? latin1(`--${boundary}`) : Buffer.concat([preamble, latin1(`--${boundary}`)]);
  const pieces = parts.flatMap(({ octets }, index) => [
    ...(index === 0 ? [] : [latin1(`\r\n--${boundary}`)]),
    latin1(`${padding()}\r\n`),
    octets,
  ]);
  const isOpen = !place.isStrict && random.chance(0.01);
  const end = isOpen ? "" : `\r\n--${boundary}--${padding()}`;
  const epilogue = isOpen || random.chance(0.5) ? [] : [CRLF, aside(random, place)];
  const body = Buffer.concat([opened, ...pieces, latin1(end), ...epilogue]);
  const type = `multipart/${random.pick(SUBTYPES)}`;
  const separator = random.pick(["; ", ";\r\n ", ";\r\n\t", ";", " ; "]);
  const quoted = /^[\w.+-]+$/.test(boundary) && random.chance(0.5) ? boundary : `"${boundary}"`;
  const name = random.pick(["boundary", "Boundary", "BOUNDARY"]);
  const fields = [`Content-Type: ${type}${separator}${name}=${quoted}\r\n`];
  if (random.chance(0.3)) fields.push(`Content-Transfer-Encoding: ${random.pick(["8bit", "binary", "8BIT"])}\r\n`);
  return { fields, body, isLeaf: false, leaves: parts.flatMap(({ leaves }) => leaves) };
}

/** One that contains those of the levels below it, and up to 70 of all characters that are allowed. */
function boundaryFor(random: Prng, depth: number): string {
  const shape = random.next();
  if (shape < 0.5) return `=_${"b".repeat(1 + depth)}${depth === 0 ? "" : random.integer(0, 9)}`;
  if (shape < 0.8) return `----=_Part_${random.integer(0, 1e9)}.${depth}`;
  const marks = "'()+_,-./:=? ";
  const inner = Array.from({ length: random.integer(1, 40) }, () => marks[random.integer(0, marks.length - 1)]);
  return `${inner.join("").trim()}x${depth}${token(random, 8)}`;
}

/** A preamble or an epilogue. */
function aside(random: Prng, { isStrict }: Place): Buffer {
  const texts = ["This is a multi-part message in MIME format.", "", ".", "..", "-- ", "Größe", "\r\n\r\n"];
  if (!isStrict) texts.push("\u00a0", "--=_other");
  return Buffer.from(random.pick(texts as [string, ...string[]]));
}

function inPart(random: Prng, { depth, isStrict }: Place): { octets: Buffer; leaves: GeneratedLeaf[] } {
  const made = entity(random, { depth: depth + 1, isStrict });
  // A part without a header is text in ASCII.
  const isBare = made.isLeaf && made.leaves.every(({ isBareText }) => isBareText) && random.chance(0.5);
  const fields = isBare ? [] : made.fields;
  return { octets: Buffer.concat([latin1(fields.join("")), CRLF, made.body]), leaves: made.leaves };
}

function attachedMessage(random: Prng, { depth, isStrict }: Place): MimeEntity {
  const inner = ended(entity(random, { depth: depth + 1, isStrict }));
  const header = [
    "Received: from a.example by b.example;\r\n\tMon, 2 Nov 2026 10:00:00 +0000\r\n",
    "From: =?utf-8?Q?J=C3=B6rg?= <joerg@elsewhere.example>\r\n",
    "Bcc: kept@elsewhere.example\r\n",
    `Subject: ${random.pick(["inner", ".", "", "a\r\n b"])}\r\n`,
    "MIME-Version: 1.0\r\n",
    ...inner.fields,
  ];
  const body = Buffer.concat([latin1(header.join("")), CRLF, inner.body]);
  const encoding = inner.body.some((octet) => octet > 127) ? "8bit" : "7bit";
  const fields = ["Content-Type: message/rfc822\r\n", `Content-Transfer-Encoding: ${encoding}\r\n`];
  return { fields, body, isLeaf: false, leaves: inner.leaves };
}

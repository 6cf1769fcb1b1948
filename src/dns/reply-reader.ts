/**
 * Reads a DNS reply (RFC 1035 §4) in a bounded number of steps: the header, the question and the positions of the records that
 * can belong to the answer. record-data.ts reads those that the limits leave. A library that decodes every record of a reply
 * stops the main thread: 64 KiB of small records with compressed names took dns-packet 150 ms and c-ares 70 ms.
 */

/** The types that are looked up, by name (IANA's registry of DNS parameters). */
export const RECORD_TYPES = { A: 1, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28, TLSA: 52 } as const;

export type RecordTypeName = keyof typeof RECORD_TYPES;

/** The position of a record's data in the message. */
export interface AnswerRecord {
  /** Lower case, without the final dot. */
  owner: string;
  /** The number of its type. */
  type: number;
  start: number;
  end: number;
}

export interface DnsMessage {
  id: number;
  isResponse: boolean;
  isTruncated: boolean;
  /** The AD bit. */
  isAuthentic: boolean;
  rcode: number;
  questionCount: number;
  /** The first question, of class IN; null without one. `name` is in lower case. */
  question: { name: string; type: number } | null;
  answers: AnswerRecord[];
  bytes: Buffer;
}

const HEADER_BYTES = 12;
const CLASS_IN = 1;
const RESPONSE = 0x8000;
const TRUNCATED = 0x0200;
const AUTHENTIC = 0x0020;
const RCODE = 0x000f;

const LABEL_END = 0;
/** The two high bits of a label's length: a pointer to an earlier name (RFC 1035 §4.1.4). */
const POINTER = 0xc0;
const LABEL_BYTES_MAX = 63;
const NAME_BYTES_MAX = 255;

/**
 * Different spellings of owner names that are read. A chain of CNAMEs has one for each hop; records with further ones belong to
 * nothing that was asked.
 */
const OWNERS_MAX = 32;

class MalformedMessage extends Error {}

/** Returns what `read` returns, or null where it meets a malformed message. */
export function unlessMalformed<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedMessage || error instanceof RangeError) return null;
    throw error;
  }
}

/** The message with the records of `type` and its CNAMEs; null where it is malformed up to the end of its answer. */
export function readMessage(bytes: Buffer, type: RecordTypeName): DnsMessage | null {
  return unlessMalformed(() => {
    const flags = bytes.readUInt16BE(2);
    const questionCount = bytes.readUInt16BE(4);
    const isTruncated = (flags & TRUNCATED) !== 0;
    // What a truncated reply holds is ignored (RFC 2181 §9). Where there is more than one question, the end of the others is unknown.
    const hasAnswers = !isTruncated && questionCount <= 1;
    const { question, end } = questionCount === 0 ? { question: null, end: HEADER_BYTES } : readQuestion(bytes);
    return {
      id: bytes.readUInt16BE(0),
      isResponse: (flags & RESPONSE) !== 0,
      isTruncated,
      isAuthentic: (flags & AUTHENTIC) !== 0,
      rcode: flags & RCODE,
      questionCount,
      question,
      answers: hasAnswers ? readAnswers(bytes, end, RECORD_TYPES[type]) : [],
      bytes,
    };
  });
}

function readQuestion(bytes: Buffer): { question: DnsMessage["question"]; end: number } {
  const at = endOfName(bytes, HEADER_BYTES);
  const isInternet = bytes.readUInt16BE(at + 2) === CLASS_IN;
  const name = readName(bytes, HEADER_BYTES);
  return { question: isInternet ? { name, type: bytes.readUInt16BE(at) } : null, end: at + 4 };
}

/** Passes over each record of the answer section; reads the owner of those of class IN and of `type` or CNAME. */
function readAnswers(bytes: Buffer, start: number, type: number): AnswerRecord[] {
  const owners = new OwnerNames(bytes);
  const answers: AnswerRecord[] = [];
  let next = start;
  for (let left = bytes.readUInt16BE(6); left > 0; left -= 1) {
    const at = endOfName(bytes, next);
    const data = at + 10;
    const end = data + bytes.readUInt16BE(at + 8);
    if (end > bytes.length) throw new MalformedMessage("a record ends behind the message");
    const recordType = bytes.readUInt16BE(at);
    if (bytes.readUInt16BE(at + 2) === CLASS_IN && (recordType === type || recordType === RECORD_TYPES.CNAME)) {
      const owner = owners.at(next, at);
      if (owner !== null) answers.push({ owner, type: recordType, start: data, end });
    }
    next = end;
  }
  return answers;
}

/** The names of owners: each spelling, such as a pointer to the question, is read once. */
class OwnerNames {
  readonly #bytes: Buffer;
  readonly #names = new Map<string, string>();

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Null beyond OWNERS_MAX spellings. */
  at(start: number, end: number): string | null {
    const spelling = this.#bytes.toString("latin1", start, end);
    const known = this.#names.get(spelling);
    if (known !== undefined) return known;
    if (this.#names.size === OWNERS_MAX) return null;
    const name = readName(this.#bytes, start);
    this.#names.set(spelling, name);
    return name;
  }
}

/** The position behind the name at `start`, of which only the labels before a pointer are passed over. */
function endOfName(bytes: Buffer, start: number): number {
  let at = start;
  while (at - start < NAME_BYTES_MAX) {
    const length = bytes.readUInt8(at);
    if (length === LABEL_END) return at + 1;
    if (length >= POINTER) return at + 2;
    if (length > LABEL_BYTES_MAX) break;
    at += 1 + length;
  }
  throw new MalformedMessage("a name or a label is too long");
}

/** A name of at most 255 octets in lower case, without the final dot; "" is the root. Throws MalformedMessage or RangeError. */
export function readName(bytes: Buffer, start: number): string {
  const labels: string[] = [];
  let at = start;
  let pointedFrom = start;
  let octets = 1;
  for (let length = bytes.readUInt8(at); length !== LABEL_END; length = bytes.readUInt8(at)) {
    if (length >= POINTER) {
      at = bytes.readUInt16BE(at) & ~(POINTER << 8);
      // A pointer leads to an earlier name, so a chain of them ends.
      if (at >= pointedFrom) throw new MalformedMessage("a name points forward");
      pointedFrom = at;
      continue;
    }
    octets += 1 + length;
    const end = at + 1 + length;
    if (length > LABEL_BYTES_MAX || octets > NAME_BYTES_MAX || end > bytes.length) {
      throw new MalformedMessage("a name or a label is too long");
    }
    labels.push(escapeLabel(bytes.toString("utf8", at + 1, end)));
    at = end;
  }
  return labels.join(".").toLowerCase();
}

const PLAIN_LABEL = /^[\w-]+$/;

/** As RFC 1035 §5.1 writes it. A label with a dot in it is one label still, and no name that is asked for. */
function escapeLabel(label: string): string {
  if (PLAIN_LABEL.test(label)) return label;
  return label.replace(/[\\.\s\p{Cc}]/gu, (character) =>
    character > " " ? `\\${character}` : `\\${String(character.charCodeAt(0)).padStart(3, "0")}`,
  );
}

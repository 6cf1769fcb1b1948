/**
 * Removes the dots that SMTP clients add to lines which begin with one, and finds the end of a content (RFC 5321 §4.5.2). It takes
 * the place of smtp-server's own reading, which gives each such line a turn of the event loop and its own chunk: 2 MB of them
 * take 3.5 s of CPU.
 */
import type { SMTPServer } from "smtp-server";

/** smtp-server has no name for the types of its connections and their parsers. */
type Connection = SMTPServer["connections"] extends Set<infer Each> ? Each : never;
export type SmtpParser = Exclude<Connection["_parser"], false>;

const DOT = 0x2e;
const LINE_WITH_DOT = Buffer.from("\n.");
const END = Buffer.from("\r\n.\r\n");
/** An end without the CRLF before it, which is that of DATA. */
const END_AT_START = Buffer.from(".\r\n");
/** All but the last octet of an end, which wait for the next chunk. */
const KEPT_OCTETS = 4;

/** Reads contents of the connection in this way, also after STARTTLS. */
export function unstuffQuickly(connection: Connection): void {
  const create = connection._createParser.bind(connection);
  connection._createParser = () => quickParser(create());
  if (connection._parser !== false) quickParser(connection._parser);
}

/** Changes the parser, and returns it. */
export function quickParser(parser: SmtpParser): SmtpParser {
  parser._feedDataStream = (chunk, done) => feed(parser, chunk, done);
  return parser;
}

type Done = Parameters<SmtpParser["_feedDataStream"]>[1];

function feed(parser: SmtpParser, chunk: Buffer, done: Done): void {
  const input = parser._lastBytes === false ? chunk : Buffer.concat([parser._lastBytes, chunk]);
  parser._lastBytes = false;
  let from = 0;
  if (parser._atDataStart) {
    if (begins(input, 0, END_AT_START)) {
      parser._endDataMode(false, input.subarray(END_AT_START.length), done);
      return;
    }
    if (input[0] === DOT && input[1] === DOT) {
      from = 1;
      // From now on, a dot is content.
      parser._atDataStart = false;
    }
  }
  const pieces: Buffer[] = [];
  let dot = dotFrom(input, from);
  // Two octets after a dot decide what it is.
  while (dot !== -1 && dot < input.length - 2) {
    if (begins(input, dot - 2, END)) {
      const content = Buffer.concat([...pieces, input.subarray(from, dot)]);
      parser._countDataBytes(content.length);
      parser._endDataMode(content, input.subarray(dot + END_AT_START.length), done);
      return;
    }
    if (input[dot + 1] === DOT) {
      pieces.push(input.subarray(from, dot));
      from = dot + 1;
    }
    dot = dotFrom(input, Math.max(from, dot));
  }
  const end = Math.max(from, input.length - KEPT_OCTETS);
  parser._lastBytes = input.subarray(end);
  if (end > from) pieces.push(input.subarray(from, end));
  write(parser, Buffer.concat(pieces), done);
}

/** The index of the next dot that begins a line, after at least two octets from `from` on; -1 if there is none. */
function dotFrom(input: Buffer, from: number): number {
  const at = input.indexOf(LINE_WITH_DOT, from + 1);
  return at === -1 ? -1 : at + 1;
}

const begins = (input: Buffer, at: number, octets: Buffer): boolean =>
  input.subarray(at, at + octets.length).equals(octets);

/** Continues once the reader has taken the content, or wants no more. */
function write(parser: SmtpParser, content: Buffer, done: Done): void {
  const stream = parser._dataStream;
  parser._countDataBytes(content.length);
  if (content.length === 0 || stream === null || !stream.writable || stream.write(content) || stream.destroyed) {
    done();
    return;
  }
  const onDrain = (): void => {
    stream.removeListener("drain", onDrain);
    stream.removeListener("close", onDrain);
    done();
  };
  stream.once("drain", onDrain);
  stream.once("close", onDrain);
}

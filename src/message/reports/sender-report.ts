/**
 * Finds the report in a message to a report address, and reads it: a DMARC aggregate report or a TLS report. Goes by the content of
 * the parts, because their types and names vary.
 */
import { type IncomingPart, readIncoming } from "../feedback/report-parts.ts";
import { type DmarcReport, DmarcReportReader } from "./dmarc-report.ts";
import { JSON_LENGTH_MAX, readTlsReport, type TlsReport } from "./tls-report.ts";
import { unpack } from "./unpack.ts";
import { UnreadableReport, type UnreadReason } from "./unreadable-report.ts";
import { xmlDecoder } from "./xml-encoding.ts";

export type SenderReport = { type: "dmarc"; report: DmarcReport } | { type: "tls"; report: TlsReport };

/** A message without a report that can be read. */
export interface UnreadReport {
  type: "unread";
  reason: UnreadReason;
}

/** A message has one report, and seldom another attachment. */
const PARTS_MAX = 3;
/** So many characters tell what a content is. */
const START_LENGTH = 100;

/** Reads an incoming message, whatever it contains. */
export async function readSenderReport(raw: Buffer): Promise<SenderReport | UnreadReport> {
  let unread: UnreadReport = { type: "unread", reason: "no_report" };
  for (const part of readIncoming(raw).parts.slice(0, PARTS_MAX)) {
    const found = await readPart(part);
    if (found.type !== "unread") return found;
    // What was no report says less than what was a faulty one.
    if (unread.reason === "no_report") unread = found;
  }
  return unread;
}

async function readPart({
  bytes,
  charset,
}: Pick<IncomingPart, "bytes" | "charset">): Promise<SenderReport | UnreadReport> {
  try {
    return await readPackedReport(bytes, charset);
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error;
    return { type: "unread", reason: error.reason };
  }
}

/** Reads a report as it was attached. `charset`: as the message names it. Throws UnreadableReport. */
export async function readPackedReport(packed: Buffer, charset: string | null = null): Promise<SenderReport> {
  const chunks = textsOf(unpack(packed), charset);
  const first = await chunks.next();
  const start = first.done === true ? "" : first.value.trimStart();
  if (start.startsWith("<")) return { type: "dmarc", report: await readDmarc(start, chunks) };
  if (start.startsWith("{")) return { type: "tls", report: await readTls(start, chunks) };
  throw new UnreadableReport("no_report");
}

/** Decodes the chunks. The first text has START_LENGTH characters, unless the content is shorter. */
async function* textsOf(chunks: AsyncIterable<Buffer>, charset: string | null): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let waiting = "";
  let isBegun = false;
  for await (const chunk of chunks) {
    decoder ??= xmlDecoder(chunk, charset);
    waiting += decoder.decode(chunk, { stream: true });
    if (!isBegun && waiting.length < START_LENGTH) continue;
    isBegun = true;
    yield waiting;
    waiting = "";
  }
  yield waiting + (decoder?.decode() ?? "");
}

async function readDmarc(start: string, rest: AsyncIterable<string>): Promise<DmarcReport> {
  const reader = new DmarcReportReader();
  reader.write(start);
  for await (const text of rest) reader.write(text);
  return reader.end();
}

async function readTls(start: string, rest: AsyncIterable<string>): Promise<TlsReport> {
  const texts = [start];
  let length = start.length;
  for await (const text of rest) {
    length += text.length;
    if (length > JSON_LENGTH_MAX) throw new UnreadableReport("too_large");
    texts.push(text);
  }
  return readTlsReport(texts.join(""));
}

/**
 * Finds the report in a message to a report address, and reads it: a DMARC aggregate report or a TLS report. Goes by the content of
 * the parts, because their types and names vary.
 */
import { type IncomingMessage, readIncoming } from "../feedback/report-parts.ts";
import { type DmarcReport, readDmarcReport } from "./dmarc-report.ts";
import { readTlsReport, type TlsReport } from "./tls-report.ts";
import { unpack } from "./unpack.ts";

export type SenderReport = { type: "dmarc"; report: DmarcReport } | { type: "tls"; report: TlsReport };

/** A message has one report, and seldom another attachment. */
const PARTS_MAX = 3;

/** Reads an incoming message. Null if it has no report that can be read; never rejects, whatever it contains. */
export async function readSenderReport(raw: Buffer): Promise<SenderReport | null> {
  const message = await readIncoming(raw);
  return message === null ? null : reportIn(message);
}

function reportIn({ parts }: Pick<IncomingMessage, "parts">): SenderReport | null {
  for (const { bytes } of parts.slice(0, PARTS_MAX)) {
    const content = unpack(bytes);
    const found = content === null ? null : readContent(content);
    if (found !== null) return found;
  }
  return null;
}

function readContent(content: Buffer): SenderReport | null {
  const start = content.subarray(0, 100).toString("utf8").trimStart();
  if (start.startsWith("<")) {
    const report = readDmarcReport(content);
    return report === null ? null : { type: "dmarc", report };
  }
  if (!start.startsWith("{")) return null;
  const report = readTlsReport(content);
  return report === null ? null : { type: "tls", report };
}

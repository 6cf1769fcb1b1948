/**
 * The log: pino with JSON lines on standard output. Secrets and message contents are never logged: callers pass ids and codes
 * instead of payloads, and the redaction below is a second line of defense.
 */
import { type DestinationStream, type Logger, pino } from "pino";
import { joinLines } from "./joined-lines.ts";

export type { Logger };

const SECRET_FIELDS = ["authorization", "key", "password", "privateKey", "content", "html", "text"];

/** Lines are written in batches of this size, or after this time: one write for each line costs more than the line. */
const FLUSH_BYTES = 32 * 1024;
const FLUSH_MS = 100;
const WRITE_BYTES_MAX = 64 * 1024;

/** Lines are buffered for a slow or full output up to this size, and then dropped. */
const WAITING_MAX_BYTES = 8_000_000;

/** Creates a logger at `level` (a pino level name), by default to standard output. Each line has `fields`. */
export function createLog(
  level: string,
  to: DestinationStream = standardOutput(),
  fields: Record<string, string> | null = null,
): Logger {
  const paths = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]);
  return pino({ level, base: fields, redact: { paths, censor: "[redacted]" } }, to);
}

/** Writes asynchronously: a slow pipe must not block requests. */
export function standardOutput(): DestinationStream {
  const bounds = {
    minLength: FLUSH_BYTES,
    maxWrite: WRITE_BYTES_MAX,
    periodicFlush: FLUSH_MS,
    maxLength: WAITING_MAX_BYTES,
  };
  const output = pino.destination({ sync: false, ...bounds });
  // The reader is gone, or the disk is full: the service continues, and the log resumes when space is available. On exit
  // the buffered lines are lost.
  output.on("error", () => {});
  joinLines(output, FLUSH_BYTES);
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => {
    try {
      flushSync();
    } catch {}
  };
  return output;
}

/**
 * The same log without redaction, for frequent lines that contain only ids, codes and numbers. Redaction costs twice as much
 * as the line itself.
 */
export function withoutRedaction(log: Logger): Logger {
  return log.child({}, { redact: [] });
}

/** A logger that writes nothing, for tests and one-shot commands. */
export const silentLog: Logger = pino({ level: "silent" });

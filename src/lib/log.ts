/**
 * The log: pino, JSON lines on standard output.
 * Never logged: API keys, passwords, private keys, message bodies. Callers pass ids and codes, not payloads;
 * the redaction below is the second fence.
 */
import { type DestinationStream, type Logger, pino } from "pino";

export type { Logger };

const SECRET_FIELDS = ["authorization", "key", "password", "privateKey", "content", "html", "text"];

/** Lines go out together, this many bytes at once or after this time: a write for each line costs more than the line. */
const FLUSH_BYTES = 4096;
const FLUSH_MS = 100;

/** Lines wait for a slow or full output up to this many bytes; then they are dropped. */
const WAITING_MAX_BYTES = 8_000_000;

/** A logger at `level` (a pino level name), to standard output unless told otherwise. */
export function createLog(level: string, to: DestinationStream = standardOutput()): Logger {
  const paths = SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]);
  return pino({ level, base: null, redact: { paths, censor: "[redacted]" } }, to);
}

/** Asynchronous, so that a slow pipe does not stall requests. */
function standardOutput(): DestinationStream {
  const bounds = { minLength: FLUSH_BYTES, periodicFlush: FLUSH_MS, maxLength: WAITING_MAX_BYTES };
  const output = pino.destination({ sync: false, ...bounds });
  // Nobody reads it any more, or its disk is full: mail goes on, and so does the log when there is room again. At the
  // exit the rest is lost.
  output.on("error", () => {});
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => {
    try {
      flushSync();
    } catch {}
  };
  return output;
}

/**
 * The same log for the lines of every request and attempt, made of ids, codes and numbers alone. The second fence walks
 * through each line and costs twice what the line does.
 */
export function withoutRedaction(log: Logger): Logger {
  return log.child({}, { redact: [] });
}

/** A logger that writes nothing, for tests and one-shot commands. */
export const silentLog: Logger = pino({ level: "silent" });

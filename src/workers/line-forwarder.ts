/**
 * Joins the logs of the workers to one: forwards whole lines only. Writes of several processes to one pipe may interleave, because
 * only short ones are atomic.
 */
import type { Readable } from "node:stream";

const NEWLINE = 0x0a;

/** Writes the lines that `from` has completed, and at its end the rest. `write` must not block or throw. */
export function forwardLines(from: Readable, write: (lines: string) => void): void {
  let rest: Buffer[] = [];
  from.on("data", (chunk: Buffer) => {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      write(Buffer.concat([...rest, chunk.subarray(0, end)]).toString("utf8"));
      rest = [];
    }
    if (end < chunk.length) rest.push(chunk.subarray(end));
  });
  from.on("end", () => {
    if (rest.length > 0) write(`${Buffer.concat(rest).toString("utf8")}\n`);
  });
}

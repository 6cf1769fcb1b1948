/** A thread in place of the reader's: what a mail says decides how the thread ends. Any other mail is not understood. */
import { parentPort } from "node:worker_threads";
import { reportUncaughtErrors } from "../../src/lib/thread.ts";

const REPLY = { as: "feedback", feedback: { type: "ignored", because: "not_understood" } };

const GROWN_BYTES = 160 * 1024 * 1024;
const kept: number[][] = [];

/** More than the real thread's heap may have. */
function grow(): void {
  // Numbers that are no integers take 8 octets each.
  while (kept.length < GROWN_BYTES / 80_000) kept.push(new Array<number>(10_000).fill(kept.length + 0.5));
}

reportUncaughtErrors();
parentPort?.on("message", ({ content }: { content: Uint8Array }) => {
  const wish = Buffer.from(content).toString();
  if (wish === "throw") throw new Error("the thread is broken");
  if (wish === "exit") process.exit(0);
  if (wish === "grow") grow();
  if (wish !== "hang") parentPort?.postMessage(REPLY);
});

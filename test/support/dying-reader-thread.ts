/** A thread in place of the reader's: what a mail says decides how the thread ends. Any other mail is not understood. */
import { parentPort } from "node:worker_threads";
import { reportUncaughtErrors } from "../../src/lib/thread.ts";

const REPLY = { as: "feedback", feedback: { type: "ignored", because: "not_understood" } };

reportUncaughtErrors();
parentPort?.on("message", ({ content }: { content: Uint8Array }) => {
  const wish = Buffer.from(content).toString();
  if (wish === "throw") throw new Error("the thread is broken");
  if (wish === "exit") process.exit(0);
  if (wish !== "hang") parentPort?.postMessage(REPLY);
});

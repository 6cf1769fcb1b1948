/** The thread that reads long contents for pages: what senders have written must not occupy the event loop. */

import { parentPort } from "node:worker_threads";
import { bufferOf } from "../../../../lib/buffer-of.ts";
import { reportUncaughtErrors } from "../../../../lib/thread.ts";
import { lowerThreadPriority } from "../../../../lib/thread-priority.ts";
import { CONTENT_VIEWS, type ContentViewName } from "../../../../message/reading/content-views.ts";

export interface ViewQuestion {
  name: ContentViewName;
  content: Uint8Array;
  part: number;
}

const NICE = 5;

reportUncaughtErrors();
lowerThreadPriority(NICE);
parentPort?.on("message", ({ name, content, part }: ViewQuestion) => {
  const stored = bufferOf(content);
  parentPort?.postMessage(CONTENT_VIEWS[name](stored, part));
});

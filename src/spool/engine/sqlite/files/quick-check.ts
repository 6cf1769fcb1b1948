/**
 * Runs SQLite's quick_check on the spool's file. It reads the whole file and cannot be interrupted, so it runs in a thread of
 * its own, and only on files that it reads quickly.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { startThread } from "../../../../lib/thread.ts";
import type { StoreCheck } from "../../../port/maintenance.ts";

/** Half a second if the file is in the page cache, some seconds on a slow disk. */
const SIZE_MAX = 256 * 1024 ** 2;

/** Rejects if the check's thread fails. */
export async function quickCheck(dataDir: string): Promise<StoreCheck> {
  const sizeBytes = statSync(join(dataDir, "postrider.db")).size;
  if (sizeBytes > SIZE_MAX) return { type: "file", sizeBytes, faults: null };
  const thread = startThread(new URL("./quick-check-thread.ts", import.meta.url), { dataDir });
  thread.unref();
  try {
    const faults = await new Promise<string[]>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(new Error("the check ended early")));
    });
    return { type: "file", sizeBytes, faults };
  } finally {
    await thread.terminate();
  }
}

/**
 * Runs SQLite's quick_check on the spool's file. It reads the whole file and cannot be interrupted, so it runs in a thread of
 * its own, and only on files that it reads quickly.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { startThread } from "../../lib/thread.ts";

/** Half a second if the file is in the page cache, some seconds on a slow disk. */
const SIZE_MAX = 256 * 1024 ** 2;

export interface FileCheck {
  sizeBytes: number;
  /** SQLite's messages about faults, a few at most; null if the file is too large to be checked while in use. */
  faults: string[] | null;
}

/** Rejects if the check's thread fails. */
export async function quickCheck(dataDir: string): Promise<FileCheck> {
  const sizeBytes = statSync(join(dataDir, "postrider.db")).size;
  if (sizeBytes > SIZE_MAX) return { sizeBytes, faults: null };
  const thread = startThread(new URL("./quick-check-thread.ts", import.meta.url), { dataDir });
  thread.unref();
  try {
    const faults = await new Promise<string[]>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", reject);
      thread.once("exit", () => reject(new Error("the check ended early")));
    });
    return { sizeBytes, faults };
  } finally {
    await thread.terminate();
  }
}

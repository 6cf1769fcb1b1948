/** SQLite files to be copied into a database, and what their spool shows. */

import { copySpool } from "../../src/spool/copy/spool-copy.ts";
import { openSqliteSpool, type SqliteStore } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { CopyReport } from "../../src/spool/port/spool-copy.ts";
import { NOW_MS, PART_BYTES, type RichSpool } from "./rich-spool.ts";
import { viewOf } from "./spool-view.ts";

const openFiles = (dataDir: string): Promise<SqliteStore> =>
  openSqliteSpool({
    dataDir,
    role: "client",
    partBytes: PART_BYTES,
    onFatal: (error) => {
      throw error;
    },
  });

/** Opens the files for `work` alone. */
export async function withFiles<T>(dataDir: string, work: (files: SqliteStore) => Promise<T>): Promise<T> {
  const files = await openFiles(dataDir);
  try {
    return await work(files);
  } finally {
    await files.close();
  }
}

/** What the files show to a process that starts. */
export const filesView = (dataDir: string, rich: RichSpool) => withFiles(dataDir, (files) => viewOf(files, rich));

/** The master key's fingerprint is that of the nodes of open-node.ts. */
export const copyFiles = (dataDir: string, url: string, fingerprint: string | null = "same"): Promise<CopyReport> =>
  copySpool({ dataDir, url, nowMs: NOW_MS, fingerprint, nodeName: "node1" });

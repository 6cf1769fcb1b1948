/** Bytes that the service writes to disk during a run of load, with the checkpoint into the database file. */
import { join } from "node:path";
import Sqlite from "../src/spool/engine/sqlite/connection/driver.ts";
import { writtenBytes } from "./proc.ts";

/** Checkpoints the write-ahead log, to count its bytes too. Returns the bytes written. */
function checkpoint(dataDir: string): number {
  const before = writtenBytes(process.pid);
  const db = new Sqlite(join(dataDir, "postrider.db"));
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return writtenBytes(process.pid) - before;
}

/** Runs `run` and returns its result and the bytes written meanwhile by the process and by the checkpoint after it. */
export async function countingWritten<T>(
  { pid, dataDir }: { pid: number; dataDir: string },
  run: () => Promise<T>,
): Promise<{ result: T; bytes: number }> {
  checkpoint(dataDir);
  const before = writtenBytes(pid);
  const result = await run();
  return { result, bytes: writtenBytes(pid) - before + checkpoint(dataDir) };
}

/**
 * Bytes written to disk per 4 KB message, from its acceptance to its final result, including the checkpoint into the
 * database file.
 */

import { join } from "node:path";
import Sqlite from "../../src/spool/sqlite/driver.ts";
import { writtenBytes } from "../proc.ts";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { CLIENTS, type Scenario } from "./figure.ts";

const TIMES_MAX = 6;
const MESSAGE_BYTES = 4096;

/** Checkpoints the write-ahead log, to count its bytes too. Returns the bytes written. */
function checkpoint(dataDir: string): number {
  const before = writtenBytes(process.pid);
  const db = new Sqlite(join(dataDir, "postrider.db"));
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return writtenBytes(process.pid) - before;
}

export const disk: Scenario = {
  figures: ["disk"],
  async measure(bench) {
    const { messages, rounds } = bench.options;
    const account = await bench.newAccount("disk");
    const service = await startPostrider({ account });
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    await service.burst(sink, { messages: CLIENTS, clients: CLIENTS });
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      checkpoint(account.dataDir);
      const before = writtenBytes(service.pid);
      await service.burst(sink, { messages, clients: CLIENTS });
      const written = writtenBytes(service.pid) - before + checkpoint(account.dataDir);
      times.push(written / messages / MESSAGE_BYTES);
    }
    await service.stop();
    await sink.stop();
    const shared = { figure: "disk", subject: OURS, goal: { atMost: TIMES_MAX } };
    bench.report.add({ ...shared, unit: "× the message's 4096 bytes", values: times });
  },
};

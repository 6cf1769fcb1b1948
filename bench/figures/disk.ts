/**
 * Bytes written to disk per 4 KB message, from its acceptance to its final result, including the checkpoint into the
 * database file.
 */
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { countingWritten } from "../written.ts";
import { CLIENTS, type Scenario } from "./figure.ts";

const TIMES_MAX = 6;
const MESSAGE_BYTES = 4096;

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
      const run = () => service.burst(sink, { messages, clients: CLIENTS });
      const { bytes } = await countingWritten({ pid: service.pid, dataDir: account.dataDir }, run);
      times.push(bytes / messages / MESSAGE_BYTES);
    }
    await service.stop();
    await sink.stop();
    const shared = { figure: "disk", subject: OURS, goal: { atMost: TIMES_MAX } };
    bench.report.add({ ...shared, unit: "× the message's 4096 bytes", values: times });
  },
};

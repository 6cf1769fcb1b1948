/** Throughput on a full spool relative to an empty one; both sides alternate. */
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { CLIENTS, type Scenario } from "./figure.ts";
import { fullSpool } from "./full-spool.ts";

const SHARE_MIN = 0.8;
const WAITING_SHARE = 10;
const OTHER_PORT = 8081;

export const growth: Scenario = {
  figures: ["growth"],
  async measure(bench) {
    const { messages, rounds, spoolMessages: finished } = bench.options;
    const account = await fullSpool(bench, "grown", { finished, waiting: finished / WAITING_SHARE });
    const empty = await startPostrider({ account: await bench.newAccount("empty") });
    const full = await startPostrider({ account, port: OTHER_PORT });
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    const [rates, costs]: [number[], number[]] = [[], []];
    for (const side of [empty, full]) await side.burst(sink, { messages: Math.ceil(messages / 3), clients: CLIENTS });
    for (let round = 0; round < rounds; round++) {
      await bench.quiet();
      const before = await empty.burst(sink, { messages, clients: CLIENTS });
      const grown = await full.burst(sink, { messages, clients: CLIENTS });
      rates.push(grown.endToEndPerS / before.endToEndPerS);
      costs.push(grown.cpuMs / before.cpuMs);
    }
    for (const side of [empty, full]) await side.stop();
    await sink.stop();
    const subject = `${OURS} with ${finished} finished and ${finished / WAITING_SHARE} waiting / empty`;
    bench.report.add({ figure: "growth", subject, unit: "× the rate", values: rates, goal: { atLeast: SHARE_MIN } });
    bench.report.add({ figure: "growth", subject, unit: "× the CPU", values: costs });
  },
};

/** The latency of a 202 and the accepted messages per second at maximum speed for a longer time than a burst. */
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { CLIENTS, type Scenario } from "./figure.ts";

const SECONDS = 60;
const QUICK_SECONDS = 10;

export const flood: Scenario = {
  figures: ["flood"],
  async measure(bench) {
    const { messages, rounds, quick } = bench.options;
    const seconds = quick ? QUICK_SECONDS : SECONDS;
    const [p50, p99, rates, refused]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < rounds; round++) {
      const service = await startPostrider({ account: await bench.newAccount("flood") });
      const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
      await service.burst(sink, { messages, clients: CLIENTS });
      await bench.quiet();
      const sent = await service.flood({ seconds, clients: CLIENTS });
      p50.push(sent.p50Ms);
      p99.push(sent.p99Ms);
      rates.push(sent.accepted / seconds);
      refused.push(sent.refused);
      await service.stop();
      await sink.stop();
    }
    const shared = { figure: "flood", subject: OURS, note: `${seconds} s, ${CLIENTS} clients` };
    bench.report.add({ ...shared, unit: "ms p50", values: p50 });
    bench.report.add({ ...shared, unit: "ms p99", values: p99 });
    bench.report.add({ ...shared, unit: "accepted /s", values: rates });
    bench.report.add({ ...shared, unit: "refused", values: refused });
  },
};

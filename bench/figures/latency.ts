/** The latency of a 202 at 80 % of the maximum rate, with delivery running. */
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { CLIENTS, type Scenario } from "./figure.ts";

const LOAD = 0.8;
const P99_MS_MAX = 50;
/** Enough clients that a slow response does not delay later requests. */
const STEADY_CLIENTS = 200;

export const latency: Scenario = {
  figures: ["accept-latency"],
  async measure(bench) {
    const { messages, rounds } = bench.options;
    const service = await startPostrider({ account: await bench.newAccount("latency") });
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    await service.burst(sink, { messages, clients: CLIENTS });
    const [p50, p99, kept]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      await bench.quiet();
      const greatest = await service.burst(sink, { messages, clients: CLIENTS });
      const ratePerS = greatest.acceptedPerS * LOAD;
      const steady = await service.burst(sink, { messages, clients: STEADY_CLIENTS, ratePerS });
      p50.push(steady.p50Ms ?? Number.NaN);
      p99.push(steady.p99Ms ?? Number.NaN);
      kept.push((steady.acceptedPerS / ratePerS) * 100);
    }
    await service.stop();
    await sink.stop();
    const shared = { figure: "accept-latency", subject: OURS };
    bench.report.add({ ...shared, unit: "ms p50", values: p50 });
    bench.report.add({ ...shared, unit: "ms p99", values: p99, goal: { atMost: P99_MS_MAX } });
    bench.report.add({ ...shared, unit: "% of the requested rate", values: kept });
  },
};

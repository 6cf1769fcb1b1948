/**
 * Latency on an idle machine, one message at a time: from the start of the submission until the arrival at the peer.
 */
import { setTimeout as delay } from "node:timers/promises";
import { PEER_NAMES } from "../sides/postfix.ts";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS, type Side, type Submitter } from "../sides/side.ts";
import { type SmtpSink, startSmtpSink } from "../smtp-sink.ts";
import { quantile } from "../statistics.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";

/** Sides alternate in runs this short, to expose all of them to the same changes of the machine. */
const RUN_MESSAGES = 50;
/** Per round: the p99 is the tenth slowest message. */
const RUNS = 20;
/** Not counted at the start of a run: idle connections have been closed since the previous one. */
const WARM_UP = 5;
/** An idle service has worked before; V8 still compiles its code during the first 10,000 messages. */
const WARM_UP_MESSAGES = 10_000;
/** Lets all work of one message end before the next. */
const PAUSE_MS = 10;

interface Latency {
  p50Ms: number;
  p99Ms: number;
}

async function arrivals(submitter: Submitter, sink: SmtpSink, count: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let i = 0; i < count; i++) {
    const arrival = sink.reached(sink.arrived() + 1);
    const startMs = performance.now();
    await submitter.send(i);
    const atMs = await arrival;
    if (atMs === null) throw new Error("a message did not arrive");
    latencies.push(atMs - startMs);
    await delay(PAUSE_MS);
  }
  return latencies;
}

/** The latencies of each side in milliseconds, in order. */
async function round(sides: ReadonlyMap<Side, Submitter>, sink: SmtpSink): Promise<Map<Side, number[]>> {
  const latencies = new Map<Side, number[]>([...sides.keys()].map((side) => [side, []]));
  for (let run = 0; run < RUNS; run++) {
    for (const [side, submitter] of sides) {
      await arrivals(submitter, sink, WARM_UP);
      latencies.get(side)?.push(...(await arrivals(submitter, sink, RUN_MESSAGES)));
    }
  }
  return latencies;
}

function reportLatencies({ report }: Bench, measured: ReadonlyMap<string, Latency[]>): void {
  for (const [subject, rounds] of measured) {
    report.add({ figure: "idle", subject, unit: "ms p50", values: rounds.map((r) => r.p50Ms) });
    report.add({ figure: "idle", subject, unit: "ms p99", values: rounds.map((r) => r.p99Ms) });
  }
  const ours = measured.get(OURS) ?? [];
  for (const [name, theirs] of measured) {
    if (name === OURS) continue;
    const ratio = (of: (l: Latency) => number): number[] => ours.map((l, i) => of(l) / of(theirs[i] ?? l));
    // A peer that does not sign does less work.
    const goal = name === PEER_NAMES.none ? {} : { goal: { atMost: 1 } };
    const shared = { figure: "idle", subject: `${OURS} / ${name}`, ...goal };
    report.add({ ...shared, unit: "× p50", values: ratio((l) => l.p50Ms) });
    report.add({ ...shared, unit: "× p99", values: ratio((l) => l.p99Ms) });
  }
}

export const idle: Scenario = {
  figures: ["idle"],
  async measure(bench) {
    const ours = await startPostrider({ account: await bench.newAccount("idle") });
    const sides = [ours, ...(await bench.peers())];
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "at once" });
    const measured = new Map<string, Latency[]>(sides.map(({ name }) => [name, []]));
    for (const side of sides) await side.burst(sink, { messages: WARM_UP_MESSAGES, clients: CLIENTS });
    const submitters = new Map<Side, Submitter>();
    for (const side of sides) submitters.set(side, await side.submitter());
    for (let i = 0; i < bench.options.rounds; i++) {
      await bench.quiet();
      for (const [{ name }, latencies] of await round(submitters, sink)) {
        measured.get(name)?.push({ p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) });
      }
    }
    for (const submitter of submitters.values()) submitter.close();
    await sink.stop();
    await ours.stop();
    reportLatencies(bench, measured);
  },
};

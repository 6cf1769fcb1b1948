/**
 * What messages of 10 MB from many clients of one account cost another account that sends messages of 4 KB, and how much
 * memory they take.
 */
import { ask, startScript } from "../child.ts";
import { textContent } from "../load/content.ts";
import { type LargeSent, sendLarge } from "../load/large.ts";
import type { PacedOrder, PacedResult, PacedTarget } from "../load/paced-client.ts";
import { memoryMb, watchOthers } from "../proc.ts";
import { startPostrider } from "../sides/postrider.ts";
import { addAccount } from "../sides/postrider-account.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { quantile } from "../statistics.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";

/** With JSON's line ends and the other fields, just under the default MESSAGE_BYTES_MAX of 10 MiB. */
const CONTENT = textContent("text 10 MB", 10_330_000);
const LARGE_MESSAGES = 100;
const QUICK_LARGE_MESSAGES = 60;
const LARGE_LIMIT_MS = 120_000;
const SAMPLES = 1000;
const SECOND_DOMAIN = "bakery.example";
const MEMORY_MB_MAX = 400;
const P99_RATIO_MAX = 3;

interface Measured {
  unloaded: Phase;
  loaded: Phase;
  large: LargeSent;
  memoryMb: number;
  pauseMs: number;
}

interface Phase extends PacedResult {
  /** CPU cores that processes outside the benchmark used meanwhile. */
  othersCores: number;
}

async function measureOnce(bench: Bench): Promise<Measured> {
  const account = await bench.newAccount("large-concurrent");
  const { key } = await addAccount(account, bench.zone, SECOND_DOMAIN);
  const service = await startPostrider({ account });
  const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
  await service.burst(sink, { messages: bench.options.messages, clients: CLIENTS });
  const arrivedBefore = sink.arrived();
  const { hostname: host, port } = new URL(service.url);
  const target = { host, port: Number(port), key, sender: `hello@${SECOND_DOMAIN}` };
  const paced = await startPaced(target);
  const warmUp = await paced.run(SAMPLES);
  await bench.quiet();
  const unloaded = await phase(paced.run(SAMPLES));
  await pauseMs(service.url);
  const messages = bench.options.quick ? QUICK_LARGE_MESSAGES : LARGE_MESSAGES;
  const order = { url: service.url, key: account.key, clients: CLIENTS, messages, content: CONTENT };
  const running = phase(paced.run());
  const large = await sendLarge({ ...order, limitMs: LARGE_LIMIT_MS });
  paced.stop();
  const loaded = await running;
  const longestMs = await pauseMs(service.url);
  const small = sumOf([warmUp, unloaded, loaded].map(({ latenciesMs }) => latenciesMs.length));
  const arrivedMs = await sink.reached(arrivedBefore + small + large.accepted);
  if (arrivedMs === null) throw new Error(`${sink.arrived() - arrivedBefore} of ${small + large.accepted} arrived`);
  const { peak } = memoryMb(service.pid);
  for (const part of [paced.child, service, sink]) await part.stop();
  return { unloaded, loaded, large, memoryMb: peak, pauseMs: longestMs };
}

async function phase(running: Promise<PacedResult>): Promise<Phase> {
  const others = watchOthers();
  return { ...(await running), othersCores: others() };
}

async function startPaced(target: PacedTarget) {
  const child = await startScript("bench/load/paced-client.ts", [], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return {
    child,
    /** Sends that many messages, or until `stop`. */
    run: (messages?: number): Promise<PacedResult> =>
      ask<PacedResult>(child, { target, ...(messages === undefined ? {} : { messages }) } satisfies PacedOrder),
    stop: () => void child.process.send("stop"),
  };
}

/** The longest delay of the service's event loop since the previous call; its timer adds 10 ms. */
async function pauseMs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error("/metrics has no nodejs_eventloop_lag_max_seconds");
  return Number(seconds) * 1000;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const p = (q: number, { latenciesMs }: PacedResult): number => quantile(latenciesMs, q);

function reportAll({ report }: Bench, measured: readonly Measured[]): void {
  const add = (unit: string, value: (m: Measured) => number, more: { goal?: { atMost: number }; note?: string } = {}) =>
    report.add({ figure: "large-concurrent", subject: `${OURS}, 10 MB`, unit, values: measured.map(value), ...more });
  const each = (text: (m: Measured) => string): string => measured.map(text).join("; ");
  const sizes = each(({ large }) => `${large.requestBytes} bytes a request, ${(large.ms / 1000).toFixed(1)} s`);
  const note = (of: "unloaded" | "loaded"): string =>
    each((m) => {
      const { latenciesMs, failed, othersCores } = m[of];
      return `${latenciesMs.length} samples, ${failed} failed, others used ${othersCores.toFixed(1)} cores`;
    });
  add("MB at most", (m) => m.memoryMb, { goal: { atMost: MEMORY_MB_MAX } });
  add("ms p50 of a 4 KB message unloaded", (m) => p(0.5, m.unloaded), { note: note("unloaded") });
  add("ms p99 of a 4 KB message unloaded", (m) => p(0.99, m.unloaded), { note: note("unloaded") });
  add("ms p50 of a 4 KB message loaded", (m) => p(0.5, m.loaded), { note: note("loaded") });
  add("ms p99 of a 4 KB message loaded", (m) => p(0.99, m.loaded), { note: note("loaded") });
  add("ms at most of a 4 KB message loaded", (m) => p(1, m.loaded), { note: note("loaded") });
  add("× p99 loaded / unloaded", (m) => p(0.99, m.loaded) / p(0.99, m.unloaded), { goal: { atMost: P99_RATIO_MAX } });
  add("accepted", (m) => m.large.accepted, { note: sizes });
  add("accepted /s", ({ large }) => (large.accepted * 1000) / large.ms);
  const kinds = each(({ large }) => JSON.stringify(large.refused).replaceAll('"', ""));
  add("refused (429, 503)", ({ large }) => sumOf(Object.values(large.refused)), { note: kinds });
  add("lost connections", (m) => m.large.lost);
  add("ms longest pause of the event loop", (m) => m.pauseMs, { note: "from /metrics; the timer's 10 ms included" });
}

export const largeConcurrent: Scenario = {
  figures: ["large-concurrent"],
  async measure(bench) {
    const measured: Measured[] = [];
    for (let round = 0; round < bench.options.rounds; round++) measured.push(await measureOnce(bench));
    for (const { loaded } of measured) if (loaded.failed > 0) bench.progress(`4 KB messages: ${loaded.lastFailure}`);
    reportAll(bench, measured);
  },
};

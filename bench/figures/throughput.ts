/** Maximum load: 50 clients send without a pause. Reports the rates of acceptance and delivery, and their CPU time. */
import { cpuMs, watchOthers, watchSignatures } from "../proc.ts";
import { PEER_NAMES } from "../sides/postfix.ts";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, type Burst, OURS, type Side } from "../sides/side.ts";
import { requireSignature } from "../sides/signature.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { median } from "../statistics.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";

const CPU_MS_MAX = 0.6;
const SIGNATURES_MAX = 3;

interface Round {
  burst: Burst;
  signatureMs: number;
  /** CPU cores that processes outside the benchmark used meanwhile. */
  othersCores: number;
  /** CPU time of the load, the sink and the zone server, per message. */
  toolsMs: number;
}

/** Measures the rounds of each side. Sides alternate, to expose all of them to the same load of the machine. */
async function measureRounds(bench: Bench, sides: readonly Side[]): Promise<Map<string, Round[]>> {
  const { messages, rounds } = bench.options;
  const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
  const measured = new Map<string, Round[]>(sides.map(({ name }) => [name, []]));
  // V8 still compiles the service's code during the first 10,000 messages; a real service runs for months.
  for (const side of sides) await side.burst(sink, { messages, clients: CLIENTS });
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      await bench.quiet();
      const signature = watchSignatures();
      const others = watchOthers();
      const cpuBefore = cpuMs(process.pid);
      const burst = await side.burst(sink, { messages, clients: CLIENTS });
      const [othersCores, signatureMs] = [others(), signature()];
      const toolsMs = (cpuMs(process.pid) - cpuBefore) / messages - burst.cpuMs;
      measured.get(side.name)?.push({ burst, signatureMs, othersCores, toolsMs });
      const rate = Math.round(burst.endToEndPerS);
      bench.progress(
        `round ${round + 1}, ${side.name}: ${rate}/s end to end; others used ${othersCores.toFixed(1)} cores`,
      );
    }
  }
  await sink.stop();
  return measured;
}

function reportRounds({ report }: Bench, subject: string, rounds: readonly Round[]): void {
  const ours = subject === OURS;
  const [others, tools] = [median(rounds.map((r) => r.othersCores)), median(rounds.map((r) => r.toolsMs))];
  const note = `others used ${others.toFixed(1)} cores, the tools ${tools.toFixed(2)} ms a message`;
  const add = (figure: string, unit: string, value: (round: Round) => number, atMost?: number): void => {
    const goal = ours && atMost !== undefined ? { goal: { atMost } } : {};
    report.add({ figure, subject, unit, values: rounds.map(value), ...goal, note });
  };
  add("end-to-end", "/s", (r) => r.burst.endToEndPerS);
  add("accept", "/s", (r) => r.burst.acceptedPerS);
  add("cpu", "ms a message", (r) => r.burst.cpuMs, CPU_MS_MAX);
  add("cpu", "RSA-2048 signatures", (r) => r.burst.cpuMs / r.signatureMs, SIGNATURES_MAX);
}

/** The ratios of our rate to the peer's in the same round. */
function ratios(ours: readonly Round[], theirs: readonly Round[], rate: (burst: Burst) => number): number[] {
  return ours.map(({ burst }, i) => rate(burst) / rate(theirs[i]?.burst ?? burst));
}

function compare({ report }: Bench, measured: ReadonlyMap<string, Round[]>, peers: readonly Side[]): void {
  const ours = measured.get(OURS) ?? [];
  for (const { name } of peers) {
    const theirs = measured.get(name) ?? [];
    const { endToEnd, accept } = GOALS[name] ?? {};
    const subject = `${OURS} / ${name}`;
    const add = (figure: string, values: number[], atLeast: number | undefined): void =>
      report.add({ figure, subject, unit: "×", values, ...(atLeast === undefined ? {} : { goal: { atLeast } }) });
    add(
      "end-to-end",
      ratios(ours, theirs, (b) => b.endToEndPerS),
      endToEnd,
    );
    add(
      "accept",
      ratios(ours, theirs, (b) => b.acceptedPerS),
      accept,
    );
  }
}

/** Both signing peers have this goal, so the faster one is covered. */
const GOALS: Readonly<Record<string, { endToEnd?: number; accept?: number }>> = {
  [PEER_NAMES.rspamd]: { endToEnd: 4, accept: 6 },
  [PEER_NAMES.opendkim]: { endToEnd: 4, accept: 6 },
  [PEER_NAMES.none]: { accept: 3 },
};

export const throughput: Scenario = {
  figures: ["end-to-end", "accept", "cpu"],
  async measure(bench) {
    const peers = await bench.peers();
    const ours = await startPostrider({ account: await bench.newAccount("throughput") });
    const sides = [ours, ...peers];
    for (const side of sides) await requireSignature(side);
    const measured = await measureRounds(bench, sides);
    for (const [name, rounds] of measured) reportRounds(bench, name, rounds);
    compare(bench, measured, peers);
    await ours.stop();
  },
};

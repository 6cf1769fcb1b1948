/** The greatest load: 50 clients send as fast as they are answered. Rates of acceptance and delivery, and their CPU time. */
import { signatureMs } from "../proc.ts";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, type Burst, type Side } from "../sides/side.ts";
import { startSmtpSink } from "../smtp-sink.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";

const CPU_MS_MAX = 0.6;
const SIGNATURES_MAX = 3;

interface Round {
  side: string;
  round: number;
  burst: Burst;
  signatureMs: number;
}

async function measureRounds(bench: Bench, sides: readonly Side[]): Promise<Round[]> {
  const { messages, rounds } = bench.options;
  const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
  const measured: Round[] = [];
  for (const side of sides) await side.burst(sink, { messages: Math.ceil(messages / 4), clients: CLIENTS });
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) {
      const before = signatureMs();
      const burst = await side.burst(sink, { messages, clients: CLIENTS });
      const signature = (before + signatureMs()) / 2;
      measured.push({ side: side.name, round, burst, signatureMs: signature });
      bench.say(`round ${round + 1}, ${side.name}: ${Math.round(burst.endToEndPerS)}/s end to end`);
    }
  }
  await sink.stop();
  return measured;
}

function tell({ report }: Bench, name: string, rounds: readonly Round[]): void {
  const of = (value: (round: Round) => number): number[] => rounds.map(value);
  const ours = name === "Postrider";
  report.add({ figure: "end-to-end", subject: name, unit: "/s", values: of((r) => r.burst.endToEndPerS) });
  report.add({ figure: "accept", subject: name, unit: "/s", values: of((r) => r.burst.acceptedPerS) });
  report.add({
    figure: "cpu",
    subject: name,
    unit: "ms a message",
    values: of((r) => r.burst.cpuMs),
    ...(ours ? { goal: { atMost: CPU_MS_MAX } } : {}),
  });
  report.add({
    figure: "cpu-signatures",
    subject: name,
    unit: "RSA-2048 signatures a message",
    values: of((r) => r.burst.cpuMs / r.signatureMs),
    ...(ours ? { goal: { atMost: SIGNATURES_MAX } } : {}),
  });
}

export const throughput: Scenario = {
  figures: ["end-to-end", "accept", "cpu"],
  async measure(bench) {
    const sides: Side[] = [await startPostrider({ account: await bench.newAccount("throughput") })];
    const rounds = await measureRounds(bench, sides);
    for (const { name } of sides) {
      tell(
        bench,
        name,
        rounds.filter((r) => r.side === name),
      );
    }
    for (const side of sides) await side.stop();
  },
};

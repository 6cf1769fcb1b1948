/** SMTP submission from 50 persistent clients, in turns with Postfix: both get the same messages from the same program. */
import { once } from "node:events";
import { type Child, startScript } from "../child.ts";
import type { SmtpOrder } from "../load/smtp-clients.ts";
import { cpuMs } from "../proc.ts";
import { PEER_NAMES, peerPort } from "../sides/postfix.ts";
import { startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { type SmtpSink, startSmtpSink } from "../smtp-sink.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";

const HOST = "127.0.0.1";
const PORT = 5870;
const PEER_TIMES_MIN = 4;

interface Subject {
  name: string;
  port: number;
  password: string | null;
  /** The process whose CPU time is reported; null for a peer. */
  pid: number | null;
}

interface Run {
  endToEndPerS: number;
  acceptedPerS: number;
  cpuMs: number | null;
}

export const submission: Scenario = {
  figures: ["submission"],
  async measure(bench) {
    const account = await bench.newAccount("submission");
    const env = { SUBMISSION_PORT: String(PORT), SUBMISSION_ALLOW_PLAINTEXT: "true" };
    const ours = await startPostrider({ account, env });
    const peers = (await bench.peers()).filter(({ name }) => name === PEER_NAMES.rspamd);
    const subjects: Subject[] = [
      { name: OURS, port: PORT, password: account.key, pid: ours.pid },
      ...peers.map(({ name }) => ({ name, port: peerPort("rspamd"), password: null, pid: null })),
    ];
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    const clients = await startScript("bench/load/smtp-clients.ts", [], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const runs = await measureRounds(bench, { subjects, sink, clients });
    await clients.stop();
    await sink.stop();
    await ours.stop();
    report(bench, runs);
  },
};

interface Measuring {
  subjects: Subject[];
  sink: SmtpSink;
  clients: Child;
}

async function measureRounds(bench: Bench, { subjects, sink, clients }: Measuring): Promise<Map<string, Run[]>> {
  const { messages, rounds } = bench.options;
  const runs = new Map<string, Run[]>(subjects.map(({ name }) => [name, []]));
  let firstNumber = 0;
  const run = async ({ name, port, password, pid }: Subject): Promise<Run> => {
    const [arrivedBefore, cpuBefore, startMs] = [sink.arrived(), pid === null ? 0 : cpuMs(pid), performance.now()];
    const order: SmtpOrder = { host: HOST, port, password, messages, clients: CLIENTS, firstNumber };
    firstNumber += messages;
    clients.process.send?.(order);
    await once(clients.process, "message");
    const acceptedMs = performance.now();
    const arrivedMs = await sink.reached(arrivedBefore + messages);
    if (arrivedMs === null) throw new Error(`${name}: ${sink.arrived() - arrivedBefore} of ${messages} arrived`);
    return {
      endToEndPerS: (messages * 1000) / (arrivedMs - startMs),
      acceptedPerS: (messages * 1000) / (acceptedMs - startMs),
      cpuMs: pid === null ? null : (cpuMs(pid) - cpuBefore) / messages,
    };
  };
  for (const subject of subjects) await run(subject);
  for (let round = 0; round < rounds; round++) {
    for (const subject of subjects) {
      await bench.quiet();
      const measured = await run(subject);
      runs.get(subject.name)?.push(measured);
      bench.progress(`round ${round + 1}, ${subject.name}: ${Math.round(measured.endToEndPerS)}/s end to end`);
    }
  }
  return runs;
}

function report({ report: rows }: Bench, runs: ReadonlyMap<string, Run[]>): void {
  const figure = "submission";
  const ours = runs.get(OURS) ?? [];
  for (const [name, own] of runs) {
    rows.add({ figure, subject: name, unit: "/s end to end", values: own.map(({ endToEndPerS }) => endToEndPerS) });
    rows.add({ figure, subject: name, unit: "/s accepted", values: own.map(({ acceptedPerS }) => acceptedPerS) });
    if (name === OURS) {
      rows.add({ figure, subject: name, unit: "ms of CPU a message", values: own.map((run) => run.cpuMs ?? 0) });
      continue;
    }
    const values = ours.map(({ endToEndPerS }, i) => endToEndPerS / (own[i]?.endToEndPerS ?? endToEndPerS));
    rows.add({ figure, subject: `${OURS} / ${name}`, unit: "× end to end", values, goal: { atLeast: PEER_TIMES_MIN } });
  }
}

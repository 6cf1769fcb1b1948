/**
 * Rate, CPU time and bytes written for long messages, alternating with Postfix with OpenDKIM. The cost of a content byte
 * is what a message costs beyond one of 4 KB.
 */
import { randomBytes } from "node:crypto";
import { built, type Content, fileContent, orderContent, SMALL, textContent } from "../load/content.ts";
import { cpuMs, watchOthers } from "../proc.ts";
import { PEER_NAMES } from "../sides/postfix.ts";
import { type Postrider, startPostrider } from "../sides/postrider.ts";
import { ADDRESSES, type Burst, type Load, OURS, type Side } from "../sides/side.ts";
import { requireSignature } from "../sides/signature.ts";
import { type SmtpSink, startSmtpSink } from "../smtp-sink.ts";
import { median } from "../statistics.ts";
import { countingWritten } from "../written.ts";
import { type Bench, CLIENTS, type Scenario } from "./figure.ts";

const KB = 1024;
const MB = 1024 * KB;
const FEW_CLIENTS = 10;
/** Content bytes of a run, which bound the number of its messages. */
const RUN_BYTES = 250_000_000;
const QUICK_RUN_BYTES = 60_000_000;
/** Messages of 4 KB that a round's cost of a byte refers to. */
const SMALL_MESSAGES_MAX = 3000;
const NS_PER_BYTE_MAX = 8;
const TIMES_MAX = 2.5;

interface Kind {
  content: Content;
  clients: number;
  /** The least rate, in rates of the peer. */
  ratioMin: number;
}

const KINDS: readonly Kind[] = [
  { content: textContent("text 100 KB", 100 * KB), clients: CLIENTS, ratioMin: 3.5 },
  { content: textContent("text 1 MB", MB), clients: FEW_CLIENTS, ratioMin: 2.5 },
  { content: fileContent("attachment 1 MB", randomBytes(MB)), clients: FEW_CLIENTS, ratioMin: 2.5 },
  { content: orderContent("html and text 50 KB each", 50 * KB), clients: CLIENTS, ratioMin: 3.5 },
];

/** What a kind is measured with. */
interface Setup {
  bench: Bench;
  ours: Postrider;
  dataDir: string;
  peer: Side | undefined;
  sink: SmtpSink;
}

interface Run {
  burst: Burst;
  /** CPU time of the load, the sink and the zone server, per message. */
  toolsMs: number;
  othersCores: number;
}

interface Round {
  ours: Run;
  peer: Run | null;
  /** CPU time of a message of 4 KB in this round. */
  smallMs: number;
  writtenBytes: number;
}

async function runOf({ bench, sink }: Setup, side: Side, load: Load): Promise<Run> {
  await bench.quiet();
  const others = watchOthers();
  const before = cpuMs(process.pid);
  const burst = await side.burst(sink, load);
  const toolsMs = (cpuMs(process.pid) - before) / load.messages - burst.cpuMs;
  const rate = burst.endToEndPerS.toFixed(1);
  bench.progress(`${load.content?.name}, ${side.name}: ${rate}/s end to end, ${burst.cpuMs.toFixed(2)} ms a message`);
  return { burst, toolsMs, othersCores: others() };
}

async function measureRound(setup: Setup, load: Load): Promise<Round> {
  const { ours, dataDir, peer } = setup;
  const small = Math.min(setup.bench.options.messages, SMALL_MESSAGES_MAX);
  const { burst } = await runOf(setup, ours, { messages: small, clients: CLIENTS, content: SMALL });
  const counted = await countingWritten({ pid: ours.pid, dataDir }, () => runOf(setup, ours, load));
  const theirs = peer === undefined ? null : await runOf(setup, peer, load);
  return { ours: counted.result, peer: theirs, smallMs: burst.cpuMs, writtenBytes: counted.bytes };
}

async function measureKind(setup: Setup, kind: Kind, bytes: number): Promise<void> {
  const { content, clients } = kind;
  const { ours, peer, sink, bench } = setup;
  const { quick, rounds } = bench.options;
  const load = {
    content,
    clients,
    messages: Math.floor((quick ? QUICK_RUN_BYTES : RUN_BYTES) / bytes),
  };
  const sides = peer === undefined ? [ours] : [ours, peer];
  // A whole run: compiling the code of a kind takes seconds of CPU time.
  for (const side of sides) await side.burst(sink, load);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await measureRound(setup, load));
  reportKind(setup, kind, { rounds: measured, bytes, messages: load.messages });
}

interface Measured {
  rounds: readonly Round[];
  /** Bytes of one message's content. */
  bytes: number;
  messages: number;
}

function reportKind({ bench: { report }, peer }: Setup, kind: Kind, { rounds, bytes, messages }: Measured): void {
  const { content, ratioMin } = kind;
  const smallBytes = built(SMALL).length;
  const figure = "large-messages";
  const size = `${messages} messages of ${bytes} bytes, ${kind.clients} clients`;
  const subject = `${OURS}, ${content.name}`;
  const sides = [{ subject, runs: rounds.map((r) => r.ours) }];
  const theirs = rounds.flatMap((r) => r.peer ?? []);
  if (peer !== undefined) sides.push({ subject: `${peer.name}, ${content.name}`, runs: theirs });
  for (const { subject, runs } of sides) {
    const note = `${size}; ${noteOf(runs)}`;
    report.add({ figure, subject, unit: "/s end to end", values: runs.map((r) => r.burst.endToEndPerS), note });
    report.add({ figure, subject, unit: "CPU ms a message", values: runs.map((r) => r.burst.cpuMs), note });
  }
  const perByte = rounds.map((r) => ((r.ours.burst.cpuMs - r.smallMs) * 1e6) / (bytes - smallBytes));
  const unit = "ns per content byte beyond the cost of a 4 KB message";
  const note = `a 4 KB message costs ${median(rounds.map((r) => r.smallMs)).toFixed(2)} ms`;
  report.add({ figure, subject, unit, values: perByte, goal: { atMost: NS_PER_BYTE_MAX }, note });
  const times = rounds.map((r) => r.writtenBytes / messages / bytes);
  report.add({ figure, subject, unit: "× the content's bytes written", values: times, goal: { atMost: TIMES_MAX } });
  if (peer === undefined) return;
  const ratios = rounds.map((r) => r.ours.burst.endToEndPerS / (r.peer?.burst.endToEndPerS ?? Number.NaN));
  const both = `${OURS} / ${peer.name}, ${content.name}`;
  report.add({ figure, subject: both, unit: "× end to end", values: ratios, goal: { atLeast: ratioMin } });
}

function noteOf(runs: readonly Run[]): string {
  const [others, tools] = [median(runs.map((r) => r.othersCores)), median(runs.map((r) => r.toolsMs))];
  const repeated = runs.reduce((sum, { burst }) => sum + burst.repeated, 0);
  return `others used ${others.toFixed(1)} cores, the tools ${tools.toFixed(2)} ms a message; ${repeated} repeated`;
}

export const largeMessages: Scenario = {
  figures: ["large-messages"],
  async measure(bench) {
    const peer = (await bench.peers()).find(({ name }) => name === PEER_NAMES.opendkim);
    const account = await bench.newAccount("large");
    const ours = await startPostrider({ account });
    for (const side of peer === undefined ? [ours] : [ours, peer]) {
      for (const { content } of KINDS) await requireSignature(side, content);
    }
    const sink = await startSmtpSink({ ...ADDRESSES.sink, counting: "polled" });
    await ours.burst(sink, { messages: bench.options.messages, clients: CLIENTS });
    const setup: Setup = { bench, ours, dataDir: account.dataDir, peer, sink };
    for (const kind of KINDS) await measureKind(setup, kind, built(kind.content).length);
    await ours.stop();
    await sink.stop();
  },
};

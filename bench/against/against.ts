/**
 * `npm run bench -- --against COMMIT`: the CPU time of a message on this checkout and on another commit, both at once, each under half the
 * load. Whatever slows the machine slows both, so their ratio is exact where times are not. First, this checkout is compared with itself.
 */
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Child, startProgram } from "../child.ts";
import { type Bench, CLIENTS } from "../figures/figure.ts";
import { type Content, SMALL, textContent } from "../load/content.ts";
import { sendByHttp } from "../load/wrk.ts";
import { cpuMs } from "../proc.ts";
import { startService } from "../sides/postrider.ts";
import type { Account } from "../sides/postrider-account.ts";
import { ADDRESSES, OURS } from "../sides/side.ts";
import { type SmtpSink, startSmtpSink } from "../smtp-sink.ts";
import { median } from "../statistics.ts";
import { builtCommit, nodeProgram, ownVersion, type Version } from "./versions.ts";

const KB = 1024;

interface Kind {
  content: Content;
  /** Messages of each side: before the first round, and in each. V8 compiles during the first 10,000 small ones. */
  warmUp: number;
  messages: number;
  rounds: number;
  /** Of each side. */
  clients: number;
}

const withCrlf = (name: string, bytes: number): Content => {
  const { fields } = textContent(name, bytes);
  return { name, fields: { ...fields, text: fields.text?.replaceAll("\n", "\r\n") ?? "" } };
};

const SMALL_KIND: Kind = { content: SMALL, warmUp: 8000, messages: 1000, rounds: 12, clients: CLIENTS / 2 };

const LARGE = { rounds: 6, clients: 5 };

const KINDS: readonly Kind[] = [
  SMALL_KIND,
  { content: textContent("text 100 KB", 100 * KB), warmUp: 600, messages: 150, ...LARGE },
  { content: withCrlf("text 100 KB with CRLF", 100 * KB), warmUp: 200, messages: 150, ...LARGE },
  { content: textContent("text 1 MB", KB * KB), warmUp: 60, messages: 25, ...LARGE },
  { content: withCrlf("text 1 MB with CRLF", KB * KB), warmUp: 30, messages: 25, ...LARGE },
];

/** What a landing may cost. */
const RATIO_MAX = 1.03;
/** How far from 1 the ratio of this checkout and itself may be. */
const SAME_OFF_MAX = 0.02;

/** After the last arrival: results are stored, and the log is written. */
const SETTLE_MS = 400;

/** Each side has a domain of its own, whose exchanger counts its messages. */
const PLACES = [
  { port: 8080, domain: ADDRESSES.recipientDomain, sinkHost: ADDRESSES.sink.host },
  { port: 8090, domain: "clients.example", sinkHost: "127.0.0.3" },
] as const;

type Place = (typeof PLACES)[number];

interface RunningSide {
  service: Child;
  sink: SmtpSink;
  place: Place;
  key: string;
}

export interface Against {
  /** The commit; null compares this checkout with itself alone. */
  commit: string;
  /** Major versions of Node. */
  nodes: readonly string[];
  /** Only messages of 4 KB. */
  isSmallOnly: boolean;
  /** One side after the other, as a check of the result: on a quiet machine it is the same. */
  isInTurns: boolean;
}

/** What needs the network, before the namespaces are made. */
export function prepareAgainst({ commit, nodes }: Against): void {
  for (const node of nodes) {
    ownVersion(node);
    builtCommit(commit, node);
  }
}

export async function measureAgainst(bench: Bench, against: Against): Promise<void> {
  const { commit, nodes, isSmallOnly, isInTurns } = against;
  for (const node of nodes) {
    const [own, other] = [ownVersion(node), builtCommit(commit, node)];
    const same = await withSides(bench, { versions: [own, own], node }, (sides) =>
      ratiosOf(bench, sides, { ...SMALL_KIND, isInTurns }),
    );
    const off = Math.abs(median(same.all) - 1);
    const trust = off > SAME_OFF_MAX ? "the machine is too uneven: repeat it" : "";
    report(bench, { subject: `${OURS} / itself, Node ${node}`, content: SMALL, ratios: same, note: trust });
    const kinds = isSmallOnly ? [SMALL_KIND] : KINDS;
    await withSides(bench, { versions: [own, other], node }, async (sides) => {
      for (const kind of kinds) {
        const ratios = await ratiosOf(bench, sides, { ...kind, isInTurns });
        const subject = `${OURS} / ${other.name}, Node ${node}`;
        report(bench, { subject, content: kind.content, ratios, goal: { atMost: RATIO_MAX }, note: trust });
      }
    });
  }
}

interface Result {
  subject: string;
  content: Content;
  ratios: Ratios;
  goal?: { atMost: number };
  note: string;
}

function report(bench: Bench, { subject, content, ratios, goal, note }: Result): void {
  const shared = { figure: "cpu-against", subject: `${subject}, ${content.name}`, ...(note === "" ? {} : { note }) };
  bench.report.add({ ...shared, unit: "×", values: ratios.all, ...(goal === undefined ? {} : { goal }) });
  bench.report.add({ ...shared, unit: "× on the main thread", values: ratios.main });
}

async function withSides<T>(
  bench: Bench,
  { versions, node }: { versions: readonly [Version, Version]; node: string },
  use: (sides: readonly [RunningSide, RunningSide]) => Promise<T>,
): Promise<T> {
  const sides: RunningSide[] = [];
  try {
    for (const [i, version] of versions.entries()) {
      sides.push(await startSide(bench, version, { node, place: PLACES[i] as Place }));
    }
    return await use(sides as [RunningSide, RunningSide] & RunningSide[]);
  } finally {
    for (const { service, sink } of sides) {
      await service.stop();
      await sink.stop();
    }
  }
}

async function startSide(
  bench: Bench,
  { dir }: Version,
  { node, place }: { node: string; place: Place },
): Promise<RunningSide> {
  const { domain, sinkHost, port } = place;
  await bench.zone.set({ name: domain, type: "MX", values: [`10 mx.${domain}`] });
  await bench.zone.set({ name: `mx.${domain}`, type: "A", values: [sinkHost] });
  const account = await makeAccount(bench, dir, nodeProgram(node));
  const { child } = await startService({ account, port, checkout: dir, node: nodeProgram(node) });
  const sink = await startSmtpSink({ host: sinkHost, port: ADDRESSES.sink.port, counting: "polled" });
  return { service: child, sink, place, key: account.key };
}

/** Creates a spool by the code of a checkout. */
async function makeAccount({ newDir, zone }: Bench, checkout: string, node: string): Promise<Account> {
  const script = ["--import", "tsx", "bench/against/account-maker.ts", checkout, newDir("against")];
  const child = await startProgram(node, script, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  try {
    for (;;) {
      const [message] = await once(child.process, "message");
      const { record, account } = message as { record?: Parameters<typeof zone.set>[0]; account?: Account };
      if (account !== undefined) return { ...account, databaseUrl: null };
      if (record !== undefined) await zone.set(record);
      child.process.send("set");
    }
  } finally {
    await child.stop();
  }
}

interface Ratios {
  all: number[];
  main: number[];
}

/** What the first side has used, in what the second has, in each round. */
async function ratiosOf(
  bench: Bench,
  sides: readonly [RunningSide, RunningSide],
  { warmUp, rounds, ...load }: Kind & RoundLoad,
): Promise<Ratios> {
  await wholeRoundOf(sides, { ...load, messages: warmUp });
  const ratios: Ratios = { all: [], main: [] };
  for (let round = 0; round < rounds; round += 1) {
    // The one that is asked first has a moment alone.
    const order = round % 2 === 0 ? sides : ([sides[1], sides[0]] as const);
    const [first, second] = await wholeRoundOf(order, load);
    const [own, other] = round % 2 === 0 ? [first, second] : [second, first];
    ratios.all.push(own.all / other.all);
    ratios.main.push(own.main / other.main);
    const times = [own, other].map(({ all, main }) => `${all.toFixed(3)} (${main.toFixed(3)})`).join(" and ");
    bench.progress(
      `${load.content.name}, round ${round + 1}: ${times} ms of CPU a message, of the main thread in parentheses`,
    );
  }
  return ratios;
}

/** CPU time of a message in milliseconds. */
interface Used {
  all: number;
  /** Of the main thread, which ends what one process can do. */
  main: number;
}

/** Under overload, for a moment: the disk may have stopped both. */
class Refused extends Error {}

const REFUSED_ROUNDS_MAX = 3;
const AFTER_REFUSAL_MS = 2000;

/** Returns what a message has used on each side, in a round without refusals. */
async function wholeRoundOf(...args: Parameters<typeof roundOf>): Promise<[Used, Used]> {
  for (let refused = 0; ; refused += 1) {
    try {
      return await roundOf(...args);
    } catch (error) {
      if (!(error instanceof Refused) || refused === REFUSED_ROUNDS_MAX) throw error;
      await delay(AFTER_REFUSAL_MS);
    }
  }
}

interface RoundLoad extends Pick<Kind, "content" | "messages" | "clients">, Pick<Against, "isInTurns"> {}

async function roundOf(sides: readonly [RunningSide, RunningSide], load: RoundLoad): Promise<[Used, Used]> {
  const clocks = sides.map(({ service }) => threadsOf(service.pid));
  const sent: Promise<void>[] = [];
  for (const side of sides) {
    sent.push(sendAll(side, load));
    if (load.isInTurns) await sent.at(-1)?.catch(() => {});
  }
  // Waits for both sides even if one was refused. Otherwise the rest of this round would be counted in the next one.
  const ends = await Promise.allSettled(sent);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  await delay(SETTLE_MS);
  return clocks.map((since, i) => usedSince(sides[i]?.service.pid ?? 0, since, load.messages)) as [Used, Used];
}

let nextNumber = 1;

async function sendAll({ sink, place, key }: RunningSide, { content, messages, clients }: RoundLoad): Promise<void> {
  const firstNumber = nextNumber;
  nextNumber += messages;
  const before = sink.arrived();
  const { domain, port } = place;
  const door = { url: `http://127.0.0.1:${port}`, key, sender: ADDRESSES.sender, domain };
  const sent = await sendByHttp({ ...door, messages, clients, content, recipients: 1, ratePerS: 0, firstNumber });
  if (sent.refused > 0) throw new Refused(`port ${port}: ${sent.refused} of ${messages} messages were refused`);
  if ((await sink.reached(before + messages)) === null) throw new Error(`port ${port}: messages did not arrive`);
}

interface Clocks {
  /** Nanoseconds of CPU of each thread. */
  threads: Map<string, number>;
  /** Of the process, with threads that have ended, in steps of 10 ms. */
  processMs: number;
}

function threadsOf(pid: number): Clocks {
  const threads = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [ns] = readFileSync(join(`/proc/${pid}/task`, thread, "schedstat"), "latin1").split(" ");
    threads.set(thread, Number(ns));
  }
  return { threads, processMs: cpuMs(pid) };
}

/** A thread that has ended meanwhile is in the process's time alone. */
function usedSince(pid: number, since: Clocks, messages: number): Used {
  const now = threadsOf(pid);
  const usedMs = (thread: string): number =>
    ((now.threads.get(thread) ?? 0) - (since.threads.get(thread) ?? 0)) / 1e6 / messages;
  const hasEnded = [...since.threads.keys()].some((thread) => !now.threads.has(thread));
  const all = hasEnded
    ? (now.processMs - since.processMs) / messages
    : [...now.threads.keys()].reduce((sum, thread) => sum + usedMs(thread), 0);
  return { all, main: usedMs(String(pid)) };
}

/**
 * The recipients' mail exchanger: Postfix's smtp-sink, which needs almost no CPU, or our own where TLS is needed.
 * Their counters report how many messages have arrived.
 */
import type { StdioOptions } from "node:child_process";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { type Child, startProgram, startScript, until } from "./child.ts";
import { memoryDir } from "./namespace.ts";
import { connects } from "./ports.ts";

export interface SmtpSink {
  /** Messages that have arrived so far. */
  arrived(): number;
  /** Sessions that used TLS. */
  tlsSessions(): number;
  /** The time (performance.now()) when the count reached `count`; null after 30 s without an arrival. */
  reached(count: number): Promise<number | null>;
  stop(): Promise<void>;
}

export interface SinkOptions {
  host: string;
  port: number;
  /** `polled` reads the counter every 5 ms at no cost per message; `at once` reports each arrival immediately. */
  counting: "polled" | "at once";
  /** A world-writable directory in which every message is stored. */
  keepIn?: string;
}

const POLL_MS = 5;
const STALL_MS = 30_000;

interface Waiting {
  count: number;
  done: (atMs: number | null) => void;
}

export async function startSmtpSink({ host, port, counting, keepIn }: SinkOptions): Promise<SmtpSink> {
  const keeping = keepIn === undefined ? [] : ["-d", `${keepIn}/mail.`];
  const args = ["-c", "-m", "2000", "-u", "nobody", ...keeping, `${host}:${port}`, "1024"];
  const start = (stdio: StdioOptions) => startProgram("smtp-sink", args, { stdio });
  return countingPeer({ host, port, counting }, start);
}

export interface TlsPeerOptions {
  host: string;
  port: number;
  /** PEM files; without them, no TLS. */
  certificate?: { key: string; cert: string };
}

/** Starts the peer of tls-peer.ts, with or without a certificate. It needs more CPU than smtp-sink. */
export function startTlsPeer({ host, port, certificate }: TlsPeerOptions): Promise<SmtpSink> {
  const files = certificate === undefined ? [] : [certificate.key, certificate.cert];
  const start = (stdio: StdioOptions) => startScript("bench/tls-peer.ts", [host, String(port), ...files], { stdio });
  return countingPeer({ host, port, counting: "polled" }, start);
}

/** Reads the counter from the standard output of a peer. */
async function countingPeer(
  { host, port, counting }: SinkOptions,
  start: (stdio: StdioOptions) => Promise<Child>,
): Promise<SmtpSink> {
  const file = counting === "polled" ? openSync(join(memoryDir("sink"), "count"), "w+") : null;
  const child = await start(["ignore", file ?? "pipe", "inherit"]);
  let tlsSessions = 0;
  let arrived = 0;
  let changedMs = performance.now();
  let waiting: Waiting[] = [];
  const see = (text: string): void => {
    const count = Number([...text.matchAll(/mesg=(\d+)/g)].at(-1)?.[1] ?? arrived);
    tlsSessions = Number([...text.matchAll(/tls=(\d+)/g)].at(-1)?.[1] ?? tlsSessions);
    const nowMs = performance.now();
    if (count !== arrived) changedMs = nowMs;
    arrived = count;
    const isOver = (w: Waiting): boolean => arrived >= w.count || nowMs - changedMs > STALL_MS;
    for (const w of waiting.filter(isOver)) w.done(arrived >= w.count ? nowMs : null);
    waiting = waiting.filter((w) => !isOver(w));
  };
  const stopLooking = file === null ? listen(child, see) : poll(file, see);
  await until("the peer", () => connects(host, port));
  return {
    arrived: () => arrived,
    tlsSessions: () => tlsSessions,
    reached(count) {
      changedMs = performance.now();
      return new Promise((done) => waiting.push({ count, done }));
    },
    async stop() {
      stopLooking();
      await child.stop();
    },
  };
}

function listen(child: Child, see: (text: string) => void): () => void {
  child.process.stdout?.on("data", (chunk) => see(String(chunk)));
  const timer = setInterval(() => see(""), 1000);
  return () => clearInterval(timer);
}

function poll(file: number, see: (text: string) => void): () => void {
  const tail = Buffer.alloc(256);
  const timer = setInterval(() => {
    const { size } = fstatSync(file);
    const length = readSync(file, tail, 0, tail.length, Math.max(0, size - tail.length));
    see(tail.toString("latin1", 0, length));
  }, POLL_MS);
  return () => {
    clearInterval(timer);
    closeSync(file);
  };
}

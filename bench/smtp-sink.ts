/**
 * The recipients' mail exchanger: smtp-sink of Postfix, which costs next to nothing, and whose counter says how many
 * messages have arrived.
 */
import { closeSync, fstatSync, mkdtempSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { type Child, startProgram, until } from "./child.ts";
import { connects } from "./ports.ts";

export interface SmtpSink {
  /** Messages that have arrived so far. */
  arrived(): number;
  /** When (performance.now()) the count reached `count`; null when nothing has come for 30 s. */
  reached(count: number): Promise<number | null>;
  stop(): Promise<void>;
}

export interface SinkOptions {
  host: string;
  port: number;
  /** `polled` looks at the counter every 5 ms and costs nothing per message; `at once` sees each arrival as it happens. */
  counting: "polled" | "at once";
  /** A directory, writable for all, where every message is kept. */
  keepIn?: string;
}

const POLL_MS = 5;
const STALL_MS = 30_000;
/** In memory: a counter that is written for each message must not wait for a disk. */
const COUNTER_DIR = "/dev/shm";

interface Waiting {
  count: number;
  done: (atMs: number | null) => void;
}

export async function startSmtpSink({ host, port, counting, keepIn }: SinkOptions): Promise<SmtpSink> {
  const keeping = keepIn === undefined ? [] : ["-d", `${keepIn}/mail.`];
  const args = ["-c", "-m", "2000", "-u", "nobody", ...keeping, `${host}:${port}`, "1024"];
  const file = counting === "polled" ? openSync(join(mkdtempSync(`${COUNTER_DIR}/bench-`), "sink"), "w+") : null;
  const child = await startProgram("smtp-sink", args, { stdio: ["ignore", file ?? "pipe", "inherit"] });
  let arrived = 0;
  let changedMs = performance.now();
  let waiting: Waiting[] = [];
  const see = (text: string): void => {
    const count = Number([...text.matchAll(/mesg=(\d+)/g)].at(-1)?.[1] ?? arrived);
    const nowMs = performance.now();
    if (count !== arrived) changedMs = nowMs;
    arrived = count;
    const isOver = (w: Waiting): boolean => arrived >= w.count || nowMs - changedMs > STALL_MS;
    for (const w of waiting.filter(isOver)) w.done(arrived >= w.count ? nowMs : null);
    waiting = waiting.filter((w) => !isOver(w));
  };
  const stopLooking = file === null ? listen(child, see) : poll(file, see);
  await until("smtp-sink", () => connects(host, port));
  return {
    arrived: () => arrived,
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

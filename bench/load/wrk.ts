/** HTTP load by wrk, which needs a tenth of the CPU of a client in Node. send.lua creates and counts the messages. */
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Child, startProgram } from "../child.ts";
import { memoryDir } from "../namespace.ts";
import { afterRecipients, type Content } from "./content.ts";

const SCRIPT = fileURLToPath(new URL("send.lua", import.meta.url));
/** Longer than any run: the run ends with the last response. */
const LIMIT_SECONDS = 600;

export interface HttpLoad {
  url: string;
  key: string;
  sender: string;
  domain: string;
  messages: number;
  clients: number;
  content: Content;
  recipients: number;
  /** Messages per second; 0 for the maximum. */
  ratePerS: number;
  /** The number of the first recipient; all recipients of a run differ. */
  firstNumber: number;
}

export interface Submitted {
  accepted: number;
  refused: number;
  startMs: number;
  /** The time of the last response. */
  endMs: number;
  p50Ms: number;
  p99Ms: number;
}

/** Sends the messages and waits for the last response. Throws if any is missing. Times are from performance.now(). */
export async function sendByHttp(load: HttpLoad): Promise<Submitted> {
  const { accepted, refused, errors, ...times } = await runWrk(load, LIMIT_SECONDS);
  if (accepted + refused !== load.messages || errors > 0) {
    throw new Error(`wrk: ${accepted} accepted, ${errors} errors`);
  }
  return { accepted, refused, ...times };
}

/** Sends messages for that time, at most as many as the load has. Throws if a connection failed. */
export async function floodByHttp(load: HttpLoad, seconds: number): Promise<Submitted> {
  const { responses, refused, errors, ...run } = await runWrk(load, seconds);
  if (errors > 0) throw new Error(`wrk: ${errors} errors`);
  return { ...run, accepted: responses - refused, refused, endMs: run.startMs + seconds * 1000 };
}

interface WrkRun extends Submitted {
  responses: number;
  errors: number;
}

async function runWrk(load: HttpLoad, seconds: number): Promise<WrkRun> {
  const dir = memoryDir("load");
  const startMs = performance.now();
  const wrk = await startWrk(load, join(dir, "fields"), seconds);
  let endMs = 0;
  let counts: number[] = [];
  let latencies: number[] = [];
  const ended = once(wrk.process, "close");
  if (wrk.process.stdout === null) throw new Error("wrk printed nothing");
  createInterface(wrk.process.stdout).on("line", (line) => {
    const numbers = [...line.matchAll(/\d+/g)].map(Number);
    if (line.startsWith("accepted ")) {
      endMs = performance.now();
      counts = numbers;
      // wrk sleeps until its time is over or a signal arrives.
      wrk.process.kill("SIGINT");
    }
    if (line.startsWith("latency_us ")) latencies = numbers;
  });
  await ended;
  rmSync(dir, { recursive: true });
  const [p50 = 0, p99 = 0, errors = 0, responses = 0, failed = 0] = latencies;
  const [accepted = 0, refused = failed] = counts;
  return { accepted, refused, responses, errors, startMs, endMs, p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
}

/** Starts wrk, with the content in `file`. */
function startWrk(load: HttpLoad, file: string, seconds: number): Promise<Child> {
  writeFileSync(file, afterRecipients(load.content));
  const { messages, recipients, ratePerS, firstNumber, sender, domain } = load;
  const script = [messages, recipients, ratePerS, file, firstNumber, sender, domain].map(String);
  const args = ["-t1", `-c${load.clients}`, `-d${seconds}s`, "--timeout", "60s", "-s", SCRIPT];
  args.push("-H", `Authorization: Bearer ${load.key}`, "-H", "Content-Type: application/json");
  return startProgram("wrk", [...args, `${load.url}/api/sending/send`, "--", ...script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** The webhook receiver as a process that can be killed and started again on the same port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Prng } from "../simulate/prng.ts";
import type { ReceiverOptions, ReceiverRecord } from "./webhook-receiver.ts";

const PROGRAM = fileURLToPath(new URL("webhook-receiver.ts", import.meta.url));
/** An address of its own: no other program connects from it, so the port stays free while the receiver is down. */
const HOST = "127.0.8.1";

export class ReceiverProcess {
  readonly #program: string;
  readonly #file: string;
  readonly #prng: Prng;
  #child: ChildProcess | null = null;
  #port = 0;
  /** The secret of each path. */
  secrets: Record<string, string> = {};

  /** `dir` holds the program in one file, which starts in a tenth of the time, and the records. */
  constructor(dir: string, prng: Prng) {
    this.#program = join(dir, "webhook-receiver.cjs");
    this.#file = join(dir, "received");
    this.#prng = prng;
    buildSync({ entryPoints: [PROGRAM], bundle: true, platform: "node", format: "cjs", outfile: this.#program });
  }

  get url(): string {
    return `http://${HOST}:${this.#port}`;
  }

  /** Starts the process, and waits until it listens. */
  async start({ isHealthy = false } = {}): Promise<void> {
    const options: ReceiverOptions = {
      host: HOST,
      port: this.#port,
      file: this.#file,
      secrets: this.secrets,
      isHealthy,
      seed: this.#prng.integer(1, 2 ** 31),
    };
    const child = spawn(process.execPath, [this.#program, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    const [line] = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => ["0"])]);
    this.#port = Number(line);
    if (this.#port === 0) throw new Error("the webhook receiver did not start");
  }

  async kill(): Promise<void> {
    if (this.#child === null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
    this.#child = null;
  }

  /** What all processes recorded, in order. */
  records(): ReceiverRecord[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, "utf8").trimEnd().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as ReceiverRecord);
  }
}

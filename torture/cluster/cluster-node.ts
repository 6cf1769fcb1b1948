/**
 * One node of the cluster: a process that can be killed, suspended and started again, with a clock and a path to the database of
 * its own. Notes when the faults of the torture affected it, and when the others ended it.
 */
import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { type DatabaseProxy, openProxy } from "../../test/support/postgres/proxy.ts";
import { type LaunchedService, launchService, type RunningService, untilListening } from "../service-process.ts";
import { ShiftedClock } from "../shifted-clock.ts";

/** The log line of a node whose registration was ended by another one. */
const FENCED = /node was ended by another one/;

/** The log line that names messages which were answered with 202, and which the database has lost. */
const LOST = /the database has lost work of this node/;

/** Something befell the node. In milliseconds since the epoch; without an end as long as it lasts. */
export interface Affliction {
  fromMs: number;
  toMs: number | null;
}

export interface NodeOptions {
  name: string;
  dir: string;
  databaseUrl: string;
  env: Record<string, string>;
}

export class ClusterNode {
  readonly name: string;
  readonly clock: ShiftedClock;
  readonly afflictions: Affliction[] = [];
  /** When it noticed that it had been ended. */
  readonly fencedAtMs: number[] = [];
  /** The ids of lost messages that it has named. */
  readonly lostMessageIds: string[] = [];
  /** What it wrote before it exited by itself. */
  readonly exits: string[] = [];
  readonly #link: DatabaseProxy & { close(): void };
  readonly #options: NodeOptions;
  readonly #log: WriteStream;
  #launched: LaunchedService | null = null;
  #service: RunningService | null = null;

  private constructor(options: NodeOptions, link: DatabaseProxy & { close(): void }) {
    this.name = options.name;
    this.#options = options;
    this.#link = link;
    this.#log = createWriteStream(join(options.dir, `log-of-${options.name}`));
    this.clock = new ShiftedClock(options.dir, `clock-of-${options.name}`);
  }

  static async create(options: NodeOptions): Promise<ClusterNode> {
    return new ClusterNode(options, await openProxy(options.databaseUrl));
  }

  /** The name in its EHLO. */
  get hostname(): string {
    return hostnameOf(this.name);
  }

  /** The application_name of its connections. */
  get applicationName(): string {
    return `postrider-${this.name}`;
  }

  /** The path between the node and the database. */
  get link(): Pick<DatabaseProxy, "cut" | "restore" | "redirect"> {
    return this.#link;
  }

  /** Where it answers requests; null while it is not running. */
  get url(): string | null {
    return this.#service?.url ?? null;
  }

  /** Starts the process and waits until it listens. Throws if it exits before, unless it was killed meanwhile. */
  async start(): Promise<void> {
    const launched = launchService({
      env: { ...this.#options.env, ...this.#ownEnv() },
      onLine: (line) => this.#read(line),
    });
    this.#launched = launched;
    void launched.ended.then(({ code, stderr }) => {
      if (this.#launched === launched) this.exits.push(`exit code ${code}: ${stderr}`);
    });
    const started = await untilListening(launched);
    if (this.#launched !== launched) return;
    if ("refused" in started) throw new Error(`node ${this.name} did not start: ${started.refused.stderr}`);
    this.#service = started;
    void started.ended.then(() => {
      if (this.#service === started) this.#service = null;
    });
  }

  /** Ends the process. Resolves when it has exited. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const launched = this.#launched;
    if (launched === null) return;
    this.#launched = null;
    this.#service = null;
    launched.child.kill(signal);
    await launched.ended;
  }

  /** Sends SIGSTOP: nothing of the process runs until `resume`. */
  suspend(): void {
    this.#launched?.child.kill("SIGSTOP");
  }

  resume(): void {
    this.#launched?.child.kill("SIGCONT");
  }

  /** Notes that a fault affects the node from now on; the returned function notes the end. */
  afflict(): () => void {
    const affliction: Affliction = { fromMs: Date.now(), toMs: null };
    this.afflictions.push(affliction);
    return () => {
      affliction.toMs = Date.now();
    };
  }

  /** Whether no fault affected the node in this time. */
  wasWell(fromMs: number, toMs: number): boolean {
    return this.afflictions.every((each) => each.fromMs > toMs || (each.toMs !== null && each.toMs < fromMs));
  }

  async close(): Promise<void> {
    this.resume();
    await this.end("SIGKILL");
    this.#link.close();
    this.#log.end();
  }

  #ownEnv(): Record<string, string> {
    const url = new URL(this.#link.url);
    url.searchParams.set("application_name", this.applicationName);
    return { ...this.clock.env, NODE_NAME: this.name, MTA_HOSTNAME: this.hostname, DATABASE_URL: url.href };
  }

  #read(line: string): void {
    if (FENCED.test(line)) this.fencedAtMs.push(Date.now());
    if (LOST.test(line)) this.lostMessageIds.push(...(JSON.parse(line) as { messageIds: string[] }).messageIds);
    this.#log.write(`${line}\n`);
  }
}

const hostnameOf = (name: string): string => `mta-${name}.sender.example`;

/**
 * Mail exchangers in a separate process that refuse, disconnect and stall at every stage, as determined by a seed.
 * They record for each recipient what they accepted or permanently refused. As a program it serves HOSTS (a
 * comma-separated list) at PORT with SEED; tests use startChaos.
 */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { LOADER } from "./program.ts";
import { type Hook, type PeerState, type Script, type Step, startScriptedSmtp } from "./scripted-smtp.ts";

/** The final replies of the exchangers for one recipient. */
export interface RecipientRecord {
  /** The unique text of each complete 2xx reply to a final dot. */
  accepted: string[];
  /** How often the message was accepted without a complete reply. */
  acceptedUnreported: number;
  /** The unique text of each 5xx reply to its RCPT, or to the DATA or final dot of its message. */
  refused: string[];
}

export interface Chaos {
  /** The records so far, by recipient. */
  records(): Promise<Map<string, RecipientRecord>>;
}

export interface ChaosOptions {
  hosts: string[];
  port: number;
  seed: string;
}

/** Runs the exchangers until the test ends. */
export async function startChaos(t: TestContext, { hosts, port, seed }: ChaosOptions): Promise<Chaos> {
  const args = [hosts.join(","), String(port), seed];
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv: LOADER });
  t.after(() => child.kill());
  await once(child, "message");
  return {
    async records() {
      child.send("report");
      const [entries] = (await once(child, "message")) as [[string, RecipientRecord][]];
      return new Map(entries);
    },
  };
}

/** Addresses whose local part starts with this are always deferred. */
export const NEVER = "never";

/** A uniform number in [0, 1) that depends only on the seed and the words. */
type Draw = (...words: (string | number)[]) => number;

const createDraw =
  (seed: string): Draw =>
  (...words) =>
    createHash("sha256")
      .update([seed, ...words].join(" "))
      .digest()
      .readUInt32BE(0) /
    2 ** 32;

/** Picks a choice by its share; undefined for the remaining share. */
function choose<T>(number: number, shares: [number, T][]): T | undefined {
  let bound = 0;
  for (const [share, choice] of shares) {
    bound += share;
    if (number < bound) return choice;
  }
  return undefined;
}

const STALL_MS = 100;
const DROP: Step = { drop: true };
const CLOSING: Step = { drop: true, raw: "421 4.3.2 closing\r\n" };

const late = (then: Step): Step => ({ delayMs: STALL_MS, then });

/** Faults that neither make a result unknown nor refuse a recipient. */
function openingFaults(draw: Draw): Script {
  const at = (name: string, { connection, commands }: PeerState) => draw(name, connection, commands.length);
  return {
    greeting: (_, state) =>
      choose(at("greeting", state), [
        [0.02, DROP],
        [0.02, CLOSING],
        [0.01, "554 5.3.2 not here"],
        [0.02, late("220 late")],
      ]),
    ehlo: (_, state) =>
      choose(at("ehlo", state), [
        [0.01, DROP],
        [0.01, "502 5.5.1 only HELO"],
      ]),
    mail: (_, state) =>
      choose(at("mail", state), [
        [0.015, DROP],
        [0.015, "451 4.3.0 not now"],
        [0.01, CLOSING],
        [0.01, late("250 2.1.0 late")],
      ]),
    content: (_, state) => choose(at("content", state), [[0.01, DROP]]),
  };
}

/** One object for all hosts, because they serve the same domains. */
class Exchanger {
  readonly records = new Map<string, RecipientRecord>();
  readonly #draw: Draw;
  readonly #seen = new Map<string, number>();
  /** Connections being closed: pipelined commands get no reply. */
  readonly #closed = new WeakSet<PeerState>();
  #receipts = 0;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  script(host: string): Script {
    const hooks: Script = {
      ...openingFaults((...words) => this.#draw(host, ...words)),
      // A command pipelined behind a refused MAIL gets the default reply, a refusal.
      rcpt: (argument, { mail }) => (mail === null ? undefined : this.#rcpt(argument)),
      data: (_, { rcptTo }) => (rcptTo.length === 0 ? undefined : this.#data(rcptTo)),
      dot: (_, { rcptTo }) => this.#dot(rcptTo),
    };
    const guarded = Object.entries(hooks).map(([name, hook]) => [name, this.#guarded(hook)]);
    return Object.fromEntries(guarded);
  }

  #guarded(hook: Hook): Hook {
    return async (argument, state) => {
      if (this.#closed.has(state)) return { silent: true };
      const step = await hook(argument, state);
      if (step !== undefined && closes(step)) this.#closed.add(state);
      return step;
    };
  }

  /**
   * Draws a number for this event of this recipient or transaction: the same in every run, in whatever order they
   * arrive.
   */
  #drawFor(event: string, subject: string): number {
    const what = `${event} ${subject}`;
    const times = (this.#seen.get(what) ?? 0) + 1;
    this.#seen.set(what, times);
    return this.#draw(what, times);
  }

  #rcpt(argument: string): Step | undefined {
    if (argument.startsWith(`<${NEVER}`)) return "450 4.2.1 never now";
    const recipient = argument.slice(1, argument.indexOf(">"));
    return choose<() => Step>(this.#drawFor("rcpt", recipient), [
      [0.04, () => "451 4.7.1 greylisted"],
      [0.02, () => this.#refuse([recipient], "550 5.1.1")],
      [0.01, () => DROP],
      [0.005, () => CLOSING],
      [0.005, () => late("250 2.1.5 late")],
    ])?.();
  }

  #data(recipients: string[]): Step | undefined {
    return choose<() => Step>(this.#drawFor("data", recipients.join(" ")), [
      [0.01, () => DROP],
      [0.01, () => "451 4.3.0 not now"],
      [0.005, () => this.#refuse(recipients, "554 5.6.0")],
    ])?.();
  }

  #dot(recipients: string[]): Step | undefined {
    return choose<() => Step>(this.#drawFor("dot", recipients.join(" ")), [
      [0.02, () => "451 4.3.0 not now"],
      [0.01, () => this.#refuse(recipients, "554 5.6.0")],
      [0.01, () => CLOSING],
      // The client cannot distinguish a lost message from one accepted without a reply.
      [0.01, () => DROP],
      [0.01, () => this.#acceptUnreported(recipients, DROP)],
      [0.005, () => this.#acceptUnreported(recipients, { drop: true, raw: "250-2.0.0 tak" })],
      [0.005, () => this.#acceptUnreported(recipients, late(DROP))],
      [0.005, () => this.#acceptUnreported(recipients, { raw: "+OK\r\n" })],
      [0.02, () => ({ drop: true, raw: `${this.#accept(recipients)}\r\n` })],
      [0.02, () => late(this.#accept(recipients))],
      [1, () => this.#accept(recipients)],
    ])?.();
  }

  #accept(recipients: string[]): string {
    const words = this.#receipt("taken");
    for (const recipient of recipients) this.#recordOf(recipient).accepted.push(words);
    return `250 2.0.0 ${words}`;
  }

  #acceptUnreported(recipients: string[], step: Step): Step {
    for (const recipient of recipients) this.#recordOf(recipient).acceptedUnreported += 1;
    return step;
  }

  #refuse(recipients: string[], codes: string): string {
    const words = this.#receipt("refused");
    for (const recipient of recipients) this.#recordOf(recipient).refused.push(words);
    return `${codes} ${words}`;
  }

  /** Returns text that no other reply contains. */
  #receipt(words: string): string {
    this.#receipts += 1;
    return `${words} #${this.#receipts}`;
  }

  #recordOf(recipient: string): RecipientRecord {
    const record = this.records.get(recipient) ?? { accepted: [], acceptedUnreported: 0, refused: [] };
    this.records.set(recipient, record);
    return record;
  }
}

function closes(step: Step): boolean {
  if (typeof step === "string") return false;
  if ("delayMs" in step) return step.then !== undefined && closes(step.then);
  return "drop" in step;
}

async function serve([hosts = "", port = "", seed = ""]: string[]): Promise<void> {
  const exchanger = new Exchanger(createDraw(seed));
  for (const host of hosts.split(",")) {
    await startScriptedSmtp({ host, port: Number(port), script: exchanger.script(host) });
  }
  process.on("message", () => process.send?.([...exchanger.records]));
  process.on("disconnect", () => process.exit());
  process.send?.("ready");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve(process.argv.slice(2));

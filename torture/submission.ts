/**
 * Clients submit messages by SMTP, lose their connections at and after the final dot, and try again, while the service is killed with
 * SIGKILL at random moments and started again. Checks after every kill that each message with a 250 is stored under that id, and
 * that no message was accepted twice; in the end also that each arrived once, unless the result says otherwise.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { History, Intent } from "../simulate/history.ts";
import { Prng } from "../simulate/prng.ts";
import { CutClient } from "../test/support/submission-cuts/client.ts";
import { SubmissionConnection } from "../test/support/submission-cuts/connection.ts";
import { drawMessage } from "../test/support/submission-cuts/message.ts";
import { CUT_POINTS, CUT_WAYS, drawPlan, isAfterDot } from "../test/support/submission-cuts/plan.ts";
import { DOMAINS } from "./exchangers.ts";
import { freePort } from "./free-port.ts";
import { Harness } from "./harness.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import { SENDER } from "./sender.ts";

/** Rounds on the same spool. */
const ROUNDS_PER_HARNESS = 20;
/** An address of its own: no other program connects from it, so the port stays free while the service is down. */
const HOST = "127.0.9.1";
/** Messages that are submitted at a time. */
const WIDTH = 24;
const MESSAGES_PER_ROUND = 300;
const KILL_DELAY_MAX_MS = 1500;
const DOWN_MAX_MS = 300;
const START_KILL_DELAY_MS = [20, 600] as const;
const KILL_IN_START_PROBABILITY = 0.15;
const RETRY_AFTER_MS = 50;
const SUBMITTED_MAX_MS = 180_000;

const RATES = { peer_cuts: 0.01, peer_defers: 0.05, peer_refuses: 0.02, peer_garbles: 0.005 };

export const submission: Scenario = { name: "submission", run };

interface Totals {
  rounds: number;
  accepted: number;
  cuts: number;
  /** Replies with the id of a message that had one before. */
  repeats: number;
  deliveries: number;
  unknown: number;
}

async function run({ prng, rounds, print }: ScenarioOptions): Promise<ScenarioResult> {
  const totals: Totals = { rounds: 0, accepted: 0, cuts: 0, repeats: 0, deliveries: 0, unknown: 0 };
  const violations: string[] = [];
  while (totals.rounds < rounds && violations.length === 0) {
    const most = Math.min(ROUNDS_PER_HARNESS, rounds - totals.rounds);
    violations.push(...(await runOnOneSpool({ prng, most, totals })));
    print(`  ${describe(totals)}`);
  }
  return { figures: describe(totals), violations };
}

function describe({ rounds, accepted, cuts, repeats, deliveries, unknown }: Totals): string {
  return [
    `${rounds} kills, ${cuts} connections cut by clients, ${accepted} messages accepted, ${repeats} further 250s for them`,
    `${deliveries} deliveries to peers, ${unknown} left unknown`,
  ].join(", ");
}

interface RunOptions {
  prng: Prng;
  /** The number of rounds. */
  most: number;
  totals: Totals;
}

async function runOnOneSpool({ prng, most, totals }: RunOptions): Promise<string[]> {
  const port = await freePort(HOST);
  const env = { HOST, SUBMISSION_PORT: String(port), SUBMISSION_ALLOW_PLAINTEXT: "true" };
  const harness = await Harness.create({ prng, rates: RATES, env });
  const clients = new Clients(harness, { port, prng: new Prng(prng.integer(0, 2 ** 31)) });
  try {
    for (let round = 0; round < most; round += 1) {
      totals.rounds += 1;
      await killOnce(harness, clients, prng);
      const broken = [...(await harness.checkInvariants({ expectEnd: false })), ...clients.violations()];
      if (broken.length > 0) return broken.map((line) => `round ${totals.rounds}: ${line}`);
    }
    return await finish(harness, clients, totals);
  } finally {
    clients.abort();
    await harness.close();
  }
}

/** Clients whose message was not accepted go on when the service runs again. */
async function killOnce(harness: Harness, clients: Clients, prng: Prng): Promise<void> {
  if (prng.chance(KILL_IN_START_PROBABILITY)) return harness.killStart(prng.logUniform(START_KILL_DELAY_MS));
  const service = await harness.startOrFail();
  clients.add(prng.integer(1, MESSAGES_PER_ROUND));
  await delay(prng.next() * KILL_DELAY_MAX_MS);
  await service.kill("SIGKILL");
  await delay(prng.next() * DOWN_MAX_MS);
}

/** Lets everything end, and checks the invariants. */
async function finish(harness: Harness, clients: Clients, totals: Totals): Promise<string[]> {
  const last = await harness.startOrFail();
  harness.stopFaults();
  const isSubmitted = await clients.finished(SUBMITTED_MAX_MS);
  const isDrained = await harness.waitUntilDrained();
  await last.kill("SIGTERM");
  totals.accepted += harness.count("SELECT count(*) FROM messages") ?? 0;
  totals.cuts += clients.cuts;
  totals.repeats += clients.repeats;
  totals.deliveries += harness.history.deliveries.length;
  totals.unknown += harness.count("SELECT count(*) FROM unknown_recipients WHERE result IS NULL") ?? 0;
  const stored = harness.read((db) => db.prepare<[], string>("SELECT subject FROM messages").pluck().all());
  return [
    ...violationUnless(isSubmitted, `messages were not accepted ${SUBMITTED_MAX_MS} ms after the last kill`),
    ...violationUnless(isDrained, "pending recipients were not delivered"),
    ...(await harness.checkInvariants({ expectEnd: true })),
    ...clients.violations(),
    ...clients.lostOrInvented(new Set(stored)),
  ];
}

const KINDS = CUT_POINTS.flatMap((point) => CUT_WAYS.map((way) => `${point}, ${way}`));

/** Submit messages, some at a time, and record them and their 250s in the history. */
class Clients {
  readonly #harness: Harness;
  readonly #port: number;
  readonly #prng: Prng;
  readonly #clients: CutClient[] = [];
  readonly #waiting: CutClient[] = [];
  readonly #counts = new Map<string, number>();
  readonly #aborted = new AbortController();
  #running = 0;
  #onIdle = (): void => {};

  constructor(harness: Harness, { port, prng }: { port: number; prng: Prng }) {
    this.#harness = harness;
    this.#port = port;
    this.#prng = prng;
  }

  get cuts(): number {
    return KINDS.reduce((sum, kind) => sum + (this.#counts.get(kind) ?? 0), 0);
  }

  get repeats(): number {
    return this.#clients.reduce((sum, { ids }) => sum + Math.max(0, ids.length - 1), 0);
  }

  /** Adds messages, which are submitted from now on. */
  add(count: number): void {
    for (let i = 0; i < count; i += 1) {
      const client = this.#newClient(newIntent(this.#harness.history, this.#prng));
      this.#clients.push(client);
      this.#waiting.push(client);
    }
    while (this.#running < WIDTH && this.#waiting.length > 0) {
      this.#running += 1;
      void this.#work();
    }
  }

  /** Resolves with true when each message was accepted or given up by its client, and with false after `limitMs`. */
  async finished(limitMs: number): Promise<boolean> {
    const idle = new Promise<boolean>((resolve) => {
      this.#onIdle = () => resolve(true);
      if (this.#running === 0) resolve(true);
    });
    return Promise.race([idle, delay(limitMs, false, { ref: false })]);
  }

  /** Submits nothing more. */
  abort(): void {
    this.#aborted.abort();
    this.#waiting.length = 0;
  }

  /** What clients have seen that must never happen. */
  violations(): string[] {
    return this.#clients.flatMap(({ message, ids, rejections }) => [
      ...rejections.map((reply) => `${message.subject} was rejected: ${reply}`),
      ...violationUnless(new Set(ids).size <= 1, `two ids for one message: ${message.subject} is ${ids.join(" and ")}`),
    ]);
  }

  /** Messages that were submitted without success, and those that are stored although no final dot was sent. */
  lostOrInvented(subjects: ReadonlySet<string>): string[] {
    return this.#clients.flatMap(({ message: { subject }, plan, ids }) => [
      ...violationUnless(plan.isAbandoned || ids.length > 0, `never accepted: ${subject}`),
      ...violationUnless(
        !plan.isAbandoned || plan.cuts.some(isAfterDot) || !subjects.has(subject),
        `accepted without its final dot: ${subject}`,
      ),
    ]);
  }

  async #work(): Promise<void> {
    for (let client = this.#waiting.shift(); client !== undefined; client = this.#waiting.shift()) await client.run();
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle();
  }

  #newClient(intent: Intent): CutClient {
    const { number, recipients } = intent;
    const message = drawMessage(this.#prng, {
      number,
      subject: `Intent ${number}`,
      recipients,
      sender: `hello@${SENDER}`,
    });
    return new CutClient(message, drawPlan(this.#prng), {
      connect: (_attempt, onAccepted) => this.#connect(intent, onAccepted),
      count: (name) => this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1),
      retryAfterMs: RETRY_AFTER_MS,
      signal: this.#aborted.signal,
    });
  }

  #connect(intent: Intent, onAccepted: (id: string) => void): Promise<SubmissionConnection> {
    const { history, apiKey: key } = this.#harness;
    intent.attempts += 1;
    return SubmissionConnection.open({
      host: HOST,
      port: this.#port,
      key,
      onAccepted: (id) => {
        intent.isAccepted = true;
        history.acceptedSends.push({ intent: intent.number, id });
        onAccepted(id);
      },
    });
  }
}

/** Each message has a key, because the service makes one where its client sends none. */
function newIntent(history: History, prng: Prng): Intent {
  const number = history.intents.length;
  const recipients = Array.from({ length: prng.integer(1, 3) }, (_, i) => {
    return `u${number}-${i}@${DOMAINS[prng.integer(0, DOMAINS.length - 1)]}`;
  });
  const intent: Intent = {
    number,
    key: `order-${number}`,
    recipients,
    text: "",
    expiresInS: null,
    isAccepted: false,
    attempts: 0,
  };
  history.intents.push(intent);
  return intent;
}

/**
 * Sends SIGKILL to the service and to the receiver of its webhooks at random times, repeatedly on one spool, while
 * messages are sent and the receiver responds with errors, late, or not at all. At the end, with a healthy receiver,
 * compares its records with the outbox. One kill of either process is a round.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Prng } from "../simulate/prng.ts";
import { cli } from "./cli.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import type { RunningService } from "./service-process.ts";
import {
  type Comparison,
  checkOutbox,
  compareEndpoint,
  type Disturbances,
  type EndpointUnderTest,
  type GivenUp,
  readGivenUp,
  readStoredWebhooks,
  type Span,
} from "./webhook-comparison.ts";

/** Kills on the same spool. */
const KILLS_PER_HARNESS = 100;
const LIFE_MS = [150, 800] as const;
const START_KILL_DELAY_MS = [50, 1500] as const;
const KILL_IN_START_PROBABILITY = 0.1;
const MESSAGES_PER_BATCH = 6;
const WIDTH = 6;
const BATCH_PAUSE_MS = 200;
/** An operator makes waiting retries due, in a round. */
const RESUME_PROBABILITY = 0.05;
/** The service looks for changes by other processes once a second. */
const CHANGE_SEEN_MS = 3000;
const END_LIMIT_MS = 180_000;
const RESUME_INTERVAL_MS = 10_000;

const RATES = { peer_cuts: 0.01, peer_defers: 0.1, peer_refuses: 0.04 };
const ENDPOINTS: readonly EndpointUnderTest[] = [
  { path: "/all", types: null },
  { path: "/results", types: ["recipient.delivered", "recipient.failed", "recipient.unknown"] },
];

export const webhooks: Scenario = { name: "webhooks", run };

interface Totals extends Omit<Comparison, "violations"> {
  serviceKills: number;
  receiverKills: number;
  accepted: number;
  events: number;
  givenUp: number;
}

async function run({ prng, rounds, print }: ScenarioOptions): Promise<ScenarioResult> {
  const totals: Totals = {
    serviceKills: 0,
    receiverKills: 0,
    accepted: 0,
    events: 0,
    givenUp: 0,
    requests: 0,
    repeats: 0,
    repeatsAfterKill: 0,
    repeatsAfterChange: 0,
    mostAtOnce: 0,
  };
  const violations: string[] = [];
  for (let left = rounds; left > 0 && violations.length === 0; left -= KILLS_PER_HARNESS) {
    const harness = await Harness.create({ prng, rates: RATES, env: { WEBHOOK_ALLOW_PRIVATE: "true" } });
    const torture = new WebhookTorture(harness, prng, totals);
    try {
      violations.push(...(await torture.run(Math.min(left, KILLS_PER_HARNESS))));
      print(`  ${describe(totals)}`);
    } finally {
      await torture.close();
    }
  }
  return { figures: describe(totals), violations };
}

function describe({ serviceKills, receiverKills, accepted, events, givenUp, requests, ...repeats }: Totals): string {
  const { repeatsAfterKill, mostAtOnce, repeatsAfterChange } = repeats;
  return [
    `${serviceKills} kills of the service and ${receiverKills} of the receiver`,
    `${accepted} messages accepted, ${events} events`,
    `${givenUp} given up after ten attempts and asked for again`,
    `${requests} webhooks received, ${repeats.repeats} of them repeats: ${repeatsAfterKill} of received events after a kill and ${repeatsAfterChange} after a change of the endpoint, at most ${mostAtOnce} at once`,
  ].join(", ");
}

class WebhookTorture {
  readonly #harness: Harness;
  readonly #prng: Prng;
  readonly #totals: Totals;
  readonly #receiver: ReceiverProcess;
  readonly #disturbances: Disturbances = { kills: [], changes: [] };
  readonly #endpointIds: string[] = [];
  /** By endpoint and event. */
  readonly #givenUp = new Map<string, GivenUp>();
  #service: RunningService | null = null;
  #isSending = true;

  constructor(harness: Harness, prng: Prng, totals: Totals) {
    this.#harness = harness;
    this.#prng = prng;
    this.#totals = totals;
    this.#receiver = new ReceiverProcess(harness.dir, prng);
  }

  async run(kills: number): Promise<string[]> {
    await this.#createEndpoints();
    await this.#receiver.start();
    this.#service = await this.#harness.startOrFail();
    const sending = this.#sendMessages();
    for (let i = 0; i < kills; i += 1) {
      await delay(this.#prng.integer(...LIFE_MS));
      if (this.#prng.chance(RESUME_PROBABILITY)) await this.#resumeEndpoints();
      await (this.#prng.chance(0.5) ? this.#killService() : this.#killReceiver());
      this.#noteGivenUp();
    }
    this.#isSending = false;
    await sending;
    const violations = await this.#finish();
    return [...violations, ...this.#compare()];
  }

  async close(): Promise<void> {
    this.#isSending = false;
    await this.#receiver.kill();
    await this.#harness.close();
  }

  /** The receiver's first process only chooses its port. */
  async #createEndpoints(): Promise<void> {
    await this.#receiver.start();
    await this.#receiver.kill();
    for (const { path, types } of ENDPOINTS) {
      const filter = types === null ? [] : ["--events", types.join()];
      const output = await cli(this.#harness, ["webhooks", "create", this.#receiver.url + path, ...filter, "--json"]);
      const { id, secret } = JSON.parse(output) as { id: string; secret: string };
      this.#endpointIds.push(id);
      this.#receiver.secrets[path] = secret;
    }
  }

  async #sendMessages(): Promise<void> {
    const { history } = this.#harness;
    while (this.#isSending) {
      newIntents(history, this.#prng, MESSAGES_PER_BATCH);
      await this.#send();
      await delay(BATCH_PAUSE_MS);
    }
  }

  /** Sends what has no response yet, to the process that runs now. */
  async #send(): Promise<void> {
    const { url } = this.#service ?? {};
    const { history } = this.#harness;
    if (url === undefined) return;
    await send({ harness: this.#harness, prng: this.#prng, url, intents: unsent(history), width: WIDTH });
  }

  async #killService(): Promise<void> {
    await this.#service?.kill("SIGKILL");
    const kills = [this.#killed()];
    if (this.#prng.chance(KILL_IN_START_PROBABILITY)) {
      await this.#harness.killStart(this.#prng.logUniform(START_KILL_DELAY_MS));
      kills.push(this.#killed());
    }
    this.#service = await this.#harness.startOrFail();
    for (const kill of kills) kill.toMs = Date.now();
  }

  #killed(): Span {
    const kill = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.#disturbances.kills.push(kill);
    this.#totals.serviceKills += 1;
    return kill;
  }

  async #killReceiver(): Promise<void> {
    await this.#receiver.kill();
    this.#totals.receiverKills += 1;
    await this.#receiver.start();
  }

  async #resumeEndpoints(): Promise<void> {
    const fromMs = Date.now();
    for (const id of this.#endpointIds) await cli(this.#harness, ["webhooks", "resume", id]);
    this.#disturbances.changes.push({ fromMs, toMs: Date.now() + CHANGE_SEEN_MS });
  }

  /** With a healthy receiver and healthy exchangers, sends the rest, and waits until no event waits. */
  async #finish(): Promise<string[]> {
    const harness = this.#harness;
    await this.#receiver.kill();
    await this.#receiver.start({ isHealthy: true });
    harness.stopFaults();
    while (unsent(harness.history).length > 0) {
      await this.#send();
      await delay(BATCH_PAUSE_MS);
    }
    const isDrained = await harness.waitUntilDrained();
    const isSent = (await this.#waitUntilSent()) && (await this.#replayGivenUp());
    await this.#service?.kill("SIGTERM");
    return [
      ...violationUnless(isDrained, "accepted messages were not delivered"),
      ...violationUnless(isSent, `events still wait: ${JSON.stringify(await this.#waiting())}`),
      ...(await harness.checkInvariants({ expectEnd: true })),
    ];
  }

  async #waitUntilSent(): Promise<boolean> {
    const giveUpMs = Date.now() + END_LIMIT_MS;
    let resumedAtMs = 0;
    for (;;) {
      const waiting = await this.#waiting();
      if (waiting.every(({ retries, events }) => retries + events === 0)) return true;
      if (Date.now() > giveUpMs) return false;
      if (Date.now() - resumedAtMs > RESUME_INTERVAL_MS) {
        await this.#resumeEndpoints();
        resumedAtMs = Date.now();
      }
      await delay(500);
    }
  }

  #noteGivenUp(): void {
    for (const event of this.#harness.read(readGivenUp)) {
      this.#givenUp.set(`${event.endpointId} ${event.eventId}`, event);
    }
  }

  /** Recoveries and resumes make retries due early, so an event may use up its attempts. A person asks for it again. */
  async #replayGivenUp(): Promise<boolean> {
    this.#noteGivenUp();
    if (this.#givenUp.size === 0) return true;
    const fromMs = Date.now();
    await this.#harness.withSpool(async (spool) => {
      for (const { endpointId, eventNumber } of this.#givenUp.values()) {
        const change = { type: "replay_one", eventNumber, atMs: Date.now() } as const;
        await spool.changeEndpoint({ accountId: "acc_default", endpointId, change });
      }
    });
    this.#disturbances.changes.push({ fromMs, toMs: Date.now() + CHANGE_SEEN_MS });
    return this.#waitUntilSent();
  }

  async #waiting(): Promise<{ retries: number; events: number }[]> {
    const waiting: { retries: number; events: number }[] = [];
    await this.#harness.withSpool(async (spool) => {
      for (const id of this.#endpointIds) waiting.push(await spool.waitingAt(id));
    });
    return waiting;
  }

  #compare(): string[] {
    const { acceptedSends } = this.#harness.history;
    const stored = this.#harness.read(readStoredWebhooks);
    const records = this.#receiver.records();
    const givenUp = [...this.#givenUp.values()];
    const comparisons = ENDPOINTS.map((endpoint, i) => {
      const ofEndpoint = givenUp.filter(({ endpointId }) => endpointId === this.#endpointIds[i]);
      const observed = { records, disturbances: this.#disturbances, givenUp: ofEndpoint };
      return compareEndpoint(endpoint, stored.events, observed);
    });
    const totals = this.#totals;
    totals.accepted += acceptedSends.length;
    totals.events += stored.events.length;
    totals.givenUp += givenUp.length;
    for (const comparison of comparisons) {
      totals.requests += comparison.requests;
      totals.repeats += comparison.repeats;
      totals.repeatsAfterKill += comparison.repeatsAfterKill;
      totals.repeatsAfterChange += comparison.repeatsAfterChange;
      totals.mostAtOnce = Math.max(totals.mostAtOnce, comparison.mostAtOnce);
    }
    const acceptedIds = acceptedSends.map(({ id }) => id);
    return [...checkOutbox(stored, acceptedIds), ...comparisons.flatMap(({ violations }) => violations)];
  }
}

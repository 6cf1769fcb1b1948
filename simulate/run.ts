/**
 * One run of the simulator: draws a configuration from the seed, injects faults for a while, then lets the service
 * recover until every recipient has a final result, and checks the invariants.
 */
import type { Database } from "better-sqlite3";
import type { Stopped } from "../src/service/delivery-parts.ts";
import { startClients } from "./clients.ts";
import { type Damaged, damageRow } from "./damage.ts";
import { Disk } from "./disk.ts";
import { createResolver, Zone } from "./dns.ts";
import { EndpointOperator } from "./endpoint-operator.ts";
import { drawRates, FaultInjector, type Occurrence } from "./fault-injector.ts";
import { type Focus, focusOf } from "./focus.ts";
import { History } from "./history.ts";
import { type ApiRequest, type ApiResponse, sendRequest } from "./http-transport.ts";
import { Incarnation } from "./incarnation.ts";
import type { InitialSpool } from "./initial-spool.ts";
import { checkInvariants } from "./invariants.ts";
import { hasLimitedReceivers, LIMITED_FAULTS_MS, LimitedReceivers, receiverOfDomain } from "./limited-receivers.ts";
import { createNetwork, type NetworkOptions } from "./network.ts";
import { actAsOperator, resumeAll } from "./operator.ts";
import { losesOwnRecords, OWN_RECORDS_FAULTS_MS, OwnRecords, type RecordsStage } from "./own-records.ts";
import { Peer, type PeerOptions } from "./peers.ts";
import { type AttemptLine, type RunningService, type Settings, startPostrider } from "./postrider.ts";
import { Prng } from "./prng.ts";
import { Receiver } from "./receiver.ts";
import { Reporters } from "./reporters.ts";
import { drawSettings, hasOverload, LONG_PROBABILITY, LONG_SKEW_MS, settingsOf } from "./run-settings.ts";
import { hasSlowHosts, runSlowHosts } from "./slow-hosts.ts";
import { openSimulatedSpool } from "./spool.ts";
import { VirtualTime } from "./virtual-time.ts";
import { hasWarmUp, warmUpIsRespected } from "./warm-up.ts";
import { ENDPOINTS_BEHIND, recordEndpoints } from "./webhook-invariants.ts";
import { createWebhookPoster } from "./webhook-poster.ts";

/** Of random numbers that leave the other draws of a seed as they are. */
const REPORTERS_SEED = 0x2f6e2b1;
const OVERLOAD_SEED = 0x5b1d0e3;
const OWN_RECORDS_SEED = 0x17c3a95;
const LIMITED_SEED = 0x3e8f6d7;
const START_TIME_MS = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * Idempotency records outlive every clock step of this size. A step is longer than the recovery phase, so a timer
 * that waits for the former wall-clock time never fires.
 */
const SKEW_MAX_MS = 8 * HOUR_MS;
/**
 * The length of the recovery phase: a dead host's pause, an attempt's hour, the ten minutes for a final dot, and some
 * retry gaps and pauses.
 */
const RECOVERY_MS = 5 * HOUR_MS;
/** From here in the recovery phase, no effect of a fault remains, and no attempt has a reason to fail. */
const SETTLED_MS = 2.5 * HOUR_MS;
const HOSTS_DOWN_MS = [MINUTE_MS, HOUR_MS] as const;
const LOAD_REFUSALS: readonly [LimitReply, ...LimitReply[]] = [
  { stage: "greeting", reply: "421 4.7.0 too many connections" },
  { stage: "greeting", reply: "554 5.7.1 poor reputation" },
  { stage: "mail", reply: "451 4.7.650 rate limited" },
  { stage: "mail", reply: "450 4.7.0 too many messages" },
  { stage: "mail", reply: "421 4.7.28 rate" },
];
/** An attempt asks the addresses of a domain one after another within this time. */
const ATTEMPT_MS = 1000;
const SUSPEND_MS = [MINUTE_MS, HOUR_MS] as const;
/** Until the clock is trusted again, and some retention passes. */
const RETENTION_MS = HOUR_MS + 5 * MINUTE_MS;
const RETENTION_PASSES_MS = 3 * MINUTE_MS;
/** Both clocks show whole milliseconds. */
const ROUNDING_MS = 3;
const LIMITED_MS = [2 * MINUTE_MS, 40 * MINUTE_MS] as const;
const ADDRESSLESS_MS = [MINUTE_MS, 20 * MINUTE_MS] as const;
const RECEIVER_DOWN_MS = [MINUTE_MS, 2 * HOUR_MS] as const;
/** How many webhook endpoints a run has. */
const ENDPOINTS = [0, 1, 1, 2] as const;
const RESTART_DELAY_MS = [50, 10 * MINUTE_MS] as const;
const KILL_INTERVAL_EFFECTS = [10, 600] as const;
/** How long a stopping service waits for replies to final dots. */
const REPLY_WAITS_MS = [0, 2000, 60_000, 10 * MINUTE_MS] as const;
export interface Outcome {
  seed: number;
  violations: string[];
  /** A digest of every effect and its time: equal for equal seeds and code. */
  digest: number;
  counts: { incarnations: number; effects: number; messages: number; deliveries: number; unknown: number };
  /** How often each fault and each occurrence happened. */
  tally: Record<string, number>;
}

export interface RunOptions {
  initialSpool: InitialSpool;
  /** Prints each effect and reply, to investigate a failing seed. */
  trace?: (line: string) => void;
}

/** Runs a seed. Never rejects: errors are reported as violations. */
export async function runSeed(seed: number, options: RunOptions): Promise<Outcome> {
  if (hasSlowHosts(seed)) return runSlowHosts(seed, options.initialSpool);
  const world = new Simulation(seed, options);
  const onRejection = (error: unknown): void => world.recordViolation(`unhandled rejection: ${String(error)}`);
  process.on("unhandledRejection", onRejection);
  try {
    return await world.run();
  } finally {
    process.off("unhandledRejection", onRejection);
    world.close();
  }
}

/** The only reply of a host that rejects everything for load. */
interface LimitReply {
  stage: "greeting" | "mail";
  reply: string;
}

class Simulation {
  readonly #seed: number;
  readonly #options: RunOptions;
  readonly #prng: Prng;
  readonly #time = new VirtualTime(START_TIME_MS);
  readonly #faults: FaultInjector;
  readonly #history = new History();
  readonly #disk: Disk;
  readonly #zone: Zone;
  readonly #receiver: Receiver;
  readonly #settings: Settings;
  readonly #reporters: Reporters;
  /** What receivers refuse us for, in runs in which nothing else fails; null in others. */
  readonly #refusals: OwnRecords | LimitedReceivers | null;
  #incarnation: Incarnation | null = null;
  #running: RunningService | null = null;
  #db: Database | null = null;
  readonly #hasLongSchedule: boolean;
  #skewMs = 0;
  #digest = 0x811c9dc5;
  #incarnations = 0;
  #effects = 0;
  #connections = 0;
  /** The mean number of effects between two kills; 0 disables kills. */
  #killEvery: number;
  #faultsUntilMs: number;
  #nextCheckMs = 0;
  readonly #damaged: Damaged[] = [];
  /** Null if any faults occur. */
  readonly #focus: Focus | null;
  readonly #isRepaired: boolean;
  /** By the operator who repairs the damage. */
  readonly #isReleased: boolean;
  /** When the wall clock was last set or the process last suspended. */
  #clockChangedMs = 0;
  /** The domains that currently reject everything for load, with the number of the period. */
  readonly #limits = new Map<string, { period: number; refusal: LimitReply }>();
  #periods = 0;

  constructor(seed: number, options: RunOptions) {
    this.#seed = seed;
    this.#options = options;
    const prng = new Prng(seed);
    this.#prng = prng;
    const rates = drawRates(prng);
    this.#focus = focusOf(seed);
    this.#faults = new FaultInjector(prng, this.#focus?.rates ?? rates);
    const killEvery = prng.chance(0.8) ? prng.logUniform(KILL_INTERVAL_EFFECTS) : 0;
    // A process that is killed every few seconds forgets what it knows of the load, and sends little.
    this.#killEvery = hasOverload(seed) || this.#focus?.hasKills === false ? 0 : killEvery;
    this.#zone = hasLimitedReceivers(seed) ? new Zone(prng, receiverOfDomain) : new Zone(prng);
    const faultsMs = prng.integer(5, 60) * MINUTE_MS;
    this.#faultsUntilMs =
      START_TIME_MS +
      (losesOwnRecords(seed) ? OWN_RECORDS_FAULTS_MS : hasLimitedReceivers(seed) ? LIMITED_FAULTS_MS : faultsMs);
    this.#isRepaired = prng.chance(0.6);
    this.#isReleased = prng.chance(0.5);
    const shared = { time: this.#time, prng, faults: this.#faults };
    this.#disk = new Disk({ ...shared, file: this.#drawEndpoints() });
    this.#receiver = new Receiver({ ...shared, history: this.#history, trace: this.#trace });
    const isLimited = losesOwnRecords(seed) || hasLimitedReceivers(seed) || hasWarmUp(seed);
    this.#hasLongSchedule = prng.chance(LONG_PROBABILITY) && !isLimited;
    if (this.#hasLongSchedule) this.#skewMs = LONG_SKEW_MS;
    const settings = drawSettings(prng, this.#hasLongSchedule);
    this.#settings = settingsOf(seed, settings, this.#hasLongSchedule);
    this.#refusals = this.#drawRefusals();
    this.#reporters = new Reporters(new Prng(seed ^ REPORTERS_SEED), this.#history);
  }

  #drawRefusals(): OwnRecords | LimitedReceivers | null {
    const [seed, history] = [this.#seed, this.#history];
    const elapsedMs = (): number => this.#time.nowMs - START_TIME_MS;
    if (hasLimitedReceivers(seed))
      return new LimitedReceivers({ prng: new Prng(seed ^ LIMITED_SEED), history, elapsedMs });
    return losesOwnRecords(seed)
      ? new OwnRecords({ prng: new Prng(seed ^ OWN_RECORDS_SEED), history, elapsedMs })
      : null;
  }

  recordViolation(violation: string): void {
    this.#history.violations.push(violation);
  }

  /** Returns a database file with as many endpoints. */
  #drawEndpoints(): Buffer {
    const { files, warmUpFiles, endpoints } = this.#options.initialSpool;
    const count = this.#prng.pick(ENDPOINTS);
    for (const { id, secret, types } of endpoints.slice(0, count)) {
      this.#history.secrets.set(id, new Set([secret]));
      this.#history.selections.set(id, [types]);
    }
    return (hasWarmUp(this.#seed) ? warmUpFiles : files)[count] as Buffer;
  }

  async run(): Promise<Outcome> {
    const { time, prng } = { time: this.#time, prng: this.#prng };
    this.#startService();
    const { tally } = this.#faults;
    const parts = { time, prng, tally, history: this.#history, apiKey: this.#options.initialSpool.apiKey };
    const send = (request: ApiRequest, settle: (reply: ApiResponse) => void): void => this.#send(request, settle);
    startClients({ ...parts, send }, [...this.#zone.domains.keys()], (this.#faultsUntilMs - START_TIME_MS) * 0.7);
    if (hasOverload(this.#seed)) this.#overload(new Prng(this.#seed ^ OVERLOAD_SEED));
    this.#scheduleEvents();
    await time.advance(this.#faultsUntilMs, () => false);
    this.#beginRecovery();
    await time.advance(this.#faultsUntilMs + RECOVERY_MS, () => this.#isOver());
    if (this.#settings.contentsMs === 0) await time.advance(time.nowMs + RETENTION_MS, () => false);
    return this.#conclude();
  }

  close(): void {
    this.#disk.close();
  }

  #startService(): void {
    this.#incarnations += 1;
    const killEvery = this.#killEvery;
    const onEffect = (name: string): void => this.#recordEffect(name);
    const onKill = (name: string): void => this.#faults.tally.add(`killed_at_${name}` as Occurrence);
    const shape = { skewMs: () => this.#skewMs, killEvery, onEffect, onKill };
    const incarnation = new Incarnation({ time: this.#time, prng: this.#prng, ...shape });
    this.#incarnation = incarnation;
    incarnation.onDeath(() => this.#handleDeath(incarnation));
    const fail = (error: Error): void => {
      if (!incarnation.isAlive) return;
      // A start that fails on a disk error prints one line and is repeated.
      if (error.name !== "SpoolUnavailable" && error.name !== "SqliteError")
        this.recordViolation(`broken internal invariant: ${error.stack}`);
      incarnation.kill();
    };
    try {
      const shared = { incarnation, prng: this.#prng, faults: this.#faults };
      const spool = openSimulatedSpool({ ...shared, disk: this.#disk, onFatal: fail });
      this.#db = this.#disk.current;
      if (this.#db !== null) recordEndpoints(this.#db, this.#history, this.#incarnations);
      const resolver = createResolver({ ...shared, zone: this.#zone, history: this.#history });
      const connect = createNetwork(incarnation, this.#networkOptions());
      const onStopped = (stopped: Stopped): void => this.#checkStopped(incarnation, stopped);
      const onAttempt = (line: AttemptLine): void => this.#checkAttempt(line, incarnation);
      const events = { onFatal: fail, onStopped, onAttempt };
      const { tally } = this.#faults;
      const poster = createWebhookPoster({ incarnation, number: this.#incarnations, receiver: this.#receiver, tally });
      const outside = { resolver, connect, poster };
      const starting = startPostrider({
        ...shared,
        ...events,
        ...outside,
        spool,
        settings: this.#settings,
        hasReturnedMail: this.#reporters.areActive,
      });
      starting.then((running) => {
        if (incarnation.isAlive) this.#running = running;
      }, fail);
    } catch (error) {
      fail(error as Error);
    }
  }

  #handleDeath(incarnation: Incarnation): void {
    if (this.#incarnation !== incarnation) return;
    this.#recordEffect("death");
    this.#incarnation = null;
    this.#running = null;
    this.#time.after(this.#prng.logUniform(RESTART_DELAY_MS), () => this.#startService());
  }

  #networkOptions(): NetworkOptions {
    const parts = { time: this.#time, prng: this.#prng, faults: this.#faults };
    return {
      ...parts,
      accept: (address, end) => {
        if (this.#zone.isDown(address, this.#time.nowMs)) return null;
        this.#connections += 1;
        const loadRefusal: PeerOptions["loadRefusal"] = (stage) =>
          this.#loadRefusal(this.#zone.domainOf(address), stage);
        const ownRecordsRefusal = (stage: RecordsStage): string | null =>
          this.#ownRecordsRefusal(this.#zone.domainOf(address), stage);
        const refusals = { loadRefusal, ownRecordsRefusal };
        const conversation = { history: this.#history, number: this.#connections, trace: this.#trace, ...refusals };
        if (this.#zone.isPeer(address)) return new Peer(end, { ...parts, ...conversation });
        if (!address.startsWith("11.")) this.recordViolation(`connected to forbidden address ${address}`);
        return null;
      },
    };
  }

  #send(request: ApiRequest, settle: (reply: ApiResponse) => void): void {
    const [incarnation, running] = [this.#incarnation, this.#running];
    const parts = { time: this.#time, prng: this.#prng, faults: this.#faults };
    if (incarnation === null || running === null) settle({ type: "cut" });
    else sendRequest(request, { ...parts, incarnation, handler: running.handler, settle });
  }

  /** Schedules the events that the service does not cause: operators, stops, clock steps, a full disk. */
  #scheduleEvents(): void {
    if (this.#time.nowMs >= this.#faultsUntilMs) return;
    this.#time.after(MINUTE_MS, () => {
      this.#injectEvents();
      this.#scheduleEvents();
    });
  }

  #injectEvents(): void {
    const [prng, faults] = [this.#prng, this.#faults];
    if (faults.occurs("clock_jumps")) {
      const mostMs = this.#hasLongSchedule ? LONG_SKEW_MS : SKEW_MAX_MS;
      this.#setClock(Math.floor(-SKEW_MAX_MS + prng.next() * (mostMs + SKEW_MAX_MS)));
    }
    if (this.#incarnation?.isSuspended === true) return;
    if (faults.occurs("host_suspends")) {
      const suspendMs = prng.logUniform(SUSPEND_MS);
      this.#incarnation?.suspend(suspendMs);
      this.#clockChangedMs = this.#time.nowMs + suspendMs;
      return;
    }
    this.#reportBack();
    if (faults.occurs("mx_moves")) this.#zone.moveHosts();
    if (faults.occurs("hosts_down")) this.#zone.takeDown(this.#time.nowMs + prng.logUniform(HOSTS_DOWN_MS));
    if (faults.occurs("disk_full")) {
      this.#disk.fill();
      this.#time.after(prng.logUniform([1000, 10 * MINUTE_MS]), () => this.#disk.freeSpace());
    }
    if (faults.occurs("operator_acts")) this.#actAsOperator();
    if (faults.occurs("receiver_down")) this.#receiver.takeDown(this.#time.nowMs + prng.logUniform(RECEIVER_DOWN_MS));
    if (faults.occurs("endpoint_changed")) this.#changeEndpoint();
    if (faults.occurs("stops")) this.#stop();
    if (faults.occurs("row_damaged")) this.#damageRow();
    if (faults.occurs("host_limits")) this.#startRateLimit(this.#zone.anyDomain());
    if (faults.occurs("addressless_exchangers"))
      this.#time.after(prng.logUniform(ADDRESSLESS_MS), this.#zone.addAddresslessHosts());
  }

  #reportBack(): void {
    const [service, incarnation, db] = [this.#running, this.#incarnation, this.#db];
    if (service === null || incarnation === null || db === null || db.inTransaction) return;
    this.#reporters.act({ spool: service.spool, db, nowMs: incarnation.clock.now() });
  }

  #damageRow(): void {
    // The memory of a dying process is not what the next one reads.
    const db = this.#incarnation === null ? null : this.#db;
    const damaged = db === null ? null : damageRow(db, this.#prng, this.#focus?.damaged ?? null);
    if (damaged === null) return;
    this.#recordEffect(`row damaged of ${damaged.seq}`);
    this.#damaged.push(damaged);
    if (!this.#history.damaged.has(damaged.seq)) this.#history.damaged.set(damaged.seq, damaged);
  }

  /**
   * Simulates an operator who restores the damaged values, the newest damage first. The operator or the service releases the
   * quarantined messages. Some runs have no such operator.
   */
  #repairAll(): void {
    if (!this.#isRepaired || this.#db === null || this.#running === null || this.#db.inTransaction) return;
    for (const damaged of this.#damaged.splice(0).reverse()) damaged.repair(this.#db);
    if (!this.#isReleased) return;
    const { spool } = this.#running;
    const ids = this.#db
      .prepare<[], string>("SELECT m.id FROM quarantined q JOIN messages m USING (seq)")
      .pluck()
      .all();
    const nowMs = this.#incarnation?.clock.now() ?? 0;
    const released = (): void => this.#faults.tally.add("released_from_quarantine");
    for (const messageId of ids) {
      spool.retry({ accountId: "acc_default", messageId, nowMs }).then(released, () => {});
    }
  }

  #setClock(skewMs: number): void {
    this.#skewMs = skewMs;
    this.#clockChangedMs = Math.max(this.#clockChangedMs, this.#time.nowMs);
  }

  #startRateLimit(domain: string): void {
    if (this.#limits.has(domain)) return;
    this.#limit(domain, this.#prng);
    this.#time.after(this.#prng.logUniform(LIMITED_MS), () => this.#limits.delete(domain));
  }

  /** One domain rejects everything for load until the recovery phase. */
  #overload(prng: Prng): void {
    const [first, ...others] = [...this.#zone.domains.keys()];
    if (first !== undefined) this.#limit(prng.pick([first, ...others]), prng);
  }

  #limit(domain: string, prng: Prng): void {
    this.#periods += 1;
    this.#limits.set(domain, { period: this.#periods, refusal: prng.pick(LOAD_REFUSALS) });
  }

  #loadRefusal(domain: string, stage: LimitReply["stage"]): string | null {
    const limit = this.#limits.get(domain);
    if (limit?.refusal.stage !== stage) return null;
    const { period, refusal } = limit;
    this.#history.loadRefusals.push({ domain, period, incarnation: this.#incarnations, atMs: this.#time.nowMs });
    return refusal.reply;
  }

  #ownRecordsRefusal(domain: string, stage: RecordsStage): string | null {
    const refusal = this.#refusals?.refusal(domain, stage) ?? null;
    if (this.#refusals === null || refusal === null) return null;
    this.#faults.tally.add(this.#refusals.occurrence);
    const { loadRefusals } = this.#history;
    const atMs = this.#time.nowMs;
    const last = loadRefusals.findLast((each) => each.domain === domain);
    // Those of one attempt, for its recipients and at its addresses, are one refusal.
    if (last === undefined || atMs - last.atMs >= ATTEMPT_MS)
      loadRefusals.push({ domain, period: 0, incarnation: this.#incarnations, atMs });
    return refusal;
  }

  #stop(): void {
    const [incarnation, running] = [this.#incarnation, this.#running];
    if (incarnation === null || running === null) return;
    this.#running = null;
    running.stop(this.#prng.pick(REPLY_WAITS_MS)).then(
      () => incarnation.kill(),
      (error) => this.recordViolation(`stop failed: ${String(error)}`),
    );
  }

  /** After a stop that stored all results, no recipient is left marked for the next start. */
  #checkStopped(incarnation: Incarnation, { attemptsNotStored, recipientsAtFinalDot }: Stopped): void {
    if (!incarnation.isAlive) return;
    if (recipientsAtFinalDot > 0) this.#faults.tally.add("stopped_before_final_reply");
    const marked = this.#queryValue<number>("SELECT count(*) FROM work WHERE mark IS NOT NULL");
    if (attemptsNotStored === 0 && marked !== 0) this.recordViolation(`a stop left ${marked} recipients marked`);
  }

  #actAsOperator(): void {
    const [service, incarnation, db] = [this.#running, this.#incarnation, this.#db];
    if (service === null || incarnation === null || db === null) return;
    actAsOperator({ prng: this.#prng, zone: this.#zone, spool: service.spool, db, nowMs: incarnation.clock.now() });
  }

  #changeEndpoint(): void {
    const action = this.#endpointOperator()?.act(this.#prng) ?? null;
    if (action === null) return;
    this.#trace(`endpoint_${action}`);
    this.#faults.tally.add(`endpoint_${action}`);
  }

  /** Null if the service does not run. */
  #endpointOperator(): EndpointOperator | null {
    const [service, incarnation, db] = [this.#running, this.#incarnation, this.#db];
    if (service === null || incarnation === null || db === null) return null;
    const { spool } = service;
    return new EndpointOperator({ incarnation, number: this.#incarnations, spool, db, history: this.#history });
  }

  #beginRecovery(): void {
    this.#recordEffect("recovery phase");
    this.#faults.stop();
    this.#reporters.end();
    this.#limits.clear();
    this.#killEvery = 0;
    this.#incarnation?.stopKilling();
    this.#disk.freeSpace();
    this.#zone.bringAllUp();
    this.#receiver.bringUp();
    // Mail that waits for the next day of a warm-up expires then.
    const isSetLater = this.#hasLongSchedule || hasWarmUp(this.#seed);
    if (isSetLater) this.#time.after(SETTLED_MS, () => this.#setClock(SKEW_MAX_MS));
    // Not before the clock keeps its final setting and the last action of the operator is on disk.
    this.#nextCheckMs = this.#time.nowMs + (isSetLater ? SETTLED_MS : 0) + MINUTE_MS;
    this.#scheduleRepairs();
  }

  /** Resumes paused domains and endpoints with events that wait for long, and repairs damage, once the service runs. */
  #scheduleRepairs(): void {
    this.#time.after(MINUTE_MS, () => {
      if (this.#running !== null && (this.#queryValue<number>("SELECT count(*) FROM paused_domains") ?? 0) > 0)
        resumeAll(this.#running.spool, this.#zone);
      this.#endpointOperator()?.resumeWaiting();
      this.#repairAll();
      this.#reportBack();
      this.#scheduleRepairs();
    });
  }

  /** Reports an attempt that began after the message's deadline, or that failed although no fault remains. */
  #checkAttempt({ messageId, attempt, durationMs, outcome, reason }: AttemptLine, incarnation: Incarnation): void {
    if (attempt === undefined || !incarnation.isAlive) return;
    const beganMs = this.#time.nowMs - durationMs;
    if (outcome === "deferred" && beganMs > this.#faultsUntilMs + SETTLED_MS && !hasWarmUp(this.#seed))
      this.recordViolation(`deferred without a fault: ${messageId} (${reason})`);
    const wasSet = this.#clockChangedMs >= beganMs - ROUNDING_MS;
    const deadlineMs = wasSet ? undefined : this.#deadlineOf(messageId);
    if (deadlineMs !== undefined && incarnation.clock.now() - durationMs > deadlineMs + ROUNDING_MS)
      this.recordViolation(`attempt after the deadline: ${messageId}`);
  }

  #deadlineOf(messageId: string): number | undefined {
    const sql = "SELECT deadline_ms FROM messages WHERE id = ?";
    return this.#db?.prepare<[string], number | null>(sql).pluck().get(messageId) ?? undefined;
  }

  #isOver(): boolean {
    if (this.#running === null || this.#incarnation?.isSuspended !== false || this.#time.nowMs < this.#nextCheckMs)
      return false;
    this.#nextCheckMs = this.#time.nowMs + MINUTE_MS;
    if (this.#history.intents.some((intent) => intent.key !== null && !intent.isAccepted)) return false;
    const quarantined = this.#queryValue<number>("SELECT count(*) FROM quarantined") ?? 0;
    if (this.#isRepaired && quarantined + this.#damaged.length > 0) return false;
    if ((this.#queryValue<number>(ENDPOINTS_BEHIND) ?? 0) > 0) return false;
    if (this.#hasReturnedMail()) return false;
    return this.#queryValue<number>("SELECT count(*) FROM work WHERE seq NOT IN (SELECT seq FROM quarantined)") === 0;
  }

  /** Whether mail waits to be stored, or applied. That about a damaged message waits for its repair. */
  #hasReturnedMail(): boolean {
    if (!this.#reporters.areActive || this.#history.damaged.size > 0) return false;
    const waiting = this.#queryValue<number>("SELECT count(*) FROM incoming") ?? 0;
    return waiting > 0 || this.#history.returned.some(({ isStored }) => !isStored);
  }

  #conclude(): Outcome {
    const { intents } = this.#history;
    for (const intent of intents) {
      if (intent.key !== null && !intent.isAccepted)
        this.recordViolation(`intent ${intent.number} was never accepted in ${intent.attempts} attempts`);
    }
    const db = this.#db;
    const clockMs = Math.floor(this.#time.nowMs) + this.#skewMs;
    const contentsDeletedBeforeMs = this.#settings.contentsMs === 0 ? clockMs - RETENTION_PASSES_MS : 0;
    const expected = { expectEnd: true, contentsDeletedBeforeMs };
    const quarantined = this.#queryValue<number>("SELECT count(*) FROM quarantined") ?? 0;
    if (this.#isRepaired && this.#damaged.length === 0 && quarantined > 0)
      this.recordViolation("a repaired message is still quarantined");
    const violations = db === null ? ["the service never started"] : checkInvariants(db, this.#history, expected);
    if (hasWarmUp(this.#seed)) violations.push(...warmUpIsRespected(this.#history));
    const counts = {
      incarnations: this.#incarnations,
      effects: this.#effects,
      messages: this.#queryValue<number>("SELECT count(*) FROM messages") ?? 0,
      deliveries: this.#history.deliveries.length,
      unknown: this.#queryValue<number>("SELECT count(*) FROM unknown_recipients WHERE result IS NULL") ?? 0,
    };
    const { tally } = this.#faults;
    tally.add("quarantined", quarantined);
    tally.add("accepted_without_reply", this.#history.deliveries.filter(({ isReplySent: isTold }) => !isTold).length);
    const seen = Object.fromEntries(tally.counts);
    return { seed: this.#seed, violations, digest: this.#digest >>> 0, counts, tally: seen };
  }

  #queryValue<T>(sql: string): T | undefined {
    return this.#db?.prepare<[], T>(sql).pluck().get() as T | undefined;
  }

  #trace = (line: string): void => {
    const atS = (this.#time.nowMs - START_TIME_MS) / 1000;
    this.#options.trace?.(`${atS.toFixed(3).padStart(12)} s  life ${this.#incarnations}  ${line}`);
  };

  #recordEffect(name: string): void {
    this.#effects += 1;
    const { nowMs } = this.#time;
    this.#trace(name);
    for (const value of [Math.floor(nowMs * 1000), name.length, name.charCodeAt(0)]) {
      this.#digest = Math.imul(this.#digest ^ (value % 2 ** 31), 0x01000193);
    }
  }
}

/**
 * One run: a world from one seed, trouble for a while, then fair weather until everything has ended, then the audit.
 */
import type { Database } from "better-sqlite3";
import type { Stopped } from "../src/app/wiring/delivery.ts";
import { audit } from "./audit.ts";
import { Books } from "./books.ts";
import { Chance } from "./chance.ts";
import { startClients } from "./clients.ts";
import { type Damaged, damageRow } from "./damage.ts";
import { Disk } from "./disk.ts";
import type { FirstFile } from "./first-file.ts";
import { type Call, call, type Reply } from "./front.ts";
import { Life } from "./life.ts";
import { resolverOn, Zone } from "./names.ts";
import { type NetworkParts, networkOf } from "./network.ts";
import { Peer } from "./peers.ts";
import { type AttemptLine, type Running, type Settings, startPostrider } from "./postrider.ts";
import { openSimulatedSpool } from "./spool.ts";
import { VirtualTime } from "./virtual-time.ts";
import { drawRates, type Turn, Weather } from "./weather.ts";

const START_MS = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * Within it idempotency records keep, however often the clock jumps; and a step is longer than fair weather, so that what
 * waits for the clock's former time never ends.
 */
const SKEW_MAX_MS = 8 * HOUR_MS;
/** What is given to fair weather: a host's sleep, an attempt's hour, the dot's ten minutes, and some gaps and pauses. */
const FAIR_MS = 5 * HOUR_MS;
/** From here on in fair weather nothing is left of the trouble: no attempt has a reason to fail. */
const SETTLED_MS = 2.5 * HOUR_MS;
const HOSTS_DOWN_MS = [MINUTE_MS, HOUR_MS] as const;
const SLEEP_MS = [MINUTE_MS, HOUR_MS] as const;
/** Until the clock is trusted again, and some passes of the retention. */
const RETENTION_MS = HOUR_MS + 5 * MINUTE_MS;
const PASSES_MS = 3 * MINUTE_MS;
/** Both clocks show whole milliseconds. */
const ROUNDING_MS = 3;
const LIMITED_MS = [2 * MINUTE_MS, 40 * MINUTE_MS] as const;
const HOLLOW_MS = [MINUTE_MS, 20 * MINUTE_MS] as const;
const DOWN_MS = [50, 10 * MINUTE_MS] as const;
const KILL_EVERY = [10, 600] as const;
/** For replies to final dots, when the service is stopped. */
const REPLY_WAITS_MS = [0, 2000, 60_000, 10 * MINUTE_MS] as const;
/**
 * Gaps longer than fair weather: once the last attempt of the trouble has ended, the clock is set from at least so much behind to
 * as far ahead as it may be, by which all that waits is due.
 */
const LONG_SCHEDULE = [30_000, 8 * HOUR_MS];
const LONG_AGE_MS = 24 * HOUR_MS;
const LONG_SKEW_MS = -2 * HOUR_MS;
const LONG = 0.2;
const SCHEDULES: [number[], ...number[][]] = [[5_000], [30_000, 120_000, 600_000], [1_000, 60_000]];

export interface Outcome {
  seed: number;
  violations: string[];
  /** The same for the same seed and code: a digest of every effect and its moment. */
  digest: number;
  counts: { lives: number; effects: number; messages: number; taken: number; unknown: number };
  /** How often each fault struck and each turn was seen. */
  tally: Record<string, number>;
}

export interface RunOptions {
  first: FirstFile;
  /** Every effect and answer in a line, for a person who follows a failing seed. */
  trace?: (line: string) => void;
}

/** Runs the world of a seed. Never rejects: what breaks is a violation. */
export async function runSeed(seed: number, options: RunOptions): Promise<Outcome> {
  const world = new World(seed, options);
  const onRejection = (error: unknown): void => world.note(`a promise was left to fail: ${String(error)}`);
  process.on("unhandledRejection", onRejection);
  try {
    return await world.run();
  } finally {
    process.off("unhandledRejection", onRejection);
    world.close();
  }
}

class World {
  readonly #seed: number;
  readonly #options: RunOptions;
  readonly #chance: Chance;
  readonly #time = new VirtualTime(START_MS);
  readonly #weather: Weather;
  readonly #books = new Books();
  readonly #disk: Disk;
  readonly #zone: Zone;
  readonly #settings: Settings;
  #life: Life | null = null;
  #running: Running | null = null;
  #db: Database | null = null;
  readonly #isLong: boolean;
  #skewMs = 0;
  #digest = 0x811c9dc5;
  #lives = 0;
  #effects = 0;
  #connections = 0;
  /** Effects between one kill and the next, on average; 0 for none. */
  #killEvery: number;
  #troubleUntilMs: number;
  #nextLookMs = 0;
  readonly #damaged: Damaged[] = [];
  readonly #isRepaired: boolean;
  /** By the operator who repairs it. */
  readonly #isReleased: boolean;
  /** When the wall clock was set or stood last, as seen by the process. */
  #clockSetMs = 0;
  /** The domains that refuse everything for the load, and which of such times it is. */
  readonly #limits = new Map<string, number>();
  #periods = 0;

  constructor(seed: number, options: RunOptions) {
    this.#seed = seed;
    this.#options = options;
    const chance = new Chance(seed);
    this.#chance = chance;
    this.#weather = new Weather(chance, drawRates(chance));
    this.#killEvery = chance.hit(0.8) ? chance.spread(KILL_EVERY) : 0;
    this.#zone = new Zone(chance);
    this.#troubleUntilMs = START_MS + chance.whole(5, 60) * MINUTE_MS;
    this.#isRepaired = chance.hit(0.6);
    this.#isReleased = chance.hit(0.5);
    this.#disk = new Disk({ time: this.#time, chance, weather: this.#weather, file: options.first.file });
    this.#isLong = chance.hit(LONG);
    if (this.#isLong) this.#skewMs = LONG_SKEW_MS;
    this.#settings = {
      retrySchedule: this.#isLong ? LONG_SCHEDULE : chance.pick(SCHEDULES),
      maxAgeMs: this.#isLong ? LONG_AGE_MS : chance.pick([10 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS]),
      contentsMs: chance.pick([0, 10 * MINUTE_MS, 7 * 24 * HOUR_MS]),
      unknownPolicy: chance.hit(0.8) ? "hold" : "retry",
    };
  }

  note(violation: string): void {
    this.#books.violations.push(violation);
  }

  async run(): Promise<Outcome> {
    const { time, chance } = { time: this.#time, chance: this.#chance };
    this.#begin();
    const { tally } = this.#weather;
    const parts = { time, chance, tally, books: this.#books, apiKey: this.#options.first.apiKey };
    const send = (request: Call, settle: (reply: Reply) => void): void => this.#send(request, settle);
    startClients({ ...parts, send }, [...this.#zone.domains.keys()], (this.#troubleUntilMs - START_MS) * 0.7);
    this.#everyMinute();
    await time.pass(this.#troubleUntilMs, () => false);
    this.#clearUp();
    await time.pass(this.#troubleUntilMs + FAIR_MS, () => this.#isOver());
    if (this.#settings.contentsMs === 0) await time.pass(time.nowMs + RETENTION_MS, () => false);
    return this.#conclude();
  }

  close(): void {
    this.#disk.close();
  }

  #begin(): void {
    this.#lives += 1;
    const killEvery = this.#killEvery;
    const onEffect = (name: string): void => this.#tell(name);
    const onKill = (name: string): void => this.#weather.tally.add(`killed_at_${name}` as Turn);
    const shape = { skewMs: () => this.#skewMs, killEvery, onEffect, onKill };
    const life = new Life({ time: this.#time, chance: this.#chance, ...shape });
    this.#life = life;
    life.onDeath(() => this.#fall(life));
    const fail = (error: Error): void => {
      if (!life.alive) return;
      // A start that the disk refuses ends with one line, and is tried again.
      if (error.name !== "SpoolUnavailable" && error.name !== "SqliteError")
        this.note(`a broken invariant: ${error.stack}`);
      life.die();
    };
    try {
      const shared = { life, chance: this.#chance, weather: this.#weather };
      const spool = openSimulatedSpool({ ...shared, disk: this.#disk, onFatal: fail });
      this.#db = this.#disk.current;
      const resolver = resolverOn({ ...shared, zone: this.#zone, books: this.#books });
      const connect = networkOf(life, this.#network());
      const onStopped = (stopped: Stopped): void => this.#seeStopped(life, stopped);
      const onAttempt = (line: AttemptLine): void => this.#judgeAttempt(line, life);
      const events = { onFatal: fail, onStopped, onAttempt };
      const starting = startPostrider({ ...shared, ...events, spool, resolver, connect, settings: this.#settings });
      starting.then((running) => {
        if (life.alive) this.#running = running;
      }, fail);
    } catch (error) {
      fail(error as Error);
    }
  }

  #fall(life: Life): void {
    if (this.#life !== life) return;
    this.#tell("death");
    this.#life = null;
    this.#running = null;
    this.#time.after(this.#chance.spread(DOWN_MS), () => this.#begin());
  }

  #network(): NetworkParts {
    const parts = { time: this.#time, chance: this.#chance, weather: this.#weather };
    return {
      ...parts,
      answer: (address, end) => {
        if (this.#zone.isDown(address, this.#time.nowMs)) return null;
        this.#connections += 1;
        const isLimited = (): boolean => this.#isLimited(this.#zone.domainOf(address));
        const conversation = { books: this.#books, number: this.#connections, tell: this.#trace, isLimited };
        if (this.#zone.isPeer(address)) return new Peer(end, { ...parts, ...conversation });
        if (!address.startsWith("11.")) this.note(`connected to ${address}`);
        return null;
      },
    };
  }

  #send(request: Call, settle: (reply: Reply) => void): void {
    const [life, running] = [this.#life, this.#running];
    const parts = { time: this.#time, chance: this.#chance, weather: this.#weather };
    if (life === null || running === null) settle({ type: "cut" });
    else call(request, { ...parts, life, handler: running.handler, settle });
  }

  /** What does not come of the service's own effects: persons, orders to stop, the clock, a disk that fills. */
  #everyMinute(): void {
    if (this.#time.nowMs >= this.#troubleUntilMs) return;
    this.#time.after(MINUTE_MS, () => {
      this.#happen();
      this.#everyMinute();
    });
  }

  #happen(): void {
    const [chance, weather] = [this.#chance, this.#weather];
    if (weather.strikes("clock_jumps")) {
      const mostMs = this.#isLong ? LONG_SKEW_MS : SKEW_MAX_MS;
      this.#setClock(Math.floor(-SKEW_MAX_MS + chance.next() * (mostMs + SKEW_MAX_MS)));
    }
    if (this.#life?.isAsleep === true) return;
    if (weather.strikes("host_sleeps")) {
      const sleepMs = chance.spread(SLEEP_MS);
      this.#life?.sleep(sleepMs);
      this.#clockSetMs = this.#time.nowMs + sleepMs;
      return;
    }
    if (weather.strikes("mx_moves")) this.#zone.move();
    if (weather.strikes("hosts_down")) this.#zone.goDown(this.#time.nowMs + chance.spread(HOSTS_DOWN_MS));
    if (weather.strikes("disk_full")) {
      this.#disk.fill();
      this.#time.after(chance.spread([1000, 10 * MINUTE_MS]), () => this.#disk.relieve());
    }
    if (weather.strikes("person")) this.#meddle();
    if (weather.strikes("stops")) this.#stop();
    if (weather.strikes("row_damaged")) this.#damage();
    if (weather.strikes("host_limits")) this.#limit(this.#zone.anyDomain());
    if (weather.strikes("hollow_exchangers")) this.#time.after(chance.spread(HOLLOW_MS), this.#zone.hollow());
  }

  #damage(): void {
    // What a dying life has in memory is not what the next one finds.
    const db = this.#life === null ? null : this.#db;
    const damaged = db === null ? null : damageRow(db, this.#chance);
    if (damaged === null) return;
    this.#tell(`row damaged of ${damaged.seq}`);
    this.#damaged.push(damaged);
    if (!this.#books.damaged.has(damaged.seq)) this.#books.damaged.set(damaged.seq, damaged);
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
    const nowMs = this.#life?.clock.now() ?? 0;
    const released = (): void => this.#weather.tally.add("released_from_quarantine");
    for (const messageId of ids) {
      spool.retry({ accountId: "acc_default", messageId, nowMs }).then(released, () => {});
    }
  }

  #setClock(skewMs: number): void {
    this.#skewMs = skewMs;
    this.#clockSetMs = Math.max(this.#clockSetMs, this.#time.nowMs);
  }

  #limit(domain: string): void {
    if (this.#limits.has(domain)) return;
    this.#periods += 1;
    this.#limits.set(domain, this.#periods);
    this.#time.after(this.#chance.spread(LIMITED_MS), () => this.#limits.delete(domain));
  }

  #isLimited(domain: string): boolean {
    const period = this.#limits.get(domain);
    if (period === undefined) return false;
    this.#books.limited.push({ domain, period, life: this.#lives, atMs: this.#time.nowMs });
    return true;
  }

  #stop(): void {
    const [life, running] = [this.#life, this.#running];
    if (life === null || running === null) return;
    this.#running = null;
    running.stop(this.#chance.pick(REPLY_WAITS_MS)).then(
      () => life.die(),
      (error) => this.note(`a stop failed: ${String(error)}`),
    );
  }

  /** A stop that could store its results leaves nobody at the final dot for the next start to find. */
  #seeStopped(life: Life, { attemptsNotStored, recipientsAtFinalDot }: Stopped): void {
    if (!life.alive) return;
    if (recipientsAtFinalDot > 0) this.#weather.tally.add("stopped_before_final_reply");
    const marked = this.#one<number>("SELECT count(*) FROM recipients WHERE state = 'marked'");
    if (attemptsNotStored === 0 && marked !== 0) this.note(`a stop left ${marked} recipients marked`);
  }

  /** An operator's hand: retries what is in doubt, pauses a domain, resumes all. */
  #meddle(): void {
    const [chance, running, life] = [this.#chance, this.#running, this.#life];
    if (running === null || life === null) return;
    const nowMs = life.clock.now();
    switch (chance.pick(["retry", "pause", "resume"])) {
      case "pause":
        running.spool.pauseDomain(`d${chance.whole(0, 5)}.example`, nowMs).catch(() => {});
        break;
      case "resume":
        this.#resumeAll();
        break;
      case "retry":
        this.#retryOne(running, nowMs);
        break;
    }
  }

  #retryOne({ spool }: Running, nowMs: number): void {
    const id = this.#one<string>(
      "SELECT id FROM messages JOIN recipients USING (seq) WHERE state = 'unknown' ORDER BY seq LIMIT 1",
    );
    if (id !== undefined) spool.retry({ accountId: "acc_default", messageId: id, nowMs }).catch(() => {});
  }

  #resumeAll(): void {
    const { spool } = this.#running ?? {};
    for (const domain of this.#zone.domains.keys()) void spool?.resumeDomain(domain).catch(() => {});
  }

  #clearUp(): void {
    this.#tell("fair weather");
    this.#weather.clear();
    this.#limits.clear();
    this.#killEvery = 0;
    this.#life?.spare();
    this.#disk.relieve();
    this.#zone.allUp();
    if (this.#isLong) this.#time.after(SETTLED_MS, () => this.#setClock(SKEW_MAX_MS));
    // Not over before the clock stands as it stays, and what a person did last is on disk.
    this.#nextLookMs = this.#time.nowMs + (this.#isLong ? SETTLED_MS : 0) + MINUTE_MS;
    this.#resumeSoon();
  }

  /** What was paused is resumed once the service is up. */
  #resumeSoon(): void {
    this.#time.after(MINUTE_MS, () => {
      if (this.#running !== null && (this.#one<number>("SELECT count(*) FROM paused_domains") ?? 0) > 0)
        this.#resumeAll();
      this.#repairAll();
      this.#resumeSoon();
    });
  }

  /** What no attempt may be: begun after its message's deadline, or without success when nothing is wrong any more. */
  #judgeAttempt({ messageId, attempt, durationMs, outcome, reason }: AttemptLine, life: Life): void {
    if (attempt === undefined || !life.alive) return;
    const beganMs = this.#time.nowMs - durationMs;
    if (outcome === "deferred" && beganMs > this.#troubleUntilMs + SETTLED_MS)
      this.note(`deferred in fair weather: ${messageId} (${reason})`);
    const wasSet = this.#clockSetMs >= beganMs - ROUNDING_MS;
    const deadlineMs = wasSet ? undefined : this.#deadlineOf(messageId);
    if (deadlineMs !== undefined && life.clock.now() - durationMs > deadlineMs + ROUNDING_MS)
      this.note(`tried after its deadline: ${messageId}`);
  }

  #deadlineOf(messageId: string): number | undefined {
    const sql = "SELECT deadline_ms FROM messages WHERE id = ?";
    return this.#db?.prepare<[string], number | null>(sql).pluck().get(messageId) ?? undefined;
  }

  #isOver(): boolean {
    if (this.#running === null || this.#life?.isAsleep !== false || this.#time.nowMs < this.#nextLookMs) return false;
    this.#nextLookMs = this.#time.nowMs + MINUTE_MS;
    if (this.#books.intents.some((intent) => intent.key !== null && !intent.isAnswered)) return false;
    const quarantined = this.#one<number>("SELECT count(*) FROM quarantined") ?? 0;
    if (this.#isRepaired && quarantined + this.#damaged.length > 0) return false;
    return (
      this.#one<number>(
        `SELECT count(*) FROM recipients WHERE state IN ('pending', 'marked')
           AND seq NOT IN (SELECT seq FROM quarantined)`,
      ) === 0
    );
  }

  #conclude(): Outcome {
    const { intents } = this.#books;
    for (const intent of intents) {
      if (intent.key !== null && !intent.isAnswered)
        this.note(`intent ${intent.number} was never accepted, in ${intent.tries} tries`);
    }
    const db = this.#db;
    const clockMs = Math.floor(this.#time.nowMs) + this.#skewMs;
    const forgottenBeforeMs = this.#settings.contentsMs === 0 ? clockMs - PASSES_MS : 0;
    const expected = { expectEnd: true, forgottenBeforeMs };
    const quarantined = this.#one<number>("SELECT count(*) FROM quarantined") ?? 0;
    if (this.#isRepaired && this.#damaged.length === 0 && quarantined > 0)
      this.note("a repaired message stays in quarantine");
    const violations = db === null ? ["the service never came up"] : audit(db, this.#books, expected);
    const counts = {
      lives: this.#lives,
      effects: this.#effects,
      messages: this.#one<number>("SELECT count(*) FROM messages") ?? 0,
      taken: this.#books.taken.length,
      unknown: this.#one<number>("SELECT count(*) FROM recipients WHERE state = 'unknown'") ?? 0,
    };
    const { tally } = this.#weather;
    tally.add("quarantined", quarantined);
    tally.add("message_taken_and_never_told", this.#books.taken.filter(({ isTold }) => !isTold).length);
    const seen = Object.fromEntries(tally.counts);
    return { seed: this.#seed, violations, digest: this.#digest >>> 0, counts, tally: seen };
  }

  #one<T>(sql: string): T | undefined {
    return this.#db?.prepare<[], T>(sql).pluck().get() as T | undefined;
  }

  #trace = (line: string): void => {
    const atS = (this.#time.nowMs - START_MS) / 1000;
    this.#options.trace?.(`${atS.toFixed(3).padStart(12)} s  life ${this.#lives}  ${line}`);
  };

  #tell(name: string): void {
    this.#effects += 1;
    const { nowMs } = this.#time;
    this.#trace(name);
    for (const value of [Math.floor(nowMs * 1000), name.length, name.charCodeAt(0)]) {
      this.#digest = Math.imul(this.#digest ^ (value % 2 ** 31), 0x01000193);
    }
  }
}

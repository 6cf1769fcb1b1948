/**
 * A run without faults in which thousands of hosts hang, or a few that were prompt before, while one account's live mail goes on, to
 * the same domains and to ever new ones. Live mail must not wait for them: see LIVE_P95_MAX_MS. Returns what a run with faults returns.
 */

import type { Resolver } from "../src/dns/resolver.ts";
import { contentOf } from "../src/message/content.ts";
import type { NewMessage } from "../src/spool/port/mail.ts";
import { Disk } from "./disk.ts";
import { drawRates, FaultInjector } from "./fault-injector.ts";
import { History } from "./history.ts";
import { Incarnation } from "./incarnation.ts";
import { ACCOUNT, type InitialSpool, SENDER_DOMAIN } from "./initial-spool.ts";
import { createNetwork } from "./network.ts";
import { type RunningService, startPostrider } from "./postrider.ts";
import { Prng } from "./prng.ts";
import { Receiver } from "./receiver.ts";
import type { Outcome } from "./run.ts";
import { SLOW_KINDS, type SlowKind, SlowPeer } from "./slow-peers.ts";
import { openSimulatedSpool } from "./spool.ts";
import { VirtualTime } from "./virtual-time.ts";
import { createWebhookPoster } from "./webhook-poster.ts";

/** In each run with such a seed, hosts are slow instead of anything else. */
const SLOW_EVERY = 50;
const SLOW_REMAINDER = 24;

export const hasSlowHosts = (seed: number): boolean => seed % SLOW_EVERY === SLOW_REMAINDER;

const START_TIME_MS = Date.UTC(2030, 0, 1);
const MAX_AGE_MS = 4 * 3_600_000;
/** From this moment on, one live message a second to the same domains, and one to a domain that gets no other. */
const LIVE_FROM_MS = 10_000;
const LIVE_MESSAGES = 60;
const LIVE_DOMAINS = 3;
const LIVE_P95_MAX_MS = 1000;
/** For what live mail is still under way. */
const END_MS = LIVE_FROM_MS + LIVE_MESSAGES * 1000 + 120_000;
const HOSTS = 1500;
const MESSAGES_PER_HOST = [1, 2] as const;
/** Many hosts that are prompt at first accept one or a few messages so. */
const PROMPT_FIRST = [1, 5] as const;
/** Few of them accept enough for a window of 100, and get more. */
const FEW_HOSTS = 3;
const FEW_PROMPT_FIRST = 120;
const FEW_MESSAGES = 280;
/** The rest of it comes at once, later than what makes the window. */
const BURST_MS = 15_000;
const DNS_MS = [0.5, 20] as const;
/** All servers asked in turn, and none answers. */
const SILENT_DNS_MS = 30_000;
/** How long the mail for slow hosts takes to arrive. */
const ARRIVAL_MS = [1, 40_000] as const;

/** What the slow hosts of a run do, and whether they are few that get much mail. */
interface Variant {
  kinds: readonly SlowKind[];
  areFew: boolean;
}

/** Each kind alone and all together, in the order in which the seeds have them. */
const VARIANTS: readonly Variant[] = [
  ...SLOW_KINDS.map((kind) => ({ kinds: [kind], areFew: false })),
  { kinds: SLOW_KINDS, areFew: false },
  { kinds: ["prompt_then_hangs"], areFew: true },
  { kinds: ["prompt_then_late"], areFew: true },
];

/** A name for each of them. */
export const SLOW_VARIANTS: readonly string[] = VARIANTS.map(
  ({ kinds, areFew }) => `${areFew ? FEW_HOSTS : HOSTS} hosts: ${kinds.join(", ")}`,
);

/** The first seed that has the variant with this index. */
export const slowSeed = (variant: number): number => variant * SLOW_EVERY + SLOW_REMAINDER;

const variantOf = (seed: number): Variant => VARIANTS[Math.floor(seed / SLOW_EVERY) % VARIANTS.length] as Variant;

interface Host {
  kind: SlowKind | null;
  accepted: number;
  promptFirst: number;
  address: string;
}

/** Live mail that is judged on its own. */
type LiveMail = "known domains" | "new domains";

/** Runs a seed. Never rejects because of the service: errors are reported as violations. */
export function runSlowHosts(seed: number, initialSpool: InitialSpool): Promise<Outcome> {
  return new SlowHosts(seed, initialSpool).run();
}

class SlowHosts {
  readonly #seed: number;
  readonly #prng: Prng;
  readonly #time = new VirtualTime(START_TIME_MS);
  readonly #faults: FaultInjector;
  readonly #history = new History();
  readonly #disk: Disk;
  readonly #incarnation: Incarnation;
  readonly #hosts = new Map<string, Host>();
  readonly #byAddress = new Map<string, Host>();
  readonly #variant: Variant;
  /** When live messages were accepted, and how long they took. */
  readonly #accepted = new Map<string, { to: LiveMail; atMs: number }>();
  readonly #delaysMs: Record<LiveMail, number[]> = { "known domains": [], "new domains": [] };
  #messages = 0;
  #deliveries = 0;
  #effects = 0;

  constructor(seed: number, { files }: InitialSpool) {
    this.#seed = seed;
    this.#variant = variantOf(seed);
    this.#prng = new Prng(seed);
    const [time, prng] = [this.#time, this.#prng];
    this.#faults = new FaultInjector(prng, drawRates(prng));
    this.#faults.stop();
    this.#disk = new Disk({ time, prng, faults: this.#faults, file: files[0] as Buffer });
    const onEffect = (): void => {
      this.#effects += 1;
    };
    this.#incarnation = new Incarnation({ time, prng, skewMs: () => 0, killEvery: 0, onEffect, onKill: () => {} });
  }

  async run(): Promise<Outcome> {
    this.#drawHosts();
    let service: RunningService | null = null;
    this.#start().then(
      (running) => {
        service = running;
        this.#send(running);
      },
      (error: Error) => this.#history.violations.push(`the service did not start: ${error.stack}`),
    );
    const delaysMs = Object.values(this.#delaysMs);
    await this.#time.advance(START_TIME_MS + END_MS, () => delaysMs.every(({ length }) => length === LIVE_MESSAGES));
    if (service !== null) for (const to of ["known domains", "new domains"] as const) this.#judge(to);
    this.#incarnation.kill();
    this.#disk.close();
    return {
      seed: this.#seed,
      violations: this.#history.violations,
      digest: this.#effects,
      counts: {
        incarnations: 1,
        effects: this.#effects,
        messages: this.#messages,
        deliveries: this.#deliveries,
        unknown: 0,
      },
      tally: Object.fromEntries(this.#faults.tally.counts),
    };
  }

  #judge(to: LiveMail): void {
    const delivered = this.#delaysMs[to];
    const all = [...delivered, ...Array<number>(LIVE_MESSAGES - delivered.length).fill(Number.POSITIVE_INFINITY)];
    const p95 = all.sort((a, b) => a - b)[Math.ceil(0.95 * all.length) - 1] ?? 0;
    const kinds = this.#variant.kinds.join(", ");
    if (p95 > LIVE_P95_MAX_MS)
      this.#history.violations.push(`live mail to ${to} waits for slow hosts (${kinds}): p95 ${p95} ms`);
  }

  #start(): Promise<RunningService> {
    const [incarnation, prng, faults] = [this.#incarnation, this.#prng, this.#faults];
    const onFatal = (error: Error): void =>
      void this.#history.violations.push(`broken internal invariant: ${error.stack}`);
    const spool = openSimulatedSpool({ incarnation, prng, faults, disk: this.#disk, onFatal });
    const receiver = new Receiver({ time: this.#time, prng, faults, history: this.#history, trace: () => {} });
    return startPostrider({
      incarnation,
      prng,
      spool,
      onFatal,
      hasReturnedMail: false,
      resolver: this.#resolver(),
      connect: createNetwork(incarnation, {
        time: this.#time,
        prng,
        faults,
        accept: (address, end) => {
          const host = this.#byAddress.get(address) as Host;
          const { kind } = host;
          return new SlowPeer(end, {
            time: this.#time,
            prng,
            kind,
            host,
            onAccepted: (text) => this.#noteAccepted(text),
          });
        },
        isSilent: (address) => this.#byAddress.get(address)?.kind === "no_connection",
      }),
      poster: createWebhookPoster({ incarnation, number: 1, receiver, tally: faults.tally }),
      settings: { retrySchedule: [60_000, 300_000], maxAgeMs: MAX_AGE_MS, contentsMs: 0, unknownPolicy: "hold" },
      onAttempt: () => {},
      onStopped: () => {},
    });
  }

  #noteAccepted(content: string): void {
    this.#deliveries += 1;
    const messageId = /^Message-ID: <([^>]*)>/im.exec(content)?.[1] ?? "";
    const live = this.#accepted.get(messageId);
    if (live === undefined) return;
    this.#accepted.delete(messageId);
    this.#delaysMs[live.to].push(Math.round(this.#time.nowMs - live.atMs));
  }

  /** Prompt hosts for live mail, and slow ones. */
  #drawHosts(): void {
    const prng = this.#prng;
    const { kinds, areFew } = this.#variant;
    for (let i = 0; i < LIVE_DOMAINS; i += 1) this.#addHost(`live${i}.example`, null, `12.0.0.${i + 1}`);
    for (let i = 0; i < LIVE_MESSAGES; i += 1) this.#addHost(`new${i}.example`, null, `12.0.1.${i + 1}`);
    const shareAddress = prng.chance(0.2);
    for (let i = 0; i < (areFew ? FEW_HOSTS : HOSTS); i += 1) {
      const kind = prng.pick([kinds[0] as SlowKind, ...kinds.slice(1)]);
      const address = shareAddress ? `12.${1 + SLOW_KINDS.indexOf(kind)}.0.1` : `12.20.${i >> 8}.${i & 255}`;
      this.#addHost(`slow${i}.example`, kind, address);
    }
  }

  #addHost(domain: string, kind: SlowKind | null, address: string): void {
    const promptFirst = this.#variant.areFew ? FEW_PROMPT_FIRST : this.#prng.integer(...PROMPT_FIRST);
    const host = this.#byAddress.get(address) ?? { kind, accepted: 0, promptFirst, address };
    this.#byAddress.set(address, host);
    this.#hosts.set(domain, host);
  }

  #resolver(): Resolver {
    const domainOf = (name: string): string => name.replace(/^mx\./u, "");
    const answer = <T>(found: T | null): Promise<T> =>
      new Promise((resolve) => {
        if (found !== null) this.#incarnation.after(this.#prng.logUniform(DNS_MS), () => resolve(found));
      });
    const silent = (): Promise<{ type: "failure"; code: string }> =>
      new Promise((resolve) => {
        this.#incarnation.after(SILENT_DNS_MS, () => resolve({ type: "failure", code: "ETIMEOUT" }));
      });
    const noData = () => answer({ type: "nodata" as const });
    return {
      mx: (domain) => {
        if (this.#hosts.get(domain)?.kind === "silent_dns") return silent();
        return answer({ type: "found", records: [{ exchange: `mx.${domain}`, preference: 10 }] });
      },
      a: (name) => answer({ type: "found", records: [this.#hosts.get(domainOf(name))?.address ?? "12.0.0.1"] }),
      aaaa: noData,
      txt: noData,
      ptr: noData,
      cname: noData,
    };
  }

  #send(running: RunningService): void {
    const prng = this.#prng;
    const { areFew } = this.#variant;
    for (const [domain, { kind, promptFirst }] of this.#hosts) {
      if (kind === null) continue;
      const count = areFew ? FEW_MESSAGES : prng.integer(...MESSAGES_PER_HOST);
      for (let i = 0; i < count; i += 1) {
        const atMs = areFew && i >= promptFirst ? BURST_MS : prng.logUniform(ARRIVAL_MS);
        this.#time.after(atMs, () => this.#accept(running, domain));
      }
    }
    for (let i = 0; i < LIVE_MESSAGES; i += 1) {
      this.#sendLive(running, { to: "known domains", domain: `live${i % LIVE_DOMAINS}.example`, second: i });
      this.#sendLive(running, { to: "new domains", domain: `new${i}.example`, second: i });
    }
  }

  #sendLive(running: RunningService, { to, domain, second }: { to: LiveMail; domain: string; second: number }): void {
    this.#time.after(LIVE_FROM_MS + second * 1000 + this.#prng.integer(0, 999), () => {
      const messageId = this.#accept(running, domain);
      this.#accepted.set(messageId, { to, atMs: this.#time.nowMs });
    });
  }

  /** Accepts a message to one recipient. Returns its Message-ID. */
  #accept({ spool }: RunningService, domain: string): string {
    this.#messages += 1;
    const messageId = `m${this.#messages}@${SENDER_DOMAIN}`;
    const content = Buffer.from(`Message-ID: <${messageId}>\r\nSubject: Hello\r\n\r\nHi\r\n`);
    const nowMs = this.#incarnation.clock.now();
    const message: NewMessage = {
      id: `msg_${String(this.#messages).padStart(24, "0")}`,
      accountId: ACCOUNT,
      keyId: "key_a",
      domainId: "dom_a",
      createdAtMs: nowMs,
      expiresAtMs: nowMs + MAX_AGE_MS,
      from: `hello@${SENDER_DOMAIN}`,
      subject: "Hello",
      messageId: `<${messageId}>`,
      recipients: [{ email: `ann@${domain}`, domain }],
      idempotency: null,
      quotaDaily: 0,
      suppressAfter: 0,
      content,
      bodyHash: contentOf(content).bodyHash,
    };
    spool.accept(message).then(
      ({ type }) => {
        if (type !== "accepted") this.#history.violations.push(`a message was not accepted: ${type}`);
      },
      (error: Error) => void this.#history.violations.push(`a message was not accepted: ${error.message}`),
    );
    return messageId;
  }
}

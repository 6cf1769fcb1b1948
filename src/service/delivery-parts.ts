/**
 * Wires delivery: builds the parts between a claim and a settlement, and starts and stops them together.
 */

import type { SendingAddresses } from "../app/domains/sending-addresses.ts";
import { AcceptPriority } from "../delivery/dispatch/accept-priority.ts";
import { createAttempt } from "../delivery/dispatch/attempt.ts";
import { ConnectionBudget } from "../delivery/dispatch/connection-budget.ts";
import { Dispatcher } from "../delivery/dispatch/dispatcher.ts";
import { DomainTrafficCounts } from "../delivery/dispatch/domain-traffic.ts";
import { KeyWatch } from "../delivery/dispatch/key-watch.ts";
import { OperatorSettingsWatch } from "../delivery/dispatch/operator-settings-watch.ts";
import { Preparation } from "../delivery/dispatch/preparation.ts";
import { ProbeRequestWatch } from "../delivery/dispatch/probe-request-watch.ts";
import { type AddressTotals, ReceiverResultCounts, type ReceiverTotals } from "../delivery/dispatch/receiver-counts.ts";
import type { RetryPolicy } from "../delivery/dispatch/retry-decision.ts";
import { NO_RETURN_PATHS, type ReturnPaths } from "../delivery/dispatch/return-paths.ts";
import { ScheduledSuppressions } from "../delivery/dispatch/scheduled-suppressions.ts";
import { SevenBitContents } from "../delivery/dispatch/seven-bit-contents.ts";
import { Shutdown } from "../delivery/dispatch/shutdown.ts";
import { LoadAwareSignAhead } from "../delivery/dispatch/sign-ahead.ts";
import { trafficReport } from "../delivery/dispatch/traffic-report.ts";
import { LimitsOfDestinations } from "../delivery/routing/connection-limits.ts";
import type { RoutingPolicy } from "../delivery/routing/route.ts";
import { SendingSources } from "../delivery/routing/sending-sources.ts";
import { ReverseNamedSources } from "../delivery/routing/source-addresses.ts";
import { type LocalSink, TestSink } from "../delivery/routing/test-sink.ts";
import { type Signer, ThreadSigner } from "../delivery/signing/signer.ts";
import type { Connect } from "../delivery/smtp/connect.ts";
import { OpenConnections } from "../delivery/smtp/open-connections.ts";
import { SessionPool } from "../delivery/smtp/pool.ts";
import { DestinationThrottle } from "../delivery/throttle/destination-throttle.ts";
import { HostHealth } from "../delivery/throttle/host-health.ts";
import { MinutePace } from "../delivery/throttle/minute-pace.ts";
import { NodeWindows } from "../delivery/throttle/node-windows.ts";
import { type PausedJob, SenderPauses } from "../delivery/throttle/sender-pauses.ts";
import { SourceWindows } from "../delivery/throttle/source-windows.ts";
import { StateSnapshot } from "../delivery/throttle/state-snapshot.ts";
import { WarmUpQuota } from "../delivery/throttle/warm-up-quota.ts";
import { StsPolicies } from "../delivery/tls/mta-sts.ts";
import { OperatorRules } from "../delivery/tls/operator-rules.ts";
import type { SessionCounts } from "../delivery/tls/session-counts.ts";
import { createPolicies, opportunistic, type PolicyLookup } from "../delivery/tls/tls-policy.ts";
import { cachingResolver } from "../dns/caching-resolver.ts";
import type { Resolver } from "../dns/resolver.ts";
import type { SecureResolver } from "../dns/secure-resolver.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { SigningKey } from "../message/dkim.ts";
import type { TlsRules } from "../message/tls-rules.ts";
import { limitsByReceiver } from "../receivers/limits.ts";
import type { Vault } from "../security/vault.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { DestinationSlots } from "../spool/port/destination-slots.ts";
import type { AcceptLoad, SignAhead } from "../spool/port/hints.ts";
import type { NamedKey } from "../spool/port/key-fuses.ts";
import type { OwnTraffic } from "../spool/port/node-traffic.ts";
import type { Spool } from "../spool/port/spool.ts";
import type { RateLimits } from "../spool/port/token-buckets.ts";
import type { SinkBounce } from "../testing/sink/later-bounces.ts";

export interface DeliveryParts {
  spool: Spool & Registry & RateLimits & { destinationSlots: DestinationSlots };
  vault: Vault;
  /** Signs every message beside its sender's key; null for none. */
  hostKey?: SigningKey | null;
  resolver: Resolver;
  secureResolver: SecureResolver;
  clock: Clock;
  log: Logger;
  /** The EHLO name. */
  hostname: string;
  /** The public addresses of this server that messages leave from. */
  sendingIps: string[];
  /** Those of all nodes; absent where nothing is announced. */
  addresses?: Pick<SendingAddresses, "live" | "record">;
  smtpPort: number;
  sink: RoutingPolicy["sink"];
  allowPrivate: boolean;
  /** The most connections at one time to the mail hosts of an operator, by its domain. */
  destinationLimits: ReadonlyMap<string, number>;
  /** Those of TLS_POLICY_FILE. */
  tlsRules: TlsRules;
  retry: RetryPolicy;
  /** As NewMessage's. */
  suppressAfter: number;
  acceptLoad: AcceptLoad;
  /** Every message is sent from its From address without them. */
  returnPaths?: ReturnPaths;
  /** Takes the bounces that the sink in the service plays for test messages; they are discarded without it. */
  onBounce?: (bounce: SinkBounce) => void;
  /** A destination has refused the authentication of a sending domain, a few times. */
  onUnauthenticated?: (job: PausedJob) => void;
  /** A destination has closed after refusals of this server's address or name. */
  onBlocked?: () => void;
  /** A held API key was released: its mail may be tried. */
  onKeyReleased?: (released: NamedKey) => Promise<void>;
  /** For the TLS reports that are sent; null where none are. */
  sessionCounts?: Pick<SessionCounts, "add"> | null;
  onFatal: (error: Error) => void;
}

/** What a simulation replaces: randomness, the signing thread and the network. */
export interface Seams {
  random: () => number;
  signer: Signer;
  connect?: Connect;
}

/** What is under way at this moment. */
export interface DeliveryLoad {
  /** Delivery jobs under way. */
  attempts: number;
  /** Destinations with attempts under way. */
  openDestinations: number;
  /** Addresses of mail hosts that accept no connection and are only probed. */
  deadDestinations: number;
  /** Destinations that refuse all mail and are only probed. */
  closedDestinations: number;
  /** Those of them that refuse this server's address or name. */
  blockedDestinations: string[];
  /** Recipients in attempts since the start, by receiver. */
  receiverTotals: ReceiverTotals;
  /** The same by sending address. */
  addressTotals: AddressTotals;
  heldKeys: number;
  /** Pairs of a sending domain and a destination that refuses its mail. */
  pausedSenders: number;
}

export interface Delivery {
  /** For acceptance: a hint, see SignAhead. */
  readonly signAhead: SignAhead;
  /** May be passed on as a function. */
  readonly load: () => DeliveryLoad;
  readonly receiverCounts: Pick<ReceiverResultCounts, "addComplaint">;
  /** What it does for each recipient domain; for reports. May be passed on as a function. */
  readonly traffic: () => OwnTraffic;
  /** Starts no new job and ends those under way by the rules of shutdown.ts; `replyWaitMs` is for final replies. */
  stop(replyWaitMs: number): Promise<Stopped>;
}

/** What a stop left behind. */
export interface Stopped {
  /** Recipients whose final dot had left and had no reply: settled as UNKNOWN_POLICY says. */
  recipientsAtFinalDot: number;
  /** Attempts whose results could not be stored: the next start recovers them as after a crash. */
  attemptsNotStored: number;
}

/** Attempts at one time over all destinations: bounds memory and sockets. */
const ATTEMPTS_MAX = 500;

/** Starts delivery. Rejects when the spool cannot be read. */
export async function startDelivery(parts: DeliveryParts, seams: Seams = systemSeams(parts)): Promise<Delivery> {
  const shared = sharedParts(parts);
  const { spool, clock, log } = parts;
  const operatorSettings = new OperatorSettingsWatch({
    spool,
    clock,
    limits: shared.limits,
    onTlsRules: (rules) => shared.tlsRules.set(rules),
    onSendingPlan(plan) {
      shared.sources.set(plan);
      shared.warmUp.set(plan.addresses);
      parts.addresses?.record(shared.sources.own, plan);
    },
  });
  const receiverCounts = new ReceiverResultCounts({ spool, clock, log });
  const keys = new KeyWatch({ spool, clock, log, onReleased: parts.onKeyReleased ?? (async () => {}) });
  await Promise.all([operatorSettings.start(), receiverCounts.start(), keys.start()]);
  const snapshot = await StateSnapshot.start({ spool, clock, log, ...shared });
  const perMinuteOf = (destination: string): number | null => shared.limits.of(destination).messagesPerMinute;
  const throttle = new DestinationThrottle(shared.windows, new MinutePace({ limits: spool, perMinuteOf }));
  const dispatcher = createDispatcher(parts, seams, { ...shared, throttle, receiverCounts, keys });
  const probeRequests = new ProbeRequestWatch({ spool, clock, throttle, onAsked: () => dispatcher.wake() });
  dispatcher.wake();
  return new RunningDelivery(parts, seams, {
    ...shared,
    snapshot,
    throttle,
    dispatcher,
    probeRequests,
    operatorSettings,
    receiverCounts,
    keys,
  });
}

function systemSeams({ spool: registry, vault, hostKey = null, onFatal }: DeliveryParts): Seams {
  return { random: Math.random, signer: new ThreadSigner({ registry, vault, hostKey, onFatal }) };
}

/** Loads the sink only when a test message needs it: its libraries take 13 MB. */
async function startSink({ onBounce = () => {} }: Pick<DeliveryParts, "onBounce">): Promise<LocalSink> {
  const { startDiscardingSink } = await import("../testing/sink/discarding-sink.ts");
  return startDiscardingSink(onBounce);
}

/** What several parts of delivery use. */
interface Shared {
  limits: LimitsOfDestinations;
  tlsRules: OperatorRules;
  pool: SessionPool;
  open: OpenConnections;
  connections: ConnectionBudget;
  traffic: DomainTrafficCounts;
  health: HostHealth;
  destinations: NodeWindows;
  /** The same by sending address. */
  windows: SourceWindows;
  sources: SendingSources;
  warmUp: WarmUpQuota;
  acceptPriority: AcceptPriority;
  shutdown: Shutdown;
  testSink: TestSink;
  senderPauses: SenderPauses;
}

function sharedParts(parts: DeliveryParts): Shared {
  const { clock, log, acceptLoad, onBlocked = () => {}, onUnauthenticated = () => {} } = parts;
  const { destinationSlots: slots } = parts.spool;
  const pool = new SessionPool({ clock });
  const open = new OpenConnections(clock);
  const limits = new LimitsOfDestinations(limitsByReceiver(parts.destinationLimits));
  const onCapacity = (): void => destinations.changed();
  const warmUp = new WarmUpQuota({ spool: parts.spool, clock, log, onCapacity });
  const destinations = new NodeWindows({
    slots,
    clock,
    log,
    limitOf: (destination) => limits.of(destination).connections,
    onBlocked(window) {
      warmUp.block(window);
      onBlocked();
    },
    connections: {
      count: (destination) => open.count(destination),
      quitIdle: (destination, count) => pool.quitIdle(destination, count),
    },
  });
  const sources = new SendingSources({ live: () => parts.addresses?.live ?? [] });
  return {
    limits,
    sources,
    warmUp,
    windows: new SourceWindows({ windows: destinations, sources, warmUp, now: () => clock.monotonicMs() }),
    tlsRules: new OperatorRules(parts.tlsRules),
    pool,
    destinations,
    open,
    traffic: new DomainTrafficCounts(clock),
    connections: new ConnectionBudget({
      open,
      pool,
      limitOf: (destination) => destinations.connectionsMax(destination),
      limits,
    }),
    health: new HostHealth(clock),
    acceptPriority: new AcceptPriority(clock, acceptLoad),
    shutdown: new Shutdown(),
    testSink: new TestSink(() => startSink(parts)),
    senderPauses: new SenderPauses({ clock, log, onUnauthenticated }),
  };
}

function createDispatcher(
  parts: DeliveryParts,
  seams: Seams,
  shared: Shared & { throttle: DestinationThrottle; receiverCounts: ReceiverResultCounts; keys: KeyWatch },
): Dispatcher {
  const { spool, clock, log, hostname, sendingIps, allowPrivate, smtpPort, sink, sessionCounts } = parts;
  const { returnPaths = NO_RETURN_PATHS } = parts;
  const { random, signer, connect } = seams;
  const {
    pool,
    health,
    destinations,
    connections,
    acceptPriority,
    shutdown,
    testSink,
    traffic,
    throttle,
    senderPauses,
    limits,
    receiverCounts,
    sources,
    windows,
    keys,
  } = shared;
  const resolver = cachingResolver(parts.resolver, clock);
  const routing: RoutingPolicy = { resolver, smtpPort, sink, random };
  const attempt = createAttempt({
    spool,
    signer,
    pool,
    clock,
    log,
    routing,
    health,
    hostname,
    allowPrivate,
    shutdown,
    returnPaths,
    connections,
    sevenBitContents: new SevenBitContents({ clock }),
    sources: new ReverseNamedSources({ sendingIps, resolver, clock, log }),
    ...(connect === undefined ? {} : { connect }),
    ...(sessionCounts ? { sessionCounts } : {}),
  });
  const dispatcher = new Dispatcher({
    spool,
    attempt,
    acceptPriority,
    shutdown,
    traffic,
    throttle,
    sources,
    windows,
    keys,
    senderPauses,
    limits,
    receiverCounts,
    suppressions: new ScheduledSuppressions({ spool, suppressAfter: parts.suppressAfter, log }),
    clock,
    log,
    random,
    preparation: new Preparation({ routing, testSink, policiesOf: tlsPolicies(parts, shared.tlsRules), clock }),
    policy: { ...parts.retry, attemptsMax: ATTEMPTS_MAX },
  });
  destinations.onCapacity(() => dispatcher.wake());
  return dispatcher;
}

/** The TLS policies of recipient domains: MTA-STS always, DANE where the resolver's answers are validated, and the operator's rules. */
function tlsPolicies(parts: DeliveryParts, rules: OperatorRules): PolicyLookup {
  const { spool, resolver, secureResolver: secure, clock, log, allowPrivate } = parts;
  if (parts.sink !== null) return opportunistic;
  if (!secure.trusted)
    log.info("DANE is off: no DNS server is a validating one on loopback, and DNS_TRUST_AD is not set");
  const sts = new StsPolicies({ spool, resolver, clock, log, allowPrivate });
  return rules.appliedTo(createPolicies({ sts, dane: secure.trusted ? secure : null, clock }));
}

interface RunningParts extends Shared {
  snapshot: StateSnapshot;
  throttle: DestinationThrottle;
  dispatcher: Dispatcher;
  probeRequests: ProbeRequestWatch;
  operatorSettings: OperatorSettingsWatch;
  receiverCounts: ReceiverResultCounts;
  keys: KeyWatch;
}

class RunningDelivery implements Delivery {
  readonly signAhead: SignAhead;
  readonly receiverCounts: ReceiverResultCounts;
  readonly load = (): DeliveryLoad => {
    const { dispatcher, destinations, windows, health, senderPauses, receiverCounts, keys } = this.#running;
    return {
      attempts: dispatcher.attempts,
      openDestinations: destinations.activeCount,
      deadDestinations: health.deadCount(),
      closedDestinations: destinations.closedCount,
      blockedDestinations: destinations.blocked.filter((name) => windows.isInUse(name)),
      receiverTotals: receiverCounts.totals,
      addressTotals: receiverCounts.addressTotals,
      heldKeys: keys.heldCount,
      pausedSenders: senderPauses.count,
    };
  };
  readonly traffic = (): OwnTraffic => {
    const { open, traffic, ...running } = this.#running;
    const { clock } = this.#parts;
    return trafficReport({ ...running, clock, attemptsMax: ATTEMPTS_MAX, connections: open, domains: traffic });
  };
  readonly #parts: DeliveryParts;
  readonly #signer: Signer;
  readonly #running: RunningParts;

  constructor(parts: DeliveryParts, { signer }: Seams, running: RunningParts) {
    const { acceptLoad } = parts;
    this.signAhead = new LoadAwareSignAhead({ signer, acceptLoad, acceptPriority: running.acceptPriority });
    this.receiverCounts = running.receiverCounts;
    this.#parts = parts;
    this.#signer = signer;
    this.#running = running;
  }

  async stop(replyWaitMs: number): Promise<Stopped> {
    const { clock, log } = this.#parts;
    const { shutdown, dispatcher, destinations, pool, snapshot, testSink } = this.#running;
    const { probeRequests, operatorSettings, receiverCounts, warmUp, keys } = this.#running;
    const stopping = shutdown.run({ clock, log, replyWaitMs, ended: () => dispatcher.ended() });
    destinations.stop();
    probeRequests.stop();
    operatorSettings.stop();
    void pool.close();
    const recipientsAtFinalDot = await stopping;
    await Promise.all([snapshot.stop(), receiverCounts.stop(), warmUp.stop(), keys.stop()]);
    // Closes the sessions that were released meanwhile.
    await pool.close();
    await testSink.close();
    await this.#signer.close();
    return { recipientsAtFinalDot, attemptsNotStored: dispatcher.attempts };
  }
}

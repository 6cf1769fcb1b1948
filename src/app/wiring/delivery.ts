/**
 * The MTA core, wired: everything between a claim and a settlement, started and stopped together.
 */

import { AcceptPriority } from "../../delivery/dispatch/accept-priority.ts";
import { createAttempt } from "../../delivery/dispatch/attempt.ts";
import { Dispatcher } from "../../delivery/dispatch/dispatcher.ts";
import { Preparation } from "../../delivery/dispatch/preparation.ts";
import type { RetryPolicy } from "../../delivery/dispatch/retry-decision.ts";
import { Shutdown } from "../../delivery/dispatch/shutdown.ts";
import type { RoutingPolicy } from "../../delivery/routing/route.ts";
import { createSourceAddresses } from "../../delivery/routing/source-addresses.ts";
import { type Signer, startSigner } from "../../delivery/signing/signer.ts";
import type { Connect } from "../../delivery/smtp/connection.ts";
import { SessionPool } from "../../delivery/smtp/pool.ts";
import { CongestionWindows } from "../../delivery/throttle/congestion-window.ts";
import { DestinationThrottle } from "../../delivery/throttle/destination-throttle.ts";
import { HostHealth } from "../../delivery/throttle/host-health.ts";
import { rememberDestinations } from "../../delivery/throttle/state-snapshot.ts";
import { StsPolicies } from "../../delivery/tls/mta-sts.ts";
import { createPolicies, opportunistic, type PoliciesOf } from "../../delivery/tls/tls-policy.ts";
import { cachingResolver } from "../../dns/caching-resolver.ts";
import type { Resolver } from "../../dns/resolver.ts";
import type { SecureResolver } from "../../dns/secure-resolver.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { Vault } from "../../security/vault.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { NewMessage } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";

export interface DeliveryParts {
  spool: Spool & Registry;
  vault: Vault;
  resolver: Resolver;
  secureResolver: SecureResolver;
  clock: Clock;
  log: Logger;
  /** The EHLO name. */
  hostname: string;
  /** The public addresses mail leaves from. */
  sendingIps: string[];
  smtpPort: number;
  sink: RoutingPolicy["sink"];
  allowPrivate: boolean;
  retry: RetryPolicy;
  /** How many sends wait to be stored. */
  sendsWaiting: () => number;
  onFatal: (error: Error) => void;
}

/** What a simulation brings under its own hand: chance, the signer's thread and the network. */
export interface Seams {
  random: () => number;
  signer: Signer;
  connect?: Connect;
}

/** What is under way at this moment. */
export interface DeliveryLoad {
  /** Works in an attempt. */
  attempts: number;
  /** Mail hosts with attempts under way. */
  openDestinations: number;
  /** Addresses of mail hosts that take no connection and are only probed now and then. */
  deadDestinations: number;
  /** Mail hosts that refuse all mail and are only probed now and then. */
  closedDestinations: number;
}

export interface Delivery {
  /**
   * A message is about to be stored. A thread that has nothing to sign begins with it meanwhile: an idle one, and in a burst,
   * while deliveries are held back, any, unless sends pile up.
   */
  storing(message: NewMessage): void;
  load(): DeliveryLoad;
  /** Takes no new work and ends what is under way, as shutdown.ts decides; `replyWaitMs` is for final replies. */
  stop(replyWaitMs: number): Promise<Stopped>;
}

/** What a stop left behind. */
export interface Stopped {
  /** Recipients whose final dot had left and had no reply: settled as UNKNOWN_POLICY says. */
  recipientsAtFinalDot: number;
  /** Attempts whose results could not be stored: the next start finds them as after a crash. */
  attemptsNotStored: number;
}

/** Attempts at one time over all destinations: bounds memory and sockets. */
const ATTEMPTS_MAX = 500;

/**
 * Signatures that may wait in a burst: so few that the signer pauses when the event loop is late, and the sends get both
 * cores. With 64, 6 % fewer are accepted and all is delivered 5 % sooner; with 8, a tenth more are accepted, but delivered
 * in smaller commits, which write 5 % more to the disk.
 */
const AHEAD_IN_BURST = 32;

/**
 * With more sends than this waiting the event loop is late, and each core is for them: at a steady 80 % of the greatest rate,
 * in turns, the slowest hundredth of the 202s took 42 ms instead of 56.
 */
const SENDS_WAITING_MAX = 50;

/** Starts delivering. Rejects when the spool cannot be read. */
export async function startDelivery(parts: DeliveryParts, seams: Seams = systemSeams(parts)): Promise<Delivery> {
  const { spool, clock, log, hostname, allowPrivate, smtpPort, sink } = parts;
  const { random, signer, connect } = seams;
  const resolver = cachingResolver(parts.resolver, clock);
  const routing: RoutingPolicy = { resolver, smtpPort, sink, random };
  const pool = new SessionPool({ clock });
  const health = new HostHealth(clock);
  const destinations = new CongestionWindows();
  const burst = new AcceptPriority(clock, parts.sendsWaiting);
  const shutdown = new Shutdown();
  const memory = await rememberDestinations({ spool, clock, log, destinations, health });

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
    sources: createSourceAddresses({ sendingIps: parts.sendingIps, resolver, clock, log }),
    ...(connect === undefined ? {} : { connect }),
  });
  const dispatcher = new Dispatcher({
    spool,
    attempt,
    acceptPriority: burst,
    shutdown,
    throttle: new DestinationThrottle(destinations),
    preparation: new Preparation({ routing, policiesOf: tlsPolicies(parts), clock }),
    clock,
    log,
    random,
    policy: { ...parts.retry, attemptsMax: ATTEMPTS_MAX },
  });
  dispatcher.wake();

  return {
    storing({ id: messageId, domainId, content }) {
      if (parts.sendsWaiting() > SENDS_WAITING_MAX) return;
      signer.signAhead({ messageId, domainId, content }, burst.isOn ? AHEAD_IN_BURST : 1);
    },
    load: () => ({
      attempts: dispatcher.attempts,
      openDestinations: destinations.busy,
      deadDestinations: health.deadCount(),
      closedDestinations: destinations.closedCount(clock.monotonicMs()),
    }),
    async stop(replyWaitMs) {
      const ending = shutdown.run({ clock, log, replyWaitMs, ended: () => dispatcher.ended() });
      void pool.close();
      const recipientsAtFinalDot = await ending;
      await memory.stop();
      // What was given back meanwhile.
      await pool.close();
      await signer.close();
      return { recipientsAtFinalDot, attemptsNotStored: dispatcher.attempts };
    },
  };
}

function systemSeams({ spool, vault, onFatal }: DeliveryParts): Seams {
  return { random: Math.random, signer: startSigner(spool, vault, onFatal) };
}

/** The TLS policy of recipient domains: MTA-STS always, DANE where a resolver says of its answers that it validated them. */
function tlsPolicies(parts: DeliveryParts): PoliciesOf {
  const { spool, resolver, secureResolver: secure, clock, log, allowPrivate } = parts;
  if (parts.sink !== null) return opportunistic;
  if (!secure.trusted)
    log.info("DANE is off: no DNS server is a validating one on loopback, and DNS_TRUST_AD is not set");
  const sts = new StsPolicies({ spool, resolver, clock, log, allowPrivate });
  return createPolicies({ sts, dane: secure.trusted ? secure : null, clock });
}

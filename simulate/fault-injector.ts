/**
 * Decides which faults a run has and how often each occurs. The seed determines both, so that some runs have a single
 * kind of fault and others have all. A rate is the probability at each occasion.
 */
import type { Prng } from "./prng.ts";

const FAULTS = {
  /** A statement or commit that writes fails: disk full or I/O error. */
  disk_refuses: [0.002, 0.2],
  /** A commit fails at its fsync; it may or may not be on disk. */
  fsync_fails: [0.002, 0.1],
  /** No space for new pages for a while. One occasion a minute. */
  disk_full: [0.01, 0.3],
  /** A write takes seconds. */
  disk_slow: [0.01, 0.3],
  dns_servfail: [0.01, 0.5],
  dns_stalls: [0.01, 0.3],
  /** An answer that differs from the zone: NXDOMAIN, no data, a private address, or the service's own host. */
  dns_wrong: [0.005, 0.15],
  /** At each step of a peer: */
  peer_silent: [0.002, 0.1],
  peer_cuts: [0.005, 0.15],
  peer_late: [0.005, 0.2],
  peer_garbles: [0.002, 0.1],
  peer_twice: [0.002, 0.1],
  peer_refuses: [0.01, 0.3],
  peer_defers: [0.01, 0.4],
  peer_early: [0.01, 0.2],
  /** The peer accepts the message, but its reply is lost, malformed, late or unexpected. */
  dot_unclear: [0.01, 0.5],
  /** The peer accepts the message and replies late. */
  dot_slow: [0.01, 0.5],
  /** Between the service and a peer: */
  net_cut: [0.001, 0.03],
  net_slow: [0.01, 0.2],
  net_splits: [0.05, 0.8],
  connect_fails: [0.01, 0.4],
  /** Between a client and the service: */
  client_cut: [0.01, 0.3],
  response_lost: [0.01, 0.3],
  body_slow: [0.02, 0.5],
  /** Of a receiver of webhooks: an error status, no response, a reset connection, a response around the limit. */
  receiver_refuses: [0.01, 0.4],
  receiver_hangs: [0.005, 0.2],
  receiver_resets: [0.01, 0.3],
  receiver_late: [0.01, 0.3],
  /** From then on, the receiver responds with an error to this event, whatever it responds to others. */
  receiver_rejects: [0.01, 0.1],
  /** One occasion a minute: */
  mx_moves: [0.02, 0.4],
  /** All hosts of a domain refuse connections for a while. */
  hosts_down: [0.02, 0.3],
  clock_jumps: [0.02, 0.4],
  /** The host is suspended: timers stop while the wall clock continues. */
  host_suspends: [0.02, 0.2],
  stops: [0.01, 0.2],
  /** A stored row of an undelivered message is damaged. */
  row_damaged: [0.02, 0.3],
  operator_acts: [0.05, 0.6],
  /** All receivers of webhooks refuse connections for a while. */
  receiver_down: [0.01, 0.2],
  /** An operator changes a webhook endpoint, or requests events again. */
  endpoint_changed: [0.02, 0.3],
  /** The hosts of a domain reject everything because of rate or reputation, for some minutes. */
  host_limits: [0.02, 0.4],
  /** A domain has hundreds of preferred exchangers without an address, for some minutes. */
  addressless_exchangers: [0.01, 0.2],
} as const;

export type Fault = keyof typeof FAULTS;

export type Rates = Partial<Record<Fault, number>>;

/** Results of faults and of event order, without a rate of their own. */
const OCCURRENCES = [
  /** The process was killed just before or after: */
  "killed_at_commit",
  "killed_at_smtp",
  "killed_at_connect",
  "killed_at_dns",
  "killed_at_response",
  "killed_at_webhook",
  /** A commit whose fsync failed was present after a crash. */
  "failed_commit_survived",
  /** A peer replied 250 after the service had closed the connection. */
  "accepted_after_disconnect",
  "accepted_without_reply",
  /** The service was stopped, and its wait ended before the reply to a final dot. */
  "stopped_before_final_reply",
  /** A damaged message was quarantined, and after its repair released by an operator or found intact. */
  "quarantined",
  "released_from_quarantine",
  "found_intact",
  /** Of large contents: parts stored before their message, and requests to remove parts. */
  "parts_staged",
  "parts_discarded",
  /** Receivers refused everything, because our own records had vanished. */
  "refused_for_own_records",
  /** Receivers asked for a pause, or refused our address. */
  "refused_by_limited_receiver",
  /** Of clients: */
  "retried_with_key",
  "retried_without_key",
  "sent_twice_at_once",
  /** Of webhooks: an event sent again after a success, a response that reached no process, and a response 410. */
  "webhook_repeated",
  "webhook_response_late",
  "receiver_gone",
  /** The operator's changes of webhook endpoints. */

  "endpoint_pause",
  "endpoint_resume",
  "endpoint_edit",
  "endpoint_rotate",
  "endpoint_replay",
  "endpoint_replay_one",
  /** The wrong DNS answers. */
  "wrong_nxdomain",
  "wrong_null_mx",
  "wrong_own_host",
  "wrong_nodata",
  "wrong_other_host",
  "wrong_private_address",
] as const;

export type Occurrence = (typeof OCCURRENCES)[number];

/** Counts how often each fault and each occurrence happened. */
export class Tally {
  readonly counts = new Map<Fault | Occurrence, number>(
    [...(Object.keys(FAULTS) as Fault[]), ...OCCURRENCES].map((name) => [name, 0]),
  );

  add(name: Fault | Occurrence, count = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }
}

export class FaultInjector {
  readonly tally = new Tally();
  readonly #prng: Prng;
  #rates: Rates;

  constructor(prng: Prng, rates: Rates) {
    this.#prng = prng;
    this.#rates = rates;
  }

  occurs(fault: Fault): boolean {
    const rate = this.#rates[fault] ?? 0;
    const isHit = rate > 0 && this.#prng.chance(rate);
    if (isHit) this.tally.add(fault);
    return isHit;
  }

  /** Stops injecting faults. */
  stop(): void {
    this.#rates = {};
  }
}

/** Draws the fault rates of a run. */
export function drawRates(prng: Prng): Rates {
  const rates: Rates = {};
  const many = prng.next();
  for (const [fault, range] of Object.entries(FAULTS) as [Fault, readonly [number, number]][]) {
    const rate = prng.logUniform(range);
    if (prng.chance(many)) rates[fault] = rate;
  }
  return rates;
}

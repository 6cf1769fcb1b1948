/**
 * Which faults a run has, and how often each: drawn from its seed, so that some runs know one kind of trouble alone and
 * some all at once. Rates are probabilities at each occasion.
 */
import type { Prng } from "./prng.ts";

const FAULTS = {
  /** A write's statement or commit is refused: full disk, I/O error. */
  disk_refuses: [0.002, 0.2],
  /** A commit is refused at its fsync: on disk or not, nobody knows. */
  fsync_fails: [0.002, 0.1],
  /** No room for new pages for a while, at each occasion a minute apart. */
  disk_full: [0.01, 0.3],
  /** The disk takes seconds. */
  disk_slow: [0.01, 0.3],
  dns_trouble: [0.01, 0.5],
  dns_stalls: [0.01, 0.3],
  /** Another answer than the zone's: no such name, nothing, a private address, ourselves. */
  dns_lies: [0.005, 0.15],
  /** At each step of a peer: */
  peer_silent: [0.002, 0.1],
  peer_cuts: [0.005, 0.15],
  peer_late: [0.005, 0.2],
  peer_garbles: [0.002, 0.1],
  peer_twice: [0.002, 0.1],
  peer_refuses: [0.01, 0.3],
  peer_defers: [0.01, 0.4],
  peer_early: [0.01, 0.2],
  /** Took the message, and the reply does not arrive as it should. */
  dot_unclear: [0.01, 0.5],
  /** Took the message, and takes its time over the reply. */
  dot_slow: [0.01, 0.5],
  /** On the way between us and a peer. */
  net_cut: [0.001, 0.03],
  net_slow: [0.01, 0.2],
  net_splits: [0.05, 0.8],
  connect_fails: [0.01, 0.4],
  /** Between a client and us. */
  client_cut: [0.01, 0.3],
  answer_lost: [0.01, 0.3],
  body_trickles: [0.02, 0.5],
  /** At each occasion a minute apart. */
  mx_moves: [0.02, 0.4],
  /** None of a domain's hosts takes a connection for a while. */
  hosts_down: [0.02, 0.3],
  clock_jumps: [0.02, 0.4],
  /** The host sleeps: timers stand still while the clock goes on. */
  host_sleeps: [0.02, 0.2],
  stops: [0.01, 0.2],
  /** A stored row of a message that waits turns out to be damaged. */
  row_damaged: [0.02, 0.3],
  person: [0.05, 0.6],
  /** A domain's hosts refuse everything for its rate or for our reputation, for some minutes. */
  host_limits: [0.02, 0.4],
  /** A domain has hundreds of exchangers without an address before its real ones, for some minutes. */
  hollow_exchangers: [0.01, 0.2],
} as const;

export type Fault = keyof typeof FAULTS;

export type Rates = Partial<Record<Fault, number>>;

/** What comes of the faults and of the order of things, and has no rate of its own. */
export const OCCURRENCES = [
  /** The process died just before or after: */
  ...["killed_at_commit", "killed_at_smtp", "killed_at_connect", "killed_at_dns", "killed_at_answer"],
  /** A commit whose fsync failed was there after a death. */
  "failed_commit_survived",
  /** A peer's 250 after we had gone. */
  "accepted_after_we_gave_up",
  "message_taken_and_never_told",
  /** The service was stopped, and its wait was over before the reply to a dot. */
  "stopped_before_final_reply",
  /** A damaged message was found, and released once it was repaired: by an operator, or because it was found sound again. */
  ...["quarantined", "released_from_quarantine", "found_sound_again"],
  /** Of a client: */
  ...["retried_with_key", "retried_without_key", "sent_twice_at_once"],
  /** What DNS lied. */
  ...["lied_nxdomain", "lied_null_mx", "lied_ourselves", "lied_nodata", "lied_elsewhere", "lied_private_address"],
] as const;

export type Occurrence = (typeof OCCURRENCES)[number];

/** How often each fault struck, and each turn was seen. */
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

  /** From here on nothing goes wrong any more. */
  stop(): void {
    this.#rates = {};
  }
}

/** The rates of a run. */
export function drawRates(prng: Prng): Rates {
  const rates: Rates = {};
  const many = prng.next();
  for (const [fault, range] of Object.entries(FAULTS) as [Fault, readonly [number, number]][]) {
    const rate = prng.logUniform(range);
    if (prng.chance(many)) rates[fault] = rate;
  }
  return rates;
}

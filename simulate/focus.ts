/**
 * Runs with few kinds of fault, which show an error only together and seldom occur together by chance. All other runs have any kinds of
 * fault.
 */
import type { DamagedTable } from "./damage.ts";
import type { Rates } from "./fault-injector.ts";
import { hasLimitedReceivers } from "./limited-receivers.ts";
import { losesOwnRecords } from "./own-records.ts";

export interface Focus {
  /** Of the only faults. */
  rates: Rates;
  /** Whether the process is killed, in most of these runs. */
  hasKills: boolean;
  /** The tables whose rows may be damaged; all tables if absent. */
  damaged?: readonly DamagedTable[];
}

const EVERY = 25;

/** By the remainder of the seed. Remainder 0 has an overloaded domain, and of every other 24 slow hosts. */
const FOCUSES: Readonly<Record<number, Focus>> = {
  // Contents are damaged while their messages wait for another attempt.
  8: {
    rates: { row_damaged: 0.3, peer_defers: 0.4, hosts_down: 0.2 },
    hasKills: true,
    damaged: ["contents", "content_parts"],
  },
  // Deadlines pass during look-ups.
  9: { rates: { dns_stalls: 0.3, host_suspends: 0.2 }, hasKills: false },
  // The wall clock is set while hosts are dead.
  17: { rates: { hosts_down: 0.3, clock_jumps: 0.4 }, hasKills: false },
};

/** Nothing fails but that receivers refuse us. */
const REFUSED: Focus = { rates: {}, hasKills: false };

/** Null for a run in which any faults occur. */
export const focusOf = (seed: number): Focus | null =>
  losesOwnRecords(seed) || hasLimitedReceivers(seed) ? REFUSED : (FOCUSES[seed % EVERY] ?? null);

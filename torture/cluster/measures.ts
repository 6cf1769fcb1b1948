/** How fast a cluster is as before after a fault: when the work of lost nodes was taken over, and when the rate was restored. */
import { setTimeout as delay } from "node:timers/promises";
import type { Accepted, Clients } from "./clients.ts";
import type { Cluster } from "./cluster.ts";

const LOOK_EVERY_MS = 200;
const WINDOW_MS = 2000;
/** Of the usual rate. */
const RESTORED_PART = 0.95;

/** Unmarked recipients that these nodes lease. */
const FIND_LEASED = "SELECT seq, position, attempts FROM work WHERE owner = ANY ($1::bigint[]) AND mark IS NULL";

/** Those that no other node has taken over. */
const COUNT_LEFT = `
  SELECT count(*)::int AS count, count(w.owner)::int AS leased FROM unnest($1::bigint[], $2::int[], $3::int[]) AS k (seq, position, attempts)
    JOIN work w USING (seq, position)
   WHERE w.mark IS NULL AND (w.owner = ANY ($4::bigint[]) OR (w.owner IS NULL AND w.attempts = k.attempts))`;

export interface Takeover {
  /** Unmarked recipients that the nodes leased. */
  recipients: number;
  tookMs: number;
  /** Those left when the time was over, also if the others were free to claim them. */
  left: number;
  /** Those that the lost nodes still leased then. */
  leased: number;
}

/** Waits until other nodes have taken over the unmarked work of lost nodes, which were lost at `sinceMs` (performance.now). */
export async function untilTakenOver(
  cluster: Cluster,
  numbers: readonly string[],
  { sinceMs, limitMs }: { sinceMs: number; limitMs: number },
): Promise<Takeover> {
  const rows = await cluster.query<{ seq: string; position: number; attempts: number }>(FIND_LEASED, [numbers]);
  const columns = [
    rows.map(({ seq }) => seq),
    rows.map(({ position }) => position),
    rows.map(({ attempts }) => attempts),
  ];
  for (;;) {
    const [row] =
      rows.length === 0
        ? []
        : await cluster.query<{ count: number; leased: number }>(COUNT_LEFT, [...columns, numbers]);
    const { count: left, leased } = row ?? { count: 0, leased: 0 };
    const tookMs = performance.now() - sinceMs;
    if (left === 0 || tookMs > limitMs)
      return { recipients: rows.length, tookMs: rows.length === 0 ? 0 : tookMs, left, leased };
    await delay(LOOK_EVERY_MS);
  }
}

/** The share of all accepted recipients that were delivered: the exchangers refuse some. */
export function deliveredShare({ history }: Cluster, { accepted }: Clients): number {
  return history.deliveries.length / recipientsOf(accepted);
}

/**
 * Waits until messages are accepted at the clients' rate, and the usual share of their recipients is delivered as fast as they are
 * accepted. Returns how long after `sinceMs` (performance.now) that was; null if it was not in time.
 */
export async function untilRestored(
  cluster: Cluster,
  clients: Clients,
  { usualShare, sinceMs, limitMs }: { usualShare: number; sinceMs: number; limitMs: number },
): Promise<number | null> {
  for (;;) {
    const tookMs = performance.now() - sinceMs;
    if (tookMs >= WINDOW_MS && isAtRate(cluster, clients, usualShare)) return tookMs;
    if (tookMs > limitMs) return null;
    await delay(LOOK_EVERY_MS);
  }
}

/** Of the last WINDOW_MS. */
function isAtRate({ history }: Cluster, { accepted, perSecond }: Clients, usualShare: number): boolean {
  const sinceMs = Date.now() - WINDOW_MS;
  const recent = newestSince(accepted, sinceMs);
  const delivered = newestSince(history.deliveries, sinceMs).length;
  return (
    recent.length >= RESTORED_PART * perSecond * (WINDOW_MS / 1000) &&
    delivered >= RESTORED_PART * usualShare * recipientsOf(recent)
  );
}

const recipientsOf = (accepted: readonly Accepted[]): number =>
  accepted.reduce((sum, { recipients }) => sum + recipients, 0);

/** The things after this moment. They are in the order of their times. */
function newestSince<T extends { atMs: number }>(things: readonly T[], sinceMs: number): T[] {
  let count = 0;
  while (count < things.length && (things[things.length - 1 - count] as T).atMs > sinceMs) count += 1;
  return things.slice(things.length - count);
}

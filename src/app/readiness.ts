/**
 * Whether the service can do its work: accept and deliver. Decides when new sends are refused as a whole, and what
 * /readyz says; a single send that the spool cannot commit is refused by the spool itself.
 */
import type { Clock } from "../lib/clock.ts";
import { TtlCache } from "../lib/ttl-cache.ts";
import { describePause, readDeliveryPause } from "../spool/port/delivery-pause.ts";
import type { Spool } from "../spool/port/spool.ts";

/** Waiting recipients beyond which nothing more is accepted until delivery has caught up. */
const BACKLOG_MAX = 2_000_000;
const BACKLOG_LOOK_MS = 5000;

/** How long one look at the spool holds for everybody who asks, and how long the spool may take to answer it. */
const PROBE_KEPT_MS = 1000;
const PROBE_LIMIT_MS = 5000;

export interface Readiness {
  /** Why nothing new is accepted; null when it is. */
  refusal(): string | null;
  /** Why the service cannot do its work, the spool tried by a commit; empty when it can. */
  reasons(): Promise<string[]>;
  /** Aborts when nothing changes any more before the service ends: what only waits should end. */
  readonly waitsEnd: AbortSignal;
  /** From now on new sends are refused. */
  stop(): void;
  endWaits(): void;
}

export interface ReadinessOptions {
  /** Why no mail gets out of this host, as last seen. */
  hostReasons?: () => string[];
  /** Between two looks at how many recipients wait. */
  backlogLookMs?: number;
}

/** Rejects when the spool cannot be read at the start. */
export async function watchReadiness(
  spool: Spool,
  clock: Clock,
  { hostReasons = () => [], backlogLookMs = BACKLOG_LOOK_MS }: ReadinessOptions = {},
): Promise<Readiness> {
  let isStopping = false;
  const waitsEnd = new AbortController();
  let backlog = await spool.backlog();
  const look = async (): Promise<void> => {
    // A spool that cannot be read says so itself at the next accept.
    backlog = await spool.backlog().catch(() => backlog);
    if (!isStopping) clock.after(backlogLookMs, () => void look());
  };
  clock.after(backlogLookMs, () => void look());

  const refusal = (): string | null => {
    if (isStopping) return "The mail engine is stopping. Retry with the same Idempotency-Key.";
    if (backlog >= BACKLOG_MAX) return "Too much mail waits to be delivered. Retry with the same Idempotency-Key.";
    return null;
  };
  const probes = new TtlCache<string | null>({ clock, keptMs: PROBE_KEPT_MS, max: 1, worthKeeping: () => true });
  const probe = () => probes.get("spool", () => probeSpool(spool, clock));
  return {
    refusal,
    reasons: async () => {
      const all = isStopping ? [refusal()] : [refusal(), await pause(spool), await probe(), ...hostReasons()];
      return all.filter((reason) => reason !== null);
    },
    waitsEnd: waitsEnd.signal,
    stop: () => {
      isStopping = true;
    },
    endWaits: () => waitsEnd.abort(),
  };
}

/** A spool that cannot be read is the probe's to tell. */
async function pause(spool: Spool): Promise<string | null> {
  const paused = await readDeliveryPause(spool).catch(() => null);
  return paused === null ? null : describePause(paused);
}

/** What stands in the way of a commit; null when one went through. */
function probeSpool(spool: Spool, clock: Clock): Promise<string | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(PROBE_LIMIT_MS, () => resolve("The spool takes too long to commit."));
    const settle = (reason: string | null): void => {
      cancel();
      resolve(reason);
    };
    spool.writeValue("readiness", new Date(clock.now()).toISOString()).then(
      () => settle(null),
      (error: Error) => settle(`The spool cannot commit: ${error.message}`),
    );
  });
}

/**
 * Looks at bound domains again when they fall due, for as long as the service runs.
 * Decides when to look and how many at once; what is seen is verify.ts's business.
 */
import type { Clock } from "../clock.ts";
import type { Logger } from "../log.ts";
import type { Domain, Registry } from "../spool/registry.ts";
import type { CheckContext } from "./check.ts";
import { SOON_MS } from "./standing.ts";
import { verifyDomain } from "./verify.ts";

/** Domains added by another process are seen after this long. */
const SLEEP_MAX_MS = 60_000;
/** So that a domain which stays due cannot make the loop spin. */
const SLEEP_MIN_MS = 1000;
const AT_ONCE = 4;
const ROUND_MAX = 64;

export interface Rechecking {
  registry: Pick<Registry, "domainsDue" | "nextDomainCheckMs" | "saveChecks">;
  context: CheckContext;
  clock: Clock;
  log: Logger;
}

export interface Rechecks {
  /** Resolves once the looks under way are over. */
  stop(): Promise<void>;
  /** Looks for due domains now, such as one that was just bound. */
  wake(): void;
}

/** Starts looking. Trouble with one domain, or with the registry, is logged and never ends it. */
export function startRechecks(rechecking: Rechecking): Rechecks {
  const sleep = createSleep(rechecking.clock);
  let stopped = false;
  const run = async () => {
    while (!stopped) await sleep.for(await round(rechecking, () => stopped));
  };
  const running = run();
  return {
    wake: sleep.end,
    async stop() {
      stopped = true;
      sleep.end();
      await running;
    },
  };
}

/** Checks what is due; returns how long to sleep. */
async function round(rechecking: Rechecking, stopped: () => boolean): Promise<number> {
  const { registry, clock, log } = rechecking;
  try {
    const due = await registry.domainsDue(clock.now(), ROUND_MAX);
    const lane = async () => {
      for (let domain = due.shift(); domain && !stopped(); domain = due.shift()) await recheck(domain, rechecking);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    const nextMs = (await registry.nextDomainCheckMs()) ?? Number.POSITIVE_INFINITY;
    return Math.min(Math.max(nextMs - clock.now(), SLEEP_MIN_MS), SLEEP_MAX_MS);
  } catch (error) {
    log.warn({ err: error }, "domains could not be read for their checks");
    return SLEEP_MAX_MS;
  }
}

async function recheck(domain: Domain, { registry, context, clock, log }: Rechecking): Promise<void> {
  try {
    const { checks, verified, nextCheckAtMs } = await verifyDomain(domain, context, clock.now());
    await registry.saveChecks(domain.id, checks, verified, nextCheckAtMs);
    if (verified !== domain.verified) log.info({ domain: domain.name, verified }, "domain's standing changed");
  } catch (error) {
    log.error({ err: error, domain: domain.name }, "domain could not be checked");
    await postpone(domain, { registry, clock, log });
  }
}

/** A domain that cannot be checked must not stay in front of the others. */
async function postpone(domain: Domain, { registry, clock, log }: Omit<Rechecking, "context">): Promise<void> {
  try {
    await registry.saveChecks(domain.id, domain.checks, domain.verified, clock.now() + SOON_MS);
  } catch (error) {
    log.warn({ err: error, domain: domain.name }, "domain's next check could not be put off");
  }
}

/** A sleep that can be ended early; ending it before it has begun makes it none. */
function createSleep(clock: Clock): { for(delayMs: number): Promise<void>; end(): void } {
  let ended = false;
  let finish: (() => void) | null = null;
  return {
    async for(delayMs) {
      if (!ended) {
        const over = new Promise<void>((resolve) => {
          finish = resolve;
        });
        const cancel = clock.after(delayMs, () => finish?.());
        await over;
        cancel();
      }
      finish = null;
      ended = false;
    },
    end() {
      ended = true;
      finish?.();
    },
  };
}

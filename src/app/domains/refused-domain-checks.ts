/**
 * Checks the records of a sending domain at once when a receiver refuses its authentication, so that the domain's page and
 * its events show the missing record. Decides how often and how many at once; verify-domain.ts runs the checks.
 */

import type { CheckContext } from "../../domains/check.ts";
import { boundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { SerialQueues } from "../../lib/serial-queues.ts";
import { MINUTE_MS } from "../../lib/units.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";
import { verifyNow } from "./verify-domain.ts";

/** Between two checks of a domain, however many receivers refuse it. */
const CHECK_GAP_MS = 5 * MINUTE_MS;
const DOMAINS_MAX = 10_000;

/** Checks at one time, and those that wait for one of them. Beyond that, the next refusal asks again. */
const AT_ONCE = 2;
const WAITING_MAX = 50;

export interface RefusedDomainChecksParts {
  registry: Registry;
  context: CheckContext;
  clock: Clock;
  log: Logger;
}

export class RefusedDomainChecks {
  readonly #parts: RefusedDomainChecksParts;
  /** When each domain was last checked for a refusal, by the monotonic clock. */
  readonly #checked = boundedMap<number>(DOMAINS_MAX);
  readonly #queues = new SerialQueues(WAITING_MAX);
  #count = 0;
  #isStopped = false;

  constructor(parts: RefusedDomainChecksParts) {
    this.#parts = parts;
  }

  /** Checks the bound domain soon, unless that was done a moment ago. */
  check({ accountId, domainId }: { accountId: string; domainId: string }): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const lastMs = this.#checked.peek(domainId);
    if (this.#isStopped || (lastMs !== undefined && nowMs - lastMs < CHECK_GAP_MS)) return;
    const queue = String(this.#count % AT_ONCE);
    if (this.#queues.run(queue, () => this.#run(accountId, domainId)) === null) return;
    this.#count += 1;
    this.#checked.set(domainId, nowMs);
  }

  /** Stops starting checks. */
  stop(): void {
    this.#isStopped = true;
  }

  async #run(accountId: string, domainId: string): Promise<void> {
    const { registry, context, clock, log } = this.#parts;
    if (this.#isStopped) return;
    try {
      const domain = (await registry.domains(accountId)).find(({ id }) => id === domainId);
      if (domain === undefined) return;
      const checked = await verifyNow(registry, domain, { context, nowMs: clock.now() });
      log.warn({ domain: domain.name, failing: failing(checked) }, "sending domain rejected: its records are checked");
    } catch (error) {
      log.warn({ err: error, domainId }, "check of a rejected sending domain failed");
    }
  }
}

/** The names of the checks that do not pass now. */
function failing({ checks }: Domain): string[] {
  return Object.entries(checks).flatMap(([name, { state }]) => (state === "verified" ? [] : [name]));
}

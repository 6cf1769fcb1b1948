/**
 * What the steps of one attempt share: its job, the results so far, the observed load, and whether anything more may begin.
 * Which hosts are tried is decided in attempt.ts, the use of one address in address-attempt.ts.
 */
import type { Logger } from "../../lib/log.ts";
import type { HostAttempt } from "../../message/outcome.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { RoutingPolicy } from "../routing/route.ts";
import type { SourceAddresses } from "../routing/source-addresses.ts";
import type { Signer } from "../signing/signer.ts";
import type { HostHealth } from "../throttle/host-health.ts";
import { LoadObservations } from "../throttle/load-observations.ts";
import type { SessionCounts } from "../tls/session-counts.ts";
import type { Verdict } from "../verdict.ts";
import { AttemptInterruption } from "./attempt-interruption.ts";
import { AttemptRecord } from "./attempt-record.ts";
import { isPastDeadline } from "./retry-decision.ts";
import type { ReturnPaths } from "./return-paths.ts";
import type { SessionOpenerParts } from "./session-opener.ts";
import type { Shutdown } from "./shutdown.ts";
import { MessageLoader } from "./signed-message.ts";

export interface AttemptParts extends SessionOpenerParts {
  spool: Spool;
  signer: Pick<Signer, "sign">;
  log: Logger;
  routing: RoutingPolicy;
  health: HostHealth;
  sources: SourceAddresses;
  returnPaths: ReturnPaths;
  allowPrivate: boolean;
  shutdown: Shutdown;
  /** Counts the sessions for TLS reports; absent where none are sent. */
  sessionCounts?: Pick<SessionCounts, "add">;
}

/** After this time nothing new begins: an attempt at slow hosts gives its slot to others, and the job is retried. */
const ATTEMPT_LIMIT_MS = 3_600_000;

export class AttemptState {
  readonly parts: AttemptParts;
  readonly job: DeliveryJob;
  readonly record: AttemptRecord;
  readonly message: MessageLoader;
  readonly interruption: AttemptInterruption;
  readonly observations = new LoadObservations();
  readonly #limitMs: number;
  #isLeaseLost = false;

  constructor(parts: AttemptParts, job: DeliveryJob) {
    this.parts = parts;
    this.job = job;
    this.record = new AttemptRecord(job);
    this.message = new MessageLoader(parts, job, this.record);
    this.interruption = new AttemptInterruption(parts.shutdown);
    this.#limitMs = parts.clock.monotonicMs() + ATTEMPT_LIMIT_MS;
  }

  /** Whether the attempt ends because its lease was lost: another claimant may have the undecided recipients. */
  get isLeaseLost(): boolean {
    return this.#isLeaseLost;
  }

  loseLease(): void {
    this.#isLeaseLost = true;
  }

  /** Whether the lease holds. If it does not, it is lost to the attempt. */
  checkLease(): boolean {
    this.#isLeaseLost ||= !this.parts.spool.leaseIsCurrent(this.job.lease);
    return !this.#isLeaseLost;
  }

  /**
   * Whether nothing more may begin: every recipient is decided, enough hosts have refused, the lease is lost, the time is
   * over, or the service stops. Ask only where there is more to try: asking during a shutdown marks the attempt as
   * interrupted.
   */
  get isOver(): boolean {
    if (this.observations.isRefused || this.record.undecided.length === 0 || !this.checkLease()) return true;
    return (
      this.isPastDeadline || this.parts.clock.monotonicMs() > this.#limitMs || this.interruption.interruptIfStopping()
    );
  }

  /** Whether the sender's own deadline is over. */
  get isPastDeadline(): boolean {
    return isPastDeadline(this.job, this.parts.clock.now());
  }

  /** Records a try that concerns every undecided recipient. */
  add(verdict: Verdict, attempted: HostAttempt): void {
    this.record.add(this.record.undecided, verdict, attempted);
  }
}

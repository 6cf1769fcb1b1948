/**
 * What the steps of one attempt share: its job, the results so far, the observed load, and whether anything more may begin.
 * Which hosts are tried is decided in attempt.ts, the use of one address in address-attempt.ts.
 */

import type { Logger } from "../../lib/log.ts";
import { withinLimit } from "../../lib/time-limit.ts";
import { HOUR_MS } from "../../lib/units.ts";
import type { HostAttempt } from "../../message/result/outcome.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";
import type { SendingAddress } from "../../spool/port/sending-addresses.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { RoutingPolicy } from "../routing/route.ts";
import type { SourceAddresses } from "../routing/source-addresses.ts";
import type { Signer } from "../signing/signer.ts";
import { BRIEF_STEP_MS } from "../smtp/timeouts.ts";
import { LoadObservations } from "../throttle/load-observations.ts";
import type { SessionCounts } from "../tls/session-counts.ts";
import type { Verdict } from "../verdict.ts";
import { AttemptInterruption } from "./attempt-interruption.ts";
import { AttemptRecord } from "./attempt-record.ts";
import { isPastDeadline } from "./retry-decision.ts";
import type { ReturnPaths } from "./return-paths.ts";
import type { SessionOpenerParts } from "./session-opener.ts";
import type { SevenBitContents } from "./seven-bit-contents.ts";
import type { Shutdown } from "./shutdown.ts";
import { MessageLoader } from "./signed-message.ts";

export interface AttemptParts extends SessionOpenerParts {
  spool: Spool;
  signer: Pick<Signer, "sign">;
  log: Logger;
  routing: RoutingPolicy;
  sources: SourceAddresses;
  returnPaths: ReturnPaths;
  sevenBitContents: SevenBitContents;
  allowPrivate: boolean;
  shutdown: Shutdown;
  /** Counts the sessions for TLS reports; absent where none are sent. */
  sessionCounts?: Pick<SessionCounts, "add">;
}

/** After this time nothing new begins: an attempt at slow hosts gives its slot to others, and the job is retried. */
const ATTEMPT_LIMIT_MS = HOUR_MS;

/** The circumstances in which an attempt begins. */
export interface AttemptConditions {
  /** Whether its steps have little time (timeouts.ts), and nothing new begins after that of one step. */
  isBrief: boolean;
  /** The sending address, and the window that its connections count in; absent where the system chooses. */
  source?: { address: SendingAddress; window: string };
  /** Called when a final dot is sent. */
  onDot?: () => void;
}

export class AttemptState {
  readonly parts: AttemptParts;
  readonly job: DeliveryJob;
  readonly record: AttemptRecord;
  readonly message: MessageLoader;
  readonly interruption: AttemptInterruption;
  readonly isBrief: boolean;
  readonly source: AttemptConditions["source"];
  readonly onDot: () => void;
  readonly observations = new LoadObservations();
  readonly #limitMs: number;
  #isLeaseLost = false;

  constructor(parts: AttemptParts, job: DeliveryJob, { isBrief, source, onDot = () => {} }: AttemptConditions) {
    this.parts = parts;
    this.isBrief = isBrief;
    this.source = source;
    this.onDot = onDot;
    this.job = job;
    this.record = new AttemptRecord(job);
    this.message = new MessageLoader(parts, job);
    this.interruption = new AttemptInterruption(parts.shutdown);
    this.#limitMs = parts.clock.monotonicMs() + (isBrief ? BRIEF_STEP_MS : ATTEMPT_LIMIT_MS);
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

  /**
   * The result of a look-up, or `late` where it takes more than half of the time to the sender's own deadline: the next host
   * may be faster.
   */
  lookedUp<T>(lookUp: Promise<T>, late: T): Promise<T> {
    const { clock } = this.parts;
    const { deadlineMs } = this.job;
    if (deadlineMs === undefined) return lookUp;
    return withinLimit(lookUp, { clock, limitMs: (deadlineMs - clock.now()) / 2, late });
  }

  /** Records a try that concerns every undecided recipient. */
  add(verdict: Verdict, attempted: HostAttempt): void {
    this.record.add(this.record.undecided, verdict, attempted);
  }
}

/**
 * Postrider's policy in the model of a day: its own destination throttle, windows, pace, limits, pauses, verdicts and retry times, with a
 * queue in order of due times instead of the spool and its scheduler.
 */

import { withPause } from "../src/delivery/dispatch/told-pause.ts";
import { LimitsOfDestinations } from "../src/delivery/routing/connection-limits.ts";
import { CongestionWindows } from "../src/delivery/throttle/congestion-window.ts";
import { DestinationThrottle, type Permit } from "../src/delivery/throttle/destination-throttle.ts";
import { signalOf } from "../src/delivery/throttle/load-signal.ts";
import { MinutePace } from "../src/delivery/throttle/minute-pace.ts";
import { verdictOnResult, verdictOnSession } from "../src/delivery/verdict.ts";
import { troubleOfReply } from "../src/message/result/closed-destination.ts";
import { DEFAULT_RETRY_SCHEDULE, nextAttemptAtMs, parseDuration } from "../src/message/retry.ts";
import { MESSAGES_PER_CONNECTION } from "../src/receivers/limits.ts";
import { LocalBuckets } from "../src/spool/records/local-buckets.ts";
import type { DayMessage, Policy, PolicyParts } from "./day.ts";
import { ModelConnections } from "./day-connections.ts";
import type { ModelReceiver, Refusal } from "./day-receivers.ts";
import { Fifo } from "./fifo.ts";

const IDLE_MS = 5000;
const MAX_AGE_MS = 48 * 3_600_000;
const SCHEDULE = DEFAULT_RETRY_SCHEDULE.split(",").map((gap) => parseDuration(gap) ?? 0);

interface Destination {
  receiver: ModelReceiver;
  connections: ModelConnections;
  due: Fifo<DayMessage>;
  isEntering: boolean;
}

export class PostriderPolicy implements Policy {
  readonly #parts: PolicyParts;
  readonly #limits = new LimitsOfDestinations(new Map());
  readonly #throttle: DestinationThrottle;
  readonly #destinations: Destination[];
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #cancelWake: () => void = () => {};

  constructor(parts: PolicyParts) {
    this.#parts = parts;
    const { time, prng, receivers } = parts;
    const clock = { monotonicMs: () => time.nowMs };
    const pace = new MinutePace({
      limits: { tokenBuckets: (_kind, rate) => new LocalBuckets(rate, clock) },
      perMinuteOf: (name) => this.#limits.of(name).messagesPerMinute,
    });
    const windows = new CongestionWindows(undefined, (name) => this.#limits.of(name).connections);
    this.#throttle = new DestinationThrottle(windows, pace);
    this.#destinations = receivers.map((receiver) => ({
      receiver,
      due: new Fifo(),
      isEntering: false,
      connections: new ModelConnections(time, prng, receiver, {
        idleMs: IDLE_MS,
        mayReuse: ({ carried }) =>
          carried < (this.#limits.of(receiver.key).messagesPerConnection ?? MESSAGES_PER_CONNECTION),
        onEnd: (carried) => this.#limits.noteEnd(receiver.key, carried),
      }),
    }));
  }

  submit(message: DayMessage): void {
    const destination = this.#destinations[message.receiver] as Destination;
    destination.due.push(message);
    void this.#enter(destination);
  }

  /** Begins attempts until the destination is full or nothing is due. */
  async #enter(destination: Destination): Promise<void> {
    if (destination.isEntering) return;
    destination.isEntering = true;
    const { key } = destination.receiver;
    for (let message = destination.due.first; message !== undefined; message = destination.due.first) {
      const job = { messageId: String(message.number), domain: key };
      const entered = await this.#throttle.enter(job, key, () => this.#parts.time.nowMs);
      if (entered.type === "full") break;
      destination.due.shift();
      if (entered.type === "permit") this.#attempt(destination, message, entered);
      else this.#defer(message);
    }
    destination.isEntering = false;
    if (destination.due.first !== undefined) this.#sleep();
  }

  #attempt(destination: Destination, message: DayMessage, permit: Permit): void {
    message.attempts += 1;
    const { time, results } = this.#parts;
    destination.connections.attempt((refusal) => {
      if (refusal === null) {
        this.#throttle.release(permit, "accepted", time.nowMs);
        results.deliver(message);
      } else this.#refuse(destination, message, { permit, refusal });
      void this.#enter(destination);
    });
  }

  #refuse(
    { receiver }: Destination,
    message: DayMessage,
    { permit, refusal }: { permit: Permit; refusal: Refusal },
  ): void {
    const { stage, reply } = refusal;
    const signal = signalOf([{ stage, reply }]);
    const trouble = signal === "refused" ? withPause(troubleOfReply(reply, stage), receiver.key, this.#limits) : null;
    this.#throttle.release(permit, signal, this.#parts.time.nowMs, trouble);
    const verdict =
      stage === "greeting"
        ? verdictOnSession("refused", { reply, stage })
        : verdictOnResult({ type: "reply", stage, reply }, { dotSent: false, isEncrypted: true, fallback: "none" });
    if (verdict.type === "failed") this.#parts.results.fail(message);
    else this.#defer(message);
  }

  #defer(message: DayMessage): void {
    const { time, prng } = this.#parts;
    const dueMs = nextAttemptAtMs({
      attempt: Math.max(1, message.attempts),
      nowMs: time.nowMs,
      schedule: SCHEDULE,
      expiresAtMs: message.acceptedMs + MAX_AGE_MS,
      random: prng.next,
    });
    time.after((dueMs ?? time.nowMs) - time.nowMs, () => this.submit(message));
  }

  /** Until the throttle expects capacity without the end of an attempt. */
  #sleep(): void {
    const { nowMs } = this.#parts.time;
    this.#throttle.allowances(nowMs);
    const nextMs = this.#throttle.nextCapacityMs(nowMs);
    if (nextMs === null || nextMs >= this.#wakeAtMs) return;
    this.#cancelWake();
    this.#wakeAtMs = nextMs;
    this.#cancelWake = this.#parts.time.after(nextMs - nowMs, () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      for (const destination of this.#destinations) void this.#enter(destination);
    });
  }
}

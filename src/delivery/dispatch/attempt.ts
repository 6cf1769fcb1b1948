/**
 * One attempt at a delivery job: its mail hosts and their addresses in order, until every recipient has a final result (RFC
 * 5321 §5.1). address-attempt.ts decides what happens at one address; attempt-record.ts holds the results.
 */
import { MemoryRefused } from "../../lib/memory-queue.ts";
import type { Trouble } from "../../message/result/closed-destination.ts";
import type { Outcome } from "../../message/result/outcome.ts";
import { MessageDamaged } from "../../spool/port/errors.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";
import { addressesOf, hostsToTry, type MailHost, type MailHostAddresses, type Route } from "../routing/route.ts";
import { type Endpoint, NO_IPV6_SOURCE, noAddressOfFamily } from "../routing/source-addresses.ts";
import type { LoadSignal } from "../throttle/load-signal.ts";
import type { SenderRefusal } from "../throttle/sender-pauses.ts";
import { unusableOutcome } from "../tls/tls-outcome.ts";
import type { HostPolicy } from "../tls/tls-policy.ts";
import { internalError, verdictOnPolicy, verdictOnRoute, verdictOnSession } from "../verdict.ts";
import { AddressAttempt, STOPPED_BEFORE_DOT } from "./address-attempt.ts";
import { type AttemptConditions, type AttemptParts, AttemptState } from "./attempt-state.ts";
import type { PreparedDomain } from "./preparation.ts";
import { contextWithoutSession, type Target } from "./session-opener.ts";

/** Addresses tried in one attempt. Hosts share them, half at most for one, so that the first does not hide the next. */
const ADDRESSES_MAX = 16;
const ADDRESSES_PER_HOST_MIN = 2;

const NO_MEMORY = "the server lacks 8BITMIME, and Postrider had no memory to convert the message to 7 bits";

/** The results of look-ups that took too much of a message's time. */
const LATE = "could not be looked up in half of the time that the message had left";
const LATE_POLICY: HostPolicy = {
  type: "unusable",
  name: "dane",
  cause: "dns_trouble",
  error: `whether it has TLSA records ${LATE}`,
};
const LATE_ADDRESSES: MailHostAddresses = { type: "none", error: `its address ${LATE}` };

export interface AttemptResult {
  /**
   * One for each recipient of the job, in its order; null for those to release without a result, because the message is
   * damaged or the lease was lost.
   */
  outcomes: (Outcome | null)[];
  signal: LoadSignal;
  /** The last thing that was refused for load; null or absent if nothing was. */
  trouble?: Trouble | null;
  /** The last refusal of the sending domain; null or absent if there was none. */
  senderRefusal?: SenderRefusal | null;
}

/**
 * Returns the function that runs an attempt. It never rejects. Damage may be found in a later part of a content, when some
 * recipients are decided already; their results remain.
 */
export function createAttempt(
  parts: AttemptParts,
): (job: DeliveryJob, prepared: PreparedDomain, conditions?: AttemptConditions) => Promise<AttemptResult> {
  return async (job, prepared, conditions = { isBrief: false }) => {
    const attempt = new Attempt(new AttemptState(parts, job, conditions), prepared);
    const { interruption } = attempt.state;
    const unregister = parts.shutdown.register(interruption);
    try {
      await Promise.race([attempt.run(), interruption.abandoned]);
    } catch (error) {
      const { messageId } = job;
      if (error instanceof MessageDamaged) {
        parts.log.error({ messageId, error: error.message }, "message quarantined: its content is damaged");
        return attempt.finishDecided();
      }
      if (error instanceof MemoryRefused) {
        parts.log.warn({ messageId, reason: error.reason }, "attempt ended: no memory for the message in 7 bits");
        attempt.fail(NO_MEMORY);
      } else {
        parts.log.error({ messageId, err: error }, "attempt aborted by an internal error");
        attempt.fail((error as Error).message);
      }
    } finally {
      unregister();
      attempt.state.message.close();
    }
    if (!attempt.state.isLeaseLost) return attempt.finish();
    parts.log.warn({ messageId: job.messageId }, "attempt ended: the lease was lost");
    return attempt.finishDecided();
  };
}

class Attempt {
  readonly state: AttemptState;
  readonly #prepared: PreparedDomain;

  constructor(state: AttemptState, prepared: PreparedDomain) {
    this.state = state;
    this.#prepared = prepared;
  }

  async run(): Promise<void> {
    const { state } = this;
    const { route, policyFor } = this.#prepared;
    const destination = state.source?.window ?? this.#prepared.destination;
    if (route.type !== "hosts") return this.#addUnroutable(route);
    let addressesLeft = ADDRESSES_MAX;
    const hosts = hostsToTry(route.hosts, state.parts.routing.random);
    const share = Math.max(Math.floor(ADDRESSES_MAX / Math.max(hosts.length, 2)), ADDRESSES_PER_HOST_MIN);
    for (const host of hosts) {
      if (addressesLeft === 0 || state.isOver) return;
      const policy = await state.lookedUp(policyFor(host), LATE_POLICY);
      if (policy.type === "unusable") {
        this.#skip(host, policy);
        continue;
      }
      for (const endpoint of await this.#endpoints({ host, policy }, share)) {
        if (addressesLeft === 0 || state.isOver) return;
        addressesLeft -= 1;
        const { isBrief } = state;
        await new AddressAttempt(state, { destination, host, endpoint, policy, isBrief }).run();
      }
    }
  }

  /** Ends the attempt by an error of our own; recipients that are decided stay so. */
  fail(error: string): void {
    const context = contextWithoutSession(this.state.job.domain);
    this.state.add(internalError, { ...context, stage: "dns", reply: null, error });
  }

  finish(): AttemptResult {
    const { record, interruption, isPastDeadline, job } = this.state;
    if (interruption.isInterrupted) {
      const context = contextWithoutSession(job.domain);
      record.addInterrupted({ ...context, stage: "dns", reply: null, error: STOPPED_BEFORE_DOT });
    }
    if (isPastDeadline) this.#addPastDeadline();
    return this.#resultOf(record.outcomes());
  }

  /** Ends the attempt without a result for the undecided recipients. */
  finishDecided(): AttemptResult {
    return this.#resultOf(this.state.record.decidedOutcomes());
  }

  #resultOf(outcomes: (Outcome | null)[]): AttemptResult {
    const { signal, trouble, senderRefusal } = this.state.observations;
    return { outcomes, signal, trouble, senderRefusal };
  }

  #addUnroutable(route: Exclude<Route, { type: "hosts" }>): void {
    const { record, job } = this.state;
    const { verdict, error } = verdictOnRoute(route);
    const result = { stage: "dns", reply: null, error } as const;
    record.add(record.recipients, verdict, { ...contextWithoutSession(job.domain), ...result });
  }

  #skip(host: MailHost, policy: Extract<HostPolicy, { type: "unusable" }>): void {
    const { cause, error } = policy;
    const { from, domain } = this.state.job;
    this.state.parts.sessionCounts?.add({ from, domain, mx: host.name, ip: "" }, unusableOutcome(policy));
    const context = contextWithoutSession(host.name, { policy });
    this.state.record.addSkippedHost(verdictOnPolicy(cause), { ...context, stage: "dns", reply: null, error });
  }

  /** The host's addresses, at most `max`; empty after recording why there are none. */
  async #endpoints({ host, policy }: Pick<Target, "host" | "policy">, max: number): Promise<Endpoint[]> {
    const { routing, sources } = this.state.parts;
    const choice = { max, random: routing.random };
    const found = await this.state.lookedUp(addressesOf(host, routing.resolver, choice), LATE_ADDRESSES);
    const context = contextWithoutSession(host.name, { policy });
    if (found.type === "none") {
      this.state.add(verdictOnSession("no_address"), { ...context, stage: "dns", reply: null, error: found.error });
      return [];
    }
    if (host.isSink) return found.addresses.map((address) => ({ address }));
    const from = this.state.source?.address ?? null;
    const endpoints = await sources.endpointsFor(found.addresses, from);
    if (endpoints.length === 0) {
      const error = from === null ? NO_IPV6_SOURCE : noAddressOfFamily(from.ip);
      const result = { stage: "connect", reply: null, error } as const;
      this.state.add(verdictOnSession("unreachable"), { ...context, ...result });
    }
    return endpoints;
  }

  #addPastDeadline(): void {
    const { record, job } = this.state;
    const untried = record.undecided.filter(({ tries }) => tries.length === 0);
    const error = "not tried: the message's deadline passed before a server could be tried";
    record.add(untried, internalError, { ...contextWithoutSession(job.domain), stage: "dns", reply: null, error });
  }
}

/**
 * A model of a day: messages to twelve receivers with limits arrive over 24 hours, more by day than by night, and one policy sends them,
 * Postrider's or that of Postfix. The model has virtual time, and its receivers see the same arrivals with each policy.
 */

import { PostfixPolicy } from "./day-postfix.ts";
import { PostriderPolicy } from "./day-postrider.ts";
import { DAY_MS, DAY_RECEIVERS, ModelReceiver, type Reaction, type ReceiverCounts } from "./day-receivers.ts";
import { Prng } from "./prng.ts";
import { VirtualTime } from "./virtual-time.ts";

/** The model ends six hours after the day. Messages that wait then count as not delivered. */
const END_MS = 1.25 * DAY_MS;
/** The rate at noon is 1.6 times the mean, and 0.4 times at midnight. */
const SWING = 0.6;
const CONNECTIONS_SEED = 0x6a09e66;
const RECEIVERS_SEED = 0x3c6ef37;

export interface DayMessage {
  number: number;
  /** The index of its receiver. */
  receiver: number;
  acceptedMs: number;
  attempts: number;
}

export interface PolicyParts {
  time: VirtualTime;
  prng: Prng;
  receivers: readonly ModelReceiver[];
  results: { deliver: (message: DayMessage) => void; fail: (message: DayMessage) => void };
}

export interface Policy {
  /** Takes a message that is due. */
  submit(message: DayMessage): void;
}

const POLICIES = { postrider: PostriderPolicy, postfix: PostfixPolicy };
type PolicyName = keyof typeof POLICIES;

interface DayResult {
  messages: number;
  delivered: number;
  /** Before the 24 hours were over. */
  deliveredInDay: number;
  /** Refused for this server's address or rate, which the policy takes for final. */
  failed: number;
  /** From acceptance to delivery, milliseconds; of the delivered. */
  medianMs: number;
  p95Ms: number;
  lastMs: number;
  /** Refused attempts. */
  refusals: number;
  receivers: Record<string, ReceiverCounts>;
}

interface DayOptions {
  messages: number;
  seed: number;
  reaction: Reaction;
}

/** Runs the day with one policy. The same seed and number of messages give the same result. */
export async function runDay(name: PolicyName, { messages, seed, reaction }: DayOptions): Promise<DayResult> {
  const time = new VirtualTime(0);
  const receiversPrng = new Prng(seed ^ RECEIVERS_SEED);
  const receivers = DAY_RECEIVERS.map((receiver) => new ModelReceiver(receiver, { prng: receiversPrng, reaction }));
  const delaysMs: number[] = [];
  let deliveredInDay = 0;
  let failed = 0;
  const policy = new POLICIES[name]({
    time,
    prng: new Prng(seed ^ CONNECTIONS_SEED),
    receivers,
    results: {
      deliver: ({ acceptedMs }) => {
        delaysMs.push(time.nowMs - acceptedMs);
        if (time.nowMs < DAY_MS) deliveredInDay += 1;
      },
      fail: () => {
        failed += 1;
      },
    },
  });
  arrive({ time, prng: new Prng(seed), messages }, policy);
  await time.advance(END_MS, () => delaysMs.length + failed === messages);
  delaysMs.sort((a, b) => a - b);
  const at = (share: number): number => Math.round(delaysMs[Math.ceil(share * delaysMs.length) - 1] ?? 0);
  const counts = receivers.map((receiver) => receiver.counts);
  return {
    messages,
    delivered: delaysMs.length,
    deliveredInDay,
    failed,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    lastMs: at(1),
    refusals: counts.reduce((sum, { excess, paused, blocked }) => sum + excess + paused + blocked, 0),
    receivers: Object.fromEntries(DAY_RECEIVERS.map((receiver, i) => [receiver.name, counts[i] as ReceiverCounts])),
  };
}

function arrive({ time, prng, messages }: { time: VirtualTime; prng: Prng; messages: number }, policy: Policy): void {
  const receivers = DAY_RECEIVERS.flatMap(({ share }, receiver) => Array<number>(share).fill(receiver)) as [number];
  let number = 0;
  const next = (): void => {
    number += 1;
    policy.submit({ number, receiver: prng.pick(receivers), acceptedMs: time.nowMs, attempts: 0 });
    if (number < messages) wait();
  };
  const wait = (): void => {
    const share = 1 - SWING * Math.cos((2 * Math.PI * time.nowMs) / DAY_MS);
    time.after((-Math.log(1 - prng.next()) * DAY_MS) / (messages * share), next);
  };
  wait();
}

/** The result as text, one line for all receivers and one for each. */
export function dayLines(name: PolicyName, { receivers, ...all }: DayResult): string[] {
  const pairs = (values: object): string =>
    Object.entries(values)
      .map(([key, value]) => `${key} ${value}`)
      .join(", ");
  return [
    `${name}: ${pairs(all)}`,
    ...Object.entries(receivers).map(([receiver, counts]) => `  ${receiver}: ${pairs(counts)}`),
  ];
}

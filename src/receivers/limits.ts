/** The limits of a receiver in effect: an operator's, else those of DESTINATION_LIMITS, else those of its profile. */

import { nameOf } from "./names.ts";
import type { ReceiverLimits } from "./profiles.ts";
import { profileOf, receiverOf, receiversUnder } from "./receiver.ts";

/** Messages a connection, where no limit is known (delivery/smtp/pool.ts). */
export const MESSAGES_PER_CONNECTION = 100;

/** What an operator has set for a receiver. Absent where the profile counts. */
export interface ReceiverOverride extends ReceiverLimits {
  /** After a reply about the rate that does not say how long. */
  pauseSeconds?: number;
}

/** The limits, and their names in what the outside sees. */
export const LIMIT_NAMES: Readonly<Record<keyof ReceiverOverride, string>> = {
  connections: "connections",
  messagesPerConnection: "messages_per_connection",
  messagesPerMinute: "messages_per_minute",
  pauseSeconds: "pause_seconds",
};

export const LIMIT_FIELDS = Object.keys(LIMIT_NAMES) as (keyof ReceiverOverride)[];

/** By the name of the receiver. */
export type ReceiverOverrides = ReadonlyMap<string, ReceiverOverride>;

/** DESTINATION_LIMITS by receiver: connections at one time. The sink's `host:port` stands for itself. */
export function limitsByReceiver(configured: ReadonlyMap<string, number>): Map<string, number> {
  const byReceiver = new Map<string, number>();
  for (const [domain, limit] of configured) {
    for (const receiver of domain.includes(":") ? [domain] : receiversUnder(domain))
      byReceiver.set(receiver, Math.min(limit, byReceiver.get(receiver) ?? limit));
  }
  return byReceiver;
}

export interface LimitSources {
  /** As limitsByReceiver. */
  configured: ReadonlyMap<string, number>;
  overrides: ReceiverOverrides;
}

/** The limits in effect for a receiver's key. */
export function limitsOf(key: string, { configured, overrides }: LimitSources): ReceiverOverride {
  const override = overrides.get(nameOf(key)) ?? {};
  const connections = override.connections ?? configured.get(key);
  return { ...profileOf(key)?.limits, ...override, ...(connections === undefined ? {} : { connections }) };
}

/** The name of the receiver that gave a reply; null without one. */
export const receiverOfReply = (reply: { mx: string } | null): string | null =>
  reply === null ? null : nameOf(receiverOf(reply.mx));

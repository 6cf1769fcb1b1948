/** A receiver as the command line and the management interface show it: its limits, its state from each address, its last day. */
import { rfc3339 } from "../../lib/clock.ts";
import { LIMIT_FIELDS, LIMIT_NAMES } from "../../receivers/limits.ts";
import type { ReceiverReport } from "./receivers.ts";

/** `sendingIps`: those of SENDING_IPS, where no sending address is stored. */
export function receiverView(receiver: ReceiverReport, sendingIps: readonly string[]) {
  const { name, profile, limits, overridden, state, closed, attempts, connections, lastDay, sessions } = receiver;
  const { delivered, deferred, failed, unknown } = lastDay;
  const shared = { state, ...closedView(closed), delisting_url: profile?.delistingUrl ?? null };
  // Where the system chooses the address, there is one state for all.
  const all = (sendingIps.length === 0 ? [null] : sendingIps).map((address) => ({ address, state, closed }));
  const addresses = receiver.addresses.length === 0 ? all : receiver.addresses;
  return {
    name,
    label: profile?.label ?? name,
    mx: profile?.mx ?? [name],
    limits: Object.fromEntries(LIMIT_FIELDS.map((field) => [LIMIT_NAMES[field], limits[field] ?? null])),
    overridden: overridden.map((field) => LIMIT_NAMES[field]),
    ...shared,
    addresses: addresses.map((each) => ({
      address: each.address,
      state: each.state,
      ...closedView(each.closed),
      delisting_url: shared.delisting_url,
    })),
    attempts,
    connections,
    preflight: sessions.map(({ atMs, address, verdict, step, reply, advice, url }) => {
      return { at: rfc3339(atMs), address, verdict, step, reply, advice, url };
    }),
    last_day: { delivered, deferred, failed, unknown },
    requires_tls: profile?.requiresTls ?? false,
    senders_url: profile?.sendersUrl ?? null,
    source: profile === null ? null : `${profile.source}, ${profile.asOf}`,
  };
}

const closedView = (closed: ReceiverReport["closed"]) => ({
  since: closed === null ? null : rfc3339(Math.round(closed.sinceMs)),
  reply: closed?.last?.text ?? null,
  next_probe_at: closed === null ? null : rfc3339(Math.round(closed.probeAtMs)),
});

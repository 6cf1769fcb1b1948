/** The sending addresses for people: which nodes have each, and how far it is warmed up at each receiver. */
import { systemAddresses } from "../../dns/own-addresses.ts";
import type { Clock } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/units.ts";
import { destinationLabel } from "../../receivers/names.ts";
import { COLD_AFTER_DAYS, DEFAULT_SCHEDULE, dailyLimit } from "../../receivers/warm-up.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import type { Nodes } from "../../spool/port/nodes.ts";
import { addressesOn, readSendingPlan, type SendingAddress } from "../../spool/port/sending-addresses.ts";
import type { WarmUps } from "../../spool/port/warm-ups.ts";

export interface AddressReport extends SendingAddress {
  /** Names of the live nodes that have it; null without a database, where the service is one node. */
  nodes: string[] | null;
  /** `absent`: no live node has it, or without a database, this server does not. */
  state: "active" | "paused" | "absent";
}

/** All of them, by address. */
export async function readSendingAddresses(
  store: Pick<KeyValueStore, "readValue">,
  nodes: Pick<Nodes, "list"> | null,
): Promise<AddressReport[]> {
  const plan = await readSendingPlan(store);
  const live = (await nodes?.list())?.filter(({ state }) => state !== "expired") ?? null;
  const here = new Set(live === null ? addressesOn(systemAddresses(), plan).map(({ ip }) => ip) : []);
  return plan.addresses.map((address) => {
    const of = live?.filter(({ sendingIps }) => sendingIps.includes(address.ip)).map(({ name }) => name) ?? null;
    const isThere = of === null ? here.has(address.ip) : of.length > 0;
    return { ...address, nodes: of, state: address.isPaused ? "paused" : isThere ? "active" : "absent" };
  });
}

/** The state of an address at one receiver. */
export interface ShownWarmUp {
  receiver: string;
  /** The day of the schedule, from 1 on; null after its end. */
  day: number | null;
  /** Messages of that day; null for no limit. */
  limit: number | null;
  /** Messages of today that are sent or are about to be. */
  sentToday: number;
  acceptedToday: number;
  /** Whether it was blocked today. */
  isBlocked: boolean;
  /** When something was sent last, in days before today; 0 for today. */
  idleDays: number;
}

/** The states of an address that is warmed up, those that are furthest first; null for another address. */
export async function warmUpsAt(
  store: Pick<WarmUps, "warmUpsOf">,
  { ip, warmUp }: Pick<SendingAddress, "ip" | "warmUp">,
  clock: Clock,
): Promise<ShownWarmUp[] | null> {
  if (warmUp === null) return null;
  const today = Math.floor(clock.now() / DAY_MS);
  const schedule = warmUp.schedule ?? DEFAULT_SCHEDULE;
  return (await store.warmUpsOf(ip))
    .filter(({ day }) => today - day <= COLD_AFTER_DAYS)
    .map(({ receiver, place, day, taken, accepted, isBlocked }) => {
      const limit = dailyLimit(schedule, place);
      const isToday = day >= today;
      return {
        receiver: destinationLabel(receiver),
        day: limit === null ? null : place + 1,
        limit,
        sentToday: isToday ? taken : 0,
        acceptedToday: isToday ? accepted : 0,
        isBlocked: isToday && isBlocked,
        idleDays: Math.max(0, today - day),
      };
    });
}

/** A store of warm-ups in memory, and quotas of nodes on it. */
import { WarmUpQuota, type WarmUpQuotaParts } from "../../../src/delivery/throttle/warm-up-quota.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { drawFrom, type WarmUpDay } from "../../../src/receivers/warm-up.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { SendingAddress, WarmUpSetting } from "../../../src/spool/port/sending-addresses.ts";
import { fakeClock } from "../../support/fake-clock.ts";

export function warmUpStore() {
  const rows = new Map<string, WarmUpDay>();
  const store: WarmUpQuotaParts["spool"] & { rows: typeof rows; draws: number; fails: boolean } = {
    rows,
    draws: 0,
    fails: false,
    async drawWarmUp({ address, receiver }, draw) {
      store.draws += 1;
      if (store.fails) throw new SpoolUnavailable("no answer");
      const name = `${receiver}@${address}`;
      const { after: state, granted, left } = drawFrom(rows.get(name) ?? null, draw);
      rows.set(name, state);
      return { state, granted, left };
    },
  };
  return store;
}

export const warmingUp = (ip: string, warmUp: Partial<WarmUpSetting> = {}): SendingAddress => {
  const address = { ip, name: "mail.host.example", bind: null, pool: "default", isPaused: false };
  return { ...address, warmUp: { schedule: null, firstPlace: 0, ...warmUp } };
};

/** Of a node without addresses that are warmed up, unless some are given. */
export function warmUpQuota(
  addresses: SendingAddress[] = [],
  { spool = warmUpStore(), clock = fakeClock() }: { spool?: WarmUpQuotaParts["spool"]; clock?: Clock } = {},
): WarmUpQuota {
  const quota = new WarmUpQuota({ spool, clock, log: silentLog, onCapacity: () => {} });
  quota.set(addresses);
  return quota;
}

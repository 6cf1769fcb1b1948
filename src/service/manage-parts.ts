/** Wires the management interface to the use cases of accounts, domains, webhooks and the host. */
import { ownSendingIps } from "../app/domains/sending-addresses.ts";
import type { HostWatch } from "../app/installation/host-watch.ts";
import { hourlyPreflight } from "../app/reports/hourly-preflight.ts";
import { preflightReport } from "../app/reports/preflight.ts";
import type { ManageParts } from "../http/manage/parts.ts";
import type { AddressLimiter } from "../lib/address-limiter.ts";
import { SerialQueues, serialized } from "../lib/serial-queues.ts";
import type { Changes } from "./changing-parts.ts";
import type { ServiceCore } from "./service-core.ts";

export interface ManageWiring extends Pick<ManageParts, "traffic" | "rate"> {
  hostWatch: HostWatch;
  changes: Changes;
  addresses: AddressLimiter;
}

/** Preflights that wait. */
const PREFLIGHTS_WAITING_MAX = 3;

export function wireManagement(core: ServiceCore, wiring: ManageWiring): ManageParts {
  const { config, spool, clock } = core;
  const { hostWatch, changes, addresses, traffic, rate } = wiring;
  const preflights = serialized(
    new SerialQueues(PREFLIGHTS_WAITING_MAX),
    "Too many preflights are waiting. Try again when they are complete.",
  );
  return {
    store: spool,
    traffic,
    rate,
    clock,
    actingAs(actor) {
      const { links, registry: _registry, ...changing } = changes.actingAs(actor);
      return { ...changing, invite: links.invite };
    },
    addressOf: (req) => addresses.addressOf(req),
    secrets: core.vault,
    limits: config,
    sending: {
      quotaDaily: config.quotaDaily,
      suppressAfter: config.suppressAfter,
      maxAgeMs: config.retryMaxAgeMs,
    },
    destinationLimits: config.destinationLimits,
    sendingIps: config.sendingIps ?? [],
    host: { look: () => hostWatch.current(), examine: () => hostWatch.examine() },
    preflight: (profiles, address) =>
      preflights("host", async () => {
        const addressesBy: Parameters<typeof hourlyPreflight>[2]["addressesBy"] = async (resolver) =>
          (address === null ? await ownSendingIps(config, resolver) : [address]).map((ip) => ({ ip }));
        return preflightReport(await hourlyPreflight(config, profiles, { addressesBy, nowMs: clock.now() }));
      }),
  };
}

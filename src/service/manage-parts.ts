/** Wires the management interface to the use cases of accounts, domains, webhooks and the host. */
import { ownSendingIps } from "../app/domains/sending-addresses.ts";
import type { HostWatch } from "../app/installation/host-watch.ts";
import type { Readiness } from "../app/installation/readiness.ts";
import { hourlyPreflight } from "../app/reports/hourly-preflight.ts";
import { preflightReport } from "../app/reports/preflight.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import type { Finding } from "../doctor/checks.ts";
import type { ManageParts } from "../http/manage/parts.ts";
import type { AddressLimiter } from "../lib/address-limiter.ts";
import { SerialQueues, serialized } from "../lib/serial-queues.ts";
import type { Changes } from "./changing-parts.ts";
import { remoteCommands } from "./remote-command.ts";
import type { ServiceCore } from "./service-core.ts";

export interface ManageWiring extends Pick<ManageParts, "traffic" | "rate"> {
  hostWatch: HostWatch;
  changes: Changes;
  addresses: AddressLimiter;
  acceptMessage: AcceptMessage;
  readiness: Pick<Readiness, "longPollsEnd">;
}

/** The latest findings; those of an examination that ends first where there are none yet. */
async function findingsOf(hostWatch: HostWatch): Promise<readonly Finding[]> {
  if (hostWatch.current().findings === null) await hostWatch.examine();
  return hostWatch.current().findings ?? [];
}

/** Preflights that wait. */
const PREFLIGHTS_WAITING_MAX = 3;

export function wireManagement(core: ServiceCore, wiring: ManageWiring): ManageParts {
  const { config, spool, clock } = core;
  const { hostWatch, changes, addresses, traffic, rate, acceptMessage, readiness } = wiring;
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
    runCommand: remoteCommands(core, { acceptMessage, findings: () => findingsOf(hostWatch) }),
    ends: readiness.longPollsEnd,
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

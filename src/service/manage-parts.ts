/** Wires the management interface to the use cases of accounts, domains, webhooks and the host. */
import { inviteUser } from "../app/accounts/invite-user.ts";
import type { DomainActions } from "../app/domains/domain-actions.ts";
import { ownSendingIps } from "../app/domains/sending-addresses.ts";
import type { HostWatch } from "../app/installation/host-watch.ts";
import { hourlyPreflight } from "../app/reports/hourly-preflight.ts";
import { preflightReport } from "../app/reports/preflight.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import type { SendRate } from "../app/send/send-rate.ts";
import type { ManageParts } from "../http/manage/parts.ts";
import { SerialQueues, serialized } from "../lib/serial-queues.ts";
import { deletionActions } from "./dashboard-parts.ts";
import type { ServiceCore } from "./service-core.ts";

export interface ManageWiring extends Pick<ManageParts, "traffic" | "webhooks" | "sendTestEvent"> {
  domains: DomainActions;
  hostWatch: HostWatch;
  rate: SendRate;
  acceptMessage: AcceptMessage;
  /** Where browsers reach the service. */
  publicUrl: () => string;
}

/** Preflights that wait. */
const PREFLIGHTS_WAITING_MAX = 3;

export function wireManagement(core: ServiceCore, wiring: ManageWiring): ManageParts {
  const { config, spool, clock, log } = core;
  const { hostWatch, acceptMessage, publicUrl, ...given } = wiring;
  const preflights = serialized(
    new SerialQueues(PREFLIGHTS_WAITING_MAX),
    "Too many preflights are waiting. Try again when they are complete.",
  );
  return {
    ...given,
    store: spool,
    clock,
    secrets: core.vault,
    limits: config,
    sending: { quotaDaily: config.quotaDaily, maxAgeMs: config.retryMaxAgeMs },
    deletions: deletionActions({ registry: spool, clock }),
    invite: (request) => inviteUser({ registry: spool, acceptMessage, clock, log, publicUrl: publicUrl() }, request),
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

/** What the operations of the management interface work with, provided by service/manage-parts.ts. */
import type { AccountDeletion, Actor, restoreAccount } from "../../app/accounts/delete-account.ts";
import type { InviteRequest, InviteResult } from "../../app/accounts/invite-user.ts";
import type { DomainActions } from "../../app/domains/domain-actions.ts";
import type { HostState } from "../../app/installation/host-watch.ts";
import type { PreflightReport } from "../../app/reports/preflight.ts";
import type { SendRate } from "../../app/send/send-rate.ts";
import type { EndpointName, WebhookEndpoints } from "../../app/webhooks/webhook-endpoints.ts";
import type { WebhookResponse } from "../../app/webhooks/webhook-test-event.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ReceiverProfile } from "../../receivers/profiles.ts";
import type { Vault } from "../../security/vault.ts";
import type { Account } from "../../spool/port/accounts.ts";
import type { NodeTraffic } from "../../spool/port/node-traffic.ts";
import type { Store } from "../../spool/port/store.ts";

/** Limits of one account. */
interface AccountLimits {
  domainsMax: number;
  keysMax: number;
  usersMax: number;
  webhooksMax: number;
}

export interface ManageParts {
  store: Store;
  clock: Clock;
  rate: Pick<SendRate, "consume">;
  secrets: Pick<Vault, "seal" | "open">;
  domains: DomainActions;
  webhooks: WebhookEndpoints;
  /** An account's test events are posted one after another. Throws TooManyWaiting when too many wait. */
  sendTestEvent: (endpoint: EndpointName) => Promise<WebhookResponse | null>;
  limits: AccountLimits;
  /** QUOTA_DAILY, and how long recipients are attempted. */
  sending: { quotaDaily: number; maxAgeMs: number };
  deletions: {
    delete(account: Account, by: Actor): Promise<AccountDeletion>;
    restore(account: Account, by: Actor): ReturnType<typeof restoreAccount>;
  };
  invite: (request: InviteRequest) => Promise<InviteResult>;
  /** What each node does for recipient domains at this moment. */
  traffic: () => Promise<NodeTraffic[]>;
  /** DESTINATION_LIMITS. */
  destinationLimits: ReadonlyMap<string, number>;
  /** SENDING_IPS. */
  sendingIps: readonly string[];
  host: {
    /** Returns the last findings. */
    look(): HostState;
    /** Examines the host now, which takes seconds. Never rejects. */
    examine(): Promise<void>;
  };
  /** `address`: null for those of this host. Preflights run one after another. Throws TooManyWaiting when too many wait. */
  preflight: (profiles: readonly ReceiverProfile[], address: string | null) => Promise<PreflightReport>;
}

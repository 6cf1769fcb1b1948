/** What the operations of the management interface work with, provided by service/manage-parts.ts. */
import type { IncomingMessage } from "node:http";
import type { AccountDeletion, Actor as Deleter, restoreAccount } from "../../app/accounts/delete-account.ts";
import type { InviteRequest, InviteResult } from "../../app/accounts/invite-user.ts";
import type { Actor } from "../../app/audit/actor.ts";
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
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { NodeTraffic } from "../../spool/port/node-traffic.ts";
import type { Store } from "../../spool/port/store.ts";

/** Limits of one account. */
interface AccountLimits {
  domainsMax: number;
  keysMax: number;
  usersMax: number;
  webhooksMax: number;
}

/** What changes something, on a store that records who does. */
export interface ManageChanges {
  store: Store;
  domains: DomainActions;
  webhooks: WebhookEndpoints;
  /** An account's test events are posted one after another. Throws TooManyWaiting when too many wait. */
  sendTestEvent: (endpoint: EndpointName) => Promise<WebhookResponse | null>;
  deletions: {
    delete(account: Account, by: Deleter): Promise<AccountDeletion>;
    restore(account: Account, by: Deleter): ReturnType<typeof restoreAccount>;
  };
  invite: (request: InviteRequest) => Promise<InviteResult>;
}

/** A command line that the service runs for a key. */
export interface RemoteRun {
  /** The words after the program's name. */
  arguments: readonly string[];
  /** Whether the user has confirmed what the command asks. */
  confirmed: boolean;
  input: AsyncIterable<Uint8Array>;
  key: ApiKey;
  isOperator: boolean;
  /** Who runs it, as it is recorded. */
  by: string;
  /** Who runs it, as the audit trail records it. */
  account: Account;
  requestId: string;
  changes: Pick<ManageChanges, "store" | "webhooks">;
  /** Aborts shortly before the service ends. */
  ends: AbortSignal;
}

/** The parts that an operation can use. */
export interface OperationParts extends ManageChanges {
  clock: Clock;
  secrets: Pick<Vault, "seal" | "open">;
  limits: AccountLimits;
  /** QUOTA_DAILY, SUPPRESS_AFTER, and how long recipients are attempted. */
  sending: { quotaDaily: number; suppressAfter: number; maxAgeMs: number };
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
  /** `address`: null for those of this server. Preflights run one after another. Throws TooManyWaiting when too many wait. */
  preflight: (profiles: readonly ReceiverProfile[], address: string | null) => Promise<PreflightReport>;
  /** Runs a command. Yields its output, a line of JSON at a time; never throws for what the command rejects. */
  runCommand: (run: RemoteRun) => AsyncIterable<string>;
  /** Aborts shortly before the service ends. */
  ends: AbortSignal;
}

export interface ManageParts extends Omit<OperationParts, keyof ManageChanges> {
  /** For requests that change nothing. */
  store: Store;
  rate: Pick<SendRate, "consume">;
  /** The parts of a request: what it changes is recorded in the audit trail as the actor's. */
  actingAs: (actor: Actor) => ManageChanges;
  /** The address of a request's client. */
  addressOf: (req: IncomingMessage) => string;
}

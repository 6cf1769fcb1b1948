/**
 * The dashboard's dependencies, provided by service/dashboard-parts.ts. Pages call the spool's ports and message/ directly;
 * use cases that need DNS, the vault or the doctor are functions here.
 */

import type { AccountDeletion, Actor as Deleter, restoreAccount } from "../../app/accounts/delete-account.ts";
import type { InviteRequest, InviteResult } from "../../app/accounts/invite-user.ts";
import type { Actor } from "../../app/audit/actor.ts";
import type { DomainActions } from "../../app/domains/domain-actions.ts";
import type { HostState } from "../../app/installation/host-watch.ts";
import type { OperatorsWebhook } from "../../app/notices/operators-webhook.ts";
import type { AcceptLimits } from "../../app/send/accept-message.ts";
import type { TestMessage, TestMessageResult } from "../../app/send/test-message.ts";
import type { EndpointName, WebhookEndpoints } from "../../app/webhooks/webhook-endpoints.ts";
import type { WebhookResponse } from "../../app/webhooks/webhook-test-event.ts";
import type { IdentityProvider } from "../../identity/identity-provider.ts";
import type { AddressLimiter } from "../../lib/address-limiter.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { MemoryStatus } from "../../lib/memory-guard.ts";
import type { ResponsePacer } from "../../lib/response-pacer.ts";
import type { SharedBudget } from "../../lib/shared-budget.ts";
import type { Vault } from "../../security/vault.ts";
import type { Account, Registry } from "../../spool/port/accounts.ts";
import type { AttemptLimiter } from "../../spool/port/attempt-limiter.ts";
import type { HeldValues } from "../../spool/port/held-values.ts";
import type { Role } from "../../spool/port/memberships.ts";
import type { NodeTraffic } from "../../spool/port/node-traffic.ts";
import type { Nodes } from "../../spool/port/nodes.ts";
import type { People } from "../../spool/port/people.ts";
import type { Reports } from "../../spool/port/reports.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { ApiDocument } from "./api-document.ts";
import type { ShownProblem } from "./shown-problem.ts";

/** Parts that change something. */
export interface ChangingParts {
  spool: Spool;
  registry: Registry;
  people: People;
  /** Null where the spool belongs to one process. */
  nodes: Nodes | null;
  domains: DomainActions;
  webhooks: WebhookEndpoints;
  operatorsWebhook: OperatorsWebhook;
  /** An account's test events are posted one after another. Throws TooManyWaiting when too many wait. */
  sendTestEvent: (endpoint: EndpointName) => Promise<WebhookResponse | null>;
  links: LinkActions;
  deletions: DeletionActions;
  /** Records a sign-in with a wrong password or code, or that was refused after the identity provider, if there is such a user. Never rejects. */
  failedSignIn: (email: string, step: "password" | "code" | "identity provider") => Promise<void>;
}

export interface DashboardParts extends ChangingParts {
  /** The parts for a request that may change something: what it changes is recorded in the audit trail. */
  actingAs: (actor: Actor) => ChangingParts;
  reports: Reports;
  /** What each node does for recipient domains at this moment. */
  traffic: () => Promise<NodeTraffic[]>;
  /** DESTINATION_LIMITS. */
  destinationLimits: ReadonlyMap<string, number>;
  attemptLimiter: AttemptLimiter;
  heldValues: HeldValues;
  clock: Clock;
  log: Logger;
  /** Base URL of links, without a final slash. */
  publicUrl: string;
  /** Whether browsers use HTTPS; cookies are then Secure. */
  secure: boolean;
  memory: Pick<MemoryStatus, "isExhausted">;
  /** Limits requests without a session. */
  addresses: AddressLimiter;
  pace: ResponsePacer;
  /** Memory for responses that clients have not read yet. */
  responses: SharedBudget;
  /** Number of reverse proxies in front whose X-Forwarded-For entries are trusted. */
  trustedProxies: number;
  sendTestMessage: (message: TestMessage) => Promise<TestMessageResult>;
  /** The limits of accepted messages, and the reason why nothing is accepted now, or null. */
  sending: Pick<AcceptLimits, "quotaDaily" | "suppressAfter" | "maxAgeMs"> & { unavailableReason: () => string | null };
  limits: AccountLimits;
  /** RETENTION_RESULTS: events are kept as long as results. */
  resultsKeptMs: number;
  /** The document served at /openapi.json, with the APIs of other services that are served. */
  api: ApiDocument;
  /** The errors of the API. */
  problems: readonly ShownProblem[];
  host: HostActions;
  /** Null where there is none. */
  provider: IdentityProvider | null;
  /** OIDC_GROUPS: of a person's groups with the same account, the first entry counts. */
  groupMappings: readonly { group: string; account: string; role: Role }[];
  /** PASSWORD_SIGN_IN. */
  passwordSignIn: "on" | "operators";
  secrets: Pick<Vault, "seal" | "open" | "token">;
}

/** The deletion of accounts, and who may restore one. */
interface DeletionActions {
  delete(account: Account, by: Deleter): Promise<AccountDeletion>;
  restore(account: Account, by: Deleter): ReturnType<typeof restoreAccount>;
  /** Whether an owner has deleted the account, so that an owner may restore it. */
  isByOwner(account: Account): Promise<boolean>;
}

/** Links that let somebody choose a password. */
interface LinkActions {
  invite(request: InviteRequest): Promise<InviteResult>;
  /** What cannot be sent is logged. */
  requestPasswordReset(email: string): Promise<void>;
}

/** Limits of one account. */
export interface AccountLimits {
  domainsMax: number;
  keysMax: number;
  usersMax: number;
  webhooksMax: number;
}

interface HostActions {
  hostname: string;
  /** Returns the last findings; starts an examination when they are old. */
  look(): HostState;
  /** Examines the host now, which takes seconds. Never rejects. */
  examine(): Promise<void>;
}

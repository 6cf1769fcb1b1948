/**
 * Every operation of the writer: its argument and its value as they cross the port. The facade's requests and the writer's
 * handlers are both checked against these declarations.
 */

import type { Account, AccountRemoval, AccountRemovalResult, NewUser } from "../port/accounts.ts";
import type { KeyChange, NewKey } from "../port/api-keys.ts";

import type { DomainChecks, NewDomain, Rotation } from "../port/domains.ts";
import type { IncomingEffect, NewIncomingMail, Unsubscription } from "../port/incoming.ts";
import type { NewInvitation } from "../port/invitations.ts";
import type { MarkResult, ReleasedJob } from "../port/mail.ts";
import type {
  CancelledRecipients,
  RecipientsDecision,
  Resolution,
  ResolvedRecipients,
  ResumeRequest,
  ResumeResult,
  RetentionResult,
  RetentionStep,
  RetryDomainRequest,
  RetryFailedResult,
  RetryFailedStep,
  RetryFilter,
  ShortenWaitsResult,
  ShortenWaitsStep,
} from "../port/operations.ts";
import type { LinkUse, NewPasswordReset } from "../port/password-resets.ts";
import type { MemberChange, Session, SessionTimes } from "../port/people.ts";
import type { ReturnPath } from "../port/return-paths.ts";
import type { StsPolicy } from "../port/sts-policies.ts";
import type { TlsDay, TlsSessions } from "../port/tls-sessions.ts";
import type { EndpointChange, NewEndpoint, WebhookSettlement } from "../port/webhooks.ts";
import type { OwnedClaimRequest } from "./claims.ts";
import type { SentAcceptance, SentClaim, SentMark, SentMessage, SentSettlements } from "./codec.ts";
import type { StagedPart } from "./content-parts.ts";
import type { ReleaseArgs, ReleaseResult } from "./quarantine-release.ts";
import type { RecoverArgs } from "./recovery.ts";
import type { RecordedRequests } from "./request-log.ts";
import type { StoredEffect } from "./sender-reports.ts";
import type { FirstPart } from "./soundness.ts";
import type { Written } from "./written.ts";

/** Structured clone turns each Buffer, here an argument or a member of it, into a Uint8Array. */
export type Cloned<T> = T extends Buffer
  ? Uint8Array
  : T extends string | number | boolean | null | undefined
    ? T
    : { [K in keyof T]: Cloned<T[K]> };

interface Operation<Argument, Value> {
  argument: Argument;
  value: Value;
}

interface MailWrites {
  /** Returns the number of the content's tail. */
  stage: Operation<StagedPart, number>;
  /** Removes parts of this content, or, for null, of all that belong to no message. Returns whether there are more. */
  discard: Operation<number | null, boolean>;
  accept: Operation<SentMessage, SentAcceptance>;
  mark: Operation<SentMark, MarkResult>;
  settle: Operation<SentSettlements, "settled" | "lease_lost">;
  recover: Operation<RecoverArgs, number>;
}

interface OperatorWrites {
  retry: Operation<RetryFilter, number>;
  retryFailed: Operation<RetryFailedStep, RetryFailedResult>;
  resolve: Operation<Resolution, ResolvedRecipients>;
  cancel: Operation<RecipientsDecision, CancelledRecipients>;
  retryDomain: Operation<RetryDomainRequest, number>;
  shortenWaits: Operation<ShortenWaitsStep, ShortenWaitsResult>;
  pauseDomain: Operation<{ domain: string; atMs: number }, void>;
  resumeDomain: Operation<string, boolean>;
  resumeDelivery: Operation<ResumeRequest, ResumeResult | null>;
  releaseQuarantined: Operation<ReleaseArgs, ReleaseResult>;
  applyRetention: Operation<RetentionStep, RetentionResult>;
  unsuppress: Operation<{ accountId: string; email: string }, boolean>;
}

interface StoreWrites {
  storeStsPolicy: Operation<StsPolicy, void>;
  writeValue: Operation<{ name: string; text: string }, void>;
  /** Stores an entry unless there is one by this name. */
  addValue: Operation<{ name: string; text: string }, void>;
  addSecret: Operation<{ name: string; sealed: Uint8Array; inPlaceOf: Uint8Array | null }, void>;
  recordRequests: Operation<RecordedRequests, void>;
  storeSenderReport: Operation<StoredEffect, boolean>;
  addTlsSessions: Operation<readonly TlsSessions[], void>;
  removeTlsSessions: Operation<TlsDay, void>;
}

interface IncomingWrites {
  storeIncoming: Operation<Cloned<NewIncomingMail>, void>;
  postponeIncoming: Operation<{ id: string; dueMs: number }, void>;
  applyIncoming: Operation<{ id: string; effect: IncomingEffect; atMs: number }, "applied" | "early" | "gone">;
  recordUnsubscribed: Operation<Unsubscription, void>;
}

interface AccountWrites {
  createAccount: Operation<{ name: string; createdAtMs: number }, Account | "exists">;
  deleteAccount: Operation<
    { accountId: string; atMs: number },
    "deleted" | "already_deleted" | "has_operators" | "not_found"
  >;
  restoreAccount: Operation<string, boolean>;
  removeDeletedAccounts: Operation<AccountRemoval, AccountRemovalResult>;
  setQuota: Operation<{ accountId: string; quotaDaily: number | null }, void>;
  createUser: Operation<NewUser, { id: string } | "exists" | "too_many">;
  createFirstUser: Operation<Omit<NewUser, "usersMax">, { id: string } | "has_users">;
  createKey: Operation<Cloned<NewKey>, { id: string } | "too_many">;
  changeKey: Operation<KeyChange, "changed" | "revoked" | "not_found">;
  /** Pairs of key id and time of use. */
  touchKeys: Operation<[keyId: string, atMs: number][], void>;
  revokeKey: Operation<{ accountId: string; keyId: string; atMs: number }, "revoked" | "already_revoked" | "not_found">;
}

interface InvitationWrites {
  createInvitation: Operation<Cloned<NewInvitation>, "created" | "is_member" | "too_many" | "gone">;
  acceptInvitation: Operation<Cloned<LinkUse>, { userId: string } | "gone" | "exists">;
  revokeInvitation: Operation<{ accountId: string; invitationId: string }, boolean>;
  createPasswordReset: Operation<Cloned<NewPasswordReset>, boolean>;
  resetPassword: Operation<Cloned<LinkUse>, string | null>;
}

interface DomainWrites {
  addDomain: Operation<Cloned<NewDomain> & { domainsMax: number }, "added" | "exists" | "too_many">;
  saveChecks: Operation<{ domainId: string; checks: DomainChecks; verified: boolean; nextCheckAtMs: number }, void>;
  shortenCheckWaits: Operation<{ nowMs: number; longestMs: number }, number>;
  removeDomain: Operation<{ accountId: string; name: string; atMs: number }, boolean>;
  startRotation: Operation<Cloned<Rotation>, void>;
  cancelRotation: Operation<string, boolean>;
  finishRotation: Operation<{ domainId: string; selector: string; atMs: number }, boolean>;
  setReturnPath: Operation<{ accountId: string; name: string; on: boolean; atMs: number }, boolean>;
  saveReturnPath: Operation<Pick<ReturnPath, "accountId" | "domain" | "checks" | "active">, void>;
}

interface PeopleWrites {
  setPassword: Operation<{ userId: string; passwordHash: string }, void>;
  changeMember: Operation<MemberChange, "changed" | "last_owner" | "not_found">;
  removeUser: Operation<string, boolean>;
  setTotp: Operation<{ userId: string; totp: { sealed: Uint8Array; recoveryHashes: Uint8Array[] } | null }, void>;
  spendTotpStep: Operation<{ userId: string; step: number }, boolean>;
  spendRecoveryCode: Operation<{ userId: string; hash: Uint8Array }, boolean>;
  startSession: Operation<Cloned<Session>, void>;
  touchSession: Operation<SessionTimes & { hash: Uint8Array }, void>;
  switchAccount: Operation<{ hash: Uint8Array; accountId: string }, void>;
  endSession: Operation<{ userId: string; hash: Uint8Array }, boolean>;
  endSessions: Operation<{ userId: string; except: Uint8Array | null }, number>;
}

interface WebhookWrites {
  createEndpoint: Operation<Cloned<NewEndpoint>, "created" | "too_many">;
  changeEndpoint: Operation<Cloned<EndpointChange>, boolean>;
  removeEndpoint: Operation<{ accountId: string; endpointId: string }, boolean>;
  settleWebhooks: Operation<WebhookSettlement, void>;
}

/** Operations that run inside the batch's transaction. */
export interface WriteOperations
  extends MailWrites,
    OperatorWrites,
    StoreWrites,
    IncomingWrites,
    AccountWrites,
    InvitationWrites,
    DomainWrites,
    PeopleWrites,
    WebhookWrites {}

/** Operations that run after the commit, and see it. Those on leases are here too: leases are in memory. */
export interface ReadOperations {
  claim: Operation<OwnedClaimRequest, SentClaim>;
  release: Operation<ReleasedJob, void>;
  /** Lets the leases of this owner expire. Returns the last epoch that has. */
  expireLeases: Operation<string, number>;
  backlog: Operation<null, number>;
  content: Operation<string, Cloned<FirstPart>>;
  contentPart: Operation<{ messageId: string; part: number }, Uint8Array>;
}

export interface Operations extends WriteOperations, ReadOperations {}

export type OperationName = keyof Operations;
export type ReadName = keyof ReadOperations;
export type WriteName = keyof WriteOperations;

/** A request for one of the operations named, with its argument. */
export type Request<O extends OperationName = OperationName> = {
  [N in O]: [operation: N, argument: Operations[N]["argument"]];
}[O];

export type WriteHandlers = {
  [N in WriteName]: (argument: Operations[N]["argument"]) => Written<Operations[N]["value"]>;
};

export type ReadHandlers = {
  [N in ReadName]: (argument: Operations[N]["argument"]) => Operations[N]["value"];
};

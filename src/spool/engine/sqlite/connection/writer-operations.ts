/**
 * Every operation of the writer: its argument and its value as they cross the port. The facade's requests and the writer's
 * handlers are both checked against these declarations.
 */

import type { MarkResult, ReleasedJob } from "../../../port/mail.ts";
import type {
  ResumeRequest,
  ResumeResult,
  RetentionResult,
  RetentionStep,
  ShortenWaitsResult,
  ShortenWaitsStep,
} from "../../../port/operations.ts";
import type { FirstPart } from "../files/soundness.ts";
import type { OwnedClaimRequest, OwnedExpiredRequest } from "../mail/claims.ts";
import type { StagedPart } from "../mail/content-parts.ts";
import type { SentAcceptance, SentClaim, SentMark, SentMessage, SentSettlements } from "../mail/mail-codec.ts";
import type { RecoverArgs } from "../mail/recovery.ts";
import type { ReleaseArgs, ReleaseResult } from "../quarantine/quarantine-release.ts";
import type { Written } from "./uncommitted-result.ts";

/** Structured clone turns each Buffer, here an argument or a member of it, into a Uint8Array. */
type Cloned<T> = T extends Buffer
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
  shortenWaits: Operation<ShortenWaitsStep, ShortenWaitsResult>;
  resumeDelivery: Operation<ResumeRequest, ResumeResult | null>;
  releaseQuarantined: Operation<ReleaseArgs, ReleaseResult>;
  applyRetention: Operation<RetentionStep, RetentionResult>;
}

interface StoreOperations {
  /** An operation of the store, by its name. */
  operation: Operation<{ name: string; args: unknown[] }, unknown>;
}

/** Operations that run inside the batch's transaction. */
interface WriteOperations extends StoreOperations, MailWrites, OperatorWrites {}

/** Operations that run after the commit, and see it. Those on leases are here too: leases are in memory. */
interface ReadOperations {
  claim: Operation<OwnedClaimRequest, SentClaim>;
  claimExpired: Operation<OwnedExpiredRequest, SentClaim>;
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
  [N in WriteName]: (
    argument: Operations[N]["argument"],
  ) => N extends "operation" ? Promise<Written<unknown>> : Written<Operations[N]["value"]>;
};

export type ReadHandlers = {
  [N in ReadName]: (argument: Operations[N]["argument"]) => Operations[N]["value"];
};

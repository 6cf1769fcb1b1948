/** What users do with sender domains where it takes DNS, the vault or time. service/ wires it. */
import type { PublishingDomain } from "../../domains/check.ts";
import type { RecordToPublish } from "../../domains/records.ts";
import type { CheckName, Domain, DomainCheck, ReturnPathCheckName, Rotation } from "../../spool/port/domains.ts";
import type { BindResult } from "./bind-domain.ts";
import type { ReturnPathResult } from "./return-path.ts";

/** The result of looking up a DKIM key's record. */
export type KeyLookup = Pick<DomainCheck, "state" | "detail">;

/**
 * An account's checks run one after another, and so do its key generations. Functions that start either throw TooManyWaiting
 * when too many wait.
 */
export interface DomainActions {
  bind(accountId: string, typed: string): Promise<BindResult>;
  /** Runs the checks and stores their results; completes a DKIM rotation whose record is published. */
  verify(domain: Domain): Promise<void>;
  records(domain: PublishingDomain): RecordToPublish<CheckName>[];
  returnPathRecords(domain: Domain): RecordToPublish<ReturnPathCheckName>[];
  setReturnPath(domain: Domain, on: boolean): Promise<ReturnPathResult>;
  /** Why nothing arrives at return paths; null if the service listens. */
  inboundWarning: string | null;
  /** Looks up the record of a pending DKIM key, without changing anything. */
  lookUpRotation(domain: Domain, rotation: Rotation): Promise<KeyLookup>;
  /** Returns the record of a pending DKIM key. */
  rotationRecord(domain: Domain, rotation: Rotation): RecordToPublish;
  /** Creates the next DKIM key. The current key signs until the new record is seen. */
  rotate(domain: Domain): Promise<void>;
}

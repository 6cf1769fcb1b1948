/**
 * What the dashboard is given. It speaks to the spool's ports and message/ by itself; what it needs of its siblings
 * (looking at DNS, making keys, the doctor) comes as functions, wired in service.ts.
 */
import type { AcceptLimits, AcceptMessage } from "../../app/accept-message.ts";
import type { AddressLimiter } from "../../lib/address-limiter.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { Memory } from "../../lib/memory-guard.ts";
import type { ResponsePace } from "../../lib/response-pace.ts";
import type { SharedBudget } from "../../lib/shared-budget.ts";
import type { CheckName, CheckState, Domain, Registry, Rotation } from "../../spool/port/accounts.ts";
import type { Spool } from "../../spool/port/mail.ts";
import type { People } from "../../spool/port/people.ts";
import type { Reports } from "../../spool/port/reports.ts";
import type { ApiDocument } from "./api-document.ts";

export interface DashboardParts {
  spool: Spool;
  registry: Registry;
  people: People;
  reports: Reports;
  clock: Clock;
  log: Logger;
  /** What links are made for, without a final slash. */
  publicUrl: string;
  /** Whether browsers reach us over HTTPS: cookies are then for HTTPS only. */
  secure: boolean;
  memory: Pick<Memory, "isExhausted">;
  /** For requests without a session. */
  addresses: AddressLimiter;
  pace: ResponsePace;
  /** Memory that responses may hold until they are read. */
  responses: SharedBudget;
  /** Reverse proxies in front whose word on the client's address counts. */
  trustedProxies: number;
  acceptMessage: Pick<AcceptMessage, "accept">;
  /** What pages show of acceptance: its limits, and why nothing is accepted at the moment, or null. */
  sending: Pick<AcceptLimits, "quotaDaily" | "suppressAfter" | "maxAgeMs"> & { unavailableReason: () => string | null };
  limits: AccountLimits;
  domains: DomainActions;
  /** What /openapi.json says. */
  api: ApiDocument;
  host: HostActions;
  secrets: SecretActions;
}

/** What an account may have at most. */
export interface AccountLimits {
  domainsMax: number;
  keysMax: number;
  usersMax: number;
}

/** What a test mail must keep to, as mail that comes over HTTP does. */
export interface RecordToPublish {
  check: CheckName;
  type: "TXT" | "MX";
  /** Without the final dot. */
  name: string;
  /** Without quotes. */
  value: string;
  note: string;
}

export type BindResult =
  | { type: "bound"; domain: Domain }
  | { type: "exists" }
  | { type: "too_many" }
  | { type: "invalid"; detail: string };

/** What DNS shows of a DKIM key's record. */
export interface SeenKey {
  state: CheckState;
  detail: string;
}

/** An account's checks run one after another, and so do its new keys; both throw a PageRefusal when too many wait. */
export interface DomainActions {
  bind(accountId: string, typed: string): Promise<BindResult>;
  /** Looks at all five checks now and stores what was seen; a waiting DKIM key whose record is seen takes over. */
  verify(domain: Domain): Promise<void>;
  records(domain: Domain): RecordToPublish[];
  /** Looks at the record of a key that waits to take over, and changes nothing. */
  lookAtRotation(domain: Domain, rotation: Rotation): Promise<SeenKey>;
  /** The record of a key that waits to take over. */
  rotationRecord(domain: Domain, rotation: Rotation): RecordToPublish;
  /** Makes the next DKIM key; the present one signs until the new record is seen. */
  rotate(domain: Domain): Promise<void>;
}

export interface Finding {
  check: string;
  state: "ok" | "warning" | "problem" | "unclear";
  detail: string;
}

export interface HostState {
  /** The doctor's findings about this host, not its domains; null before the first examination has ended. */
  findings: Finding[] | null;
  examinedAtMs: number | null;
  examining: boolean;
}

export interface HostActions {
  hostname: string;
  /** What is known now; where that is old, an examination begins. */
  look(): HostState;
  /** Examines now, which takes seconds. Never rejects. */
  examine(): Promise<void>;
}

export interface SecretActions {
  newApiKey(): { key: string; hash: Buffer; lastFour: string };
  seal(name: string, plaintext: string): Buffer;
  /** Throws when it was sealed under another name or key. */
  open(name: string, sealed: Buffer): string;
}

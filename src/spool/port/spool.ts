/**
 * The spool: the only meeting place of HTTP, delivery and reports. Every implementation passes the conformance suite in
 * test/spool/port/conformance.ts.
 */
import type { AuditTrail } from "./audit.ts";
import type { Events } from "./events.ts";
import type { Incoming } from "./incoming.ts";
import type { KeyValueStore } from "./key-value.ts";
import type { Mail } from "./mail.ts";
import type { Notices } from "./notices.ts";
import type { Operations } from "./operations.ts";
import type { QuarantineOperations } from "./quarantine.ts";
import type { RequestLog } from "./request-log.ts";
import type { Results } from "./results.ts";
import type { SenderReports } from "./sender-reports.ts";
import type { StsPolicies } from "./sts-policies.ts";
import type { Suppressions } from "./suppressions.ts";
import type { TlsSessionCounts } from "./tls-sessions.ts";
import type { WarmUps } from "./warm-ups.ts";
import type { Webhooks } from "./webhooks.ts";

/** Every method rejects with SpoolUnavailable if the store cannot commit or be read (see errors.ts). */
export interface Spool
  extends Mail,
    Results,
    Operations,
    QuarantineOperations,
    Suppressions,
    StsPolicies,
    KeyValueStore,
    Events,
    Webhooks,
    RequestLog,
    Incoming,
    SenderReports,
    TlsSessionCounts,
    AuditTrail,
    Notices,
    WarmUps {
  /** Completes the calls under way, then closes the store. Later calls reject with SpoolUnavailable. */
  close(): Promise<void>;
}

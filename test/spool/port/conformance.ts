/**
 * The conformance suite of the spool's port: the contract that every form of the spool keeps, tested through the port alone.
 * The test of a form calls both functions with a way to open it.
 */
import { acceptConformance } from "./conformance/accept.ts";
import { accountsConformance } from "./conformance/accounts.ts";
import { attemptLimiterConformance } from "./conformance/attempt-limiter.ts";
import { auditConformance } from "./conformance/audit.ts";
import { categoryConformance } from "./conformance/category.ts";
import { claimConformance } from "./conformance/claim.ts";
import { claimExpiredConformance } from "./conformance/claim-expired.ts";
import { claimOrder } from "./conformance/claim-order.ts";
import { bulkConformance, decidedCountsConformance, decisionsConformance } from "./conformance/decisions.ts";
import { domainsConformance } from "./conformance/domains.ts";
import { endpointsConformance } from "./conformance/endpoints.ts";
import { domainEventsConformance, eventsConformance } from "./conformance/events.ts";
import { failuresConformance } from "./conformance/failures.ts";
import { heldValuesConformance } from "./conformance/held-values.ts";
import { incomingConformance } from "./conformance/incoming.ts";
import { keyFusesConformance } from "./conformance/key-fuses.ts";
import { keyValueConformance } from "./conformance/key-value.ts";
import { leasesConformance } from "./conformance/leases.ts";
import { membershipsConformance } from "./conformance/memberships.ts";
import { noticeConformance, noticeSetupConformance } from "./conformance/notices.ts";
import { pausedDomainsConformance } from "./conformance/paused-domains.ts";
import { peopleConformance } from "./conformance/people.ts";
import { providerSignInsConformance } from "./conformance/provider-sign-ins.ts";
import { recoverConformance } from "./conformance/recover.ts";
import { reportsConformance } from "./conformance/reports.ts";
import { requestLogConformance } from "./conformance/request-log.ts";
import { retentionConformance } from "./conformance/retention.ts";
import { retryConformance } from "./conformance/retry.ts";
import { retryFailedConformance } from "./conformance/retry-failed.ts";
import { returnPathsConformance } from "./conformance/return-paths.ts";
import { scheduledConformance, scheduledReportsConformance } from "./conformance/scheduled.ts";
import { secretsConformance } from "./conformance/secrets.ts";
import { senderReportsConformance } from "./conformance/sender-reports.ts";
import { setSuppressionsConformance } from "./conformance/set-suppressions.ts";
import { settleConformance } from "./conformance/settle.ts";
import { shortenWaitsConformance } from "./conformance/shorten-waits.ts";
import type { OpenStore } from "./conformance/store-suite.ts";
import { stsPoliciesConformance } from "./conformance/sts-policies.ts";
import type { OpenSpool } from "./conformance/suite.ts";
import { suppressionsConformance } from "./conformance/suppressions.ts";
import { testMessagesConformance } from "./conformance/test-messages.ts";
import { tlsSessionsConformance } from "./conformance/tls-sessions.ts";
import { tokenBucketsConformance } from "./conformance/token-buckets.ts";
import { warmUpsConformance } from "./conformance/warm-ups.ts";
import { domainWebhooksConformance, webhookQueueConformance } from "./conformance/webhook-queue.ts";

/** The message's way through the spool. `reopen` stands for a crash and a new start on the same store. */
export function conformance(name: string, open: OpenSpool): void {
  acceptConformance(name, open);
  claimConformance(name, open);
  claimExpiredConformance(name, open);
  claimOrder(name, open);
  settleConformance(name, open);
  scheduledConformance(name, open);
  shortenWaitsConformance(name, open);
  retentionConformance(name, open);
  recoverConformance(name, open);
  leasesConformance(name, open);
  stsPoliciesConformance(name, open);
  warmUpsConformance(name, open);
  keyValueConformance(name, open);
  keyFusesConformance(name, open);
  suppressionsConformance(name, open);
  setSuppressionsConformance(name, open);
  incomingConformance(name, open);
  requestLogConformance(name, open);
  senderReportsConformance(name, open);
  tlsSessionsConformance(name, open);
  auditConformance(name, open);
  noticeConformance(name, open);
  categoryConformance(name, open);
  retryFailedConformance(name, open);
  retryConformance(name, open);
  decisionsConformance(name, open);
  eventsConformance(name, open);
  endpointsConformance(name, open);
  webhookQueueConformance(name, open);
}

/** Accounts, people, domains and reports. */
export function setupConformance(name: string, open: OpenStore): void {
  pausedDomainsConformance(name, open);
  accountsConformance(name, open);
  peopleConformance(name, open);
  membershipsConformance(name, open);
  providerSignInsConformance(name, open);
  attemptLimiterConformance(name, open);
  heldValuesConformance(name, open);
  tokenBucketsConformance(name, open);
  domainsConformance(name, open);
  domainEventsConformance(name, open);
  domainWebhooksConformance(name, open);
  returnPathsConformance(name, open);
  secretsConformance(name, open);
  noticeSetupConformance(name, open);
  reportsConformance(name, open);
  scheduledReportsConformance(name, open);
  failuresConformance(name, open);
  testMessagesConformance(name, open);
  decidedCountsConformance(name, open);
  bulkConformance(name, open);
}

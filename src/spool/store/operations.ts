/** Every operation of the store. Names are unique over all sets: the writer of SQLite finds an operation by its name. */
import type { Operation, OperationSet } from "../engine/operations.ts";
import { accountRemovalOperations } from "./accounts/account-removal.ts";
import { accountOperations } from "./accounts/accounts.ts";
import { apiKeyOperations } from "./accounts/api-keys.ts";
import { invitationOperations } from "./accounts/invitations.ts";
import { keyFuseOperations } from "./accounts/key-fuses.ts";
import { keyValueOperations } from "./accounts/key-values.ts";
import { passwordResetOperations } from "./accounts/password-resets.ts";
import { providerSignInOperations } from "./accounts/provider-sign-ins.ts";
import { requestAnswerOperations } from "./accounts/request-answers.ts";
import { secondFactorOperations } from "./accounts/second-factors.ts";
import { secretOperations } from "./accounts/secrets.ts";
import { sessionOperations } from "./accounts/sessions.ts";
import { userOperations } from "./accounts/users.ts";
import { decisionOperations } from "./decide/decisions.ts";
import { retryOperations } from "./decide/retries.ts";
import { scheduleOperations } from "./decide/schedules.ts";
import { checkHistoryOperations } from "./domains/check-history.ts";
import { domainCheckOperations } from "./domains/domain-checks.ts";
import { domainOperations } from "./domains/domains.ts";
import { pauseOperations } from "./domains/paused-domains.ts";
import { returnPathOperations } from "./domains/return-paths.ts";
import { signingKeyOperations } from "./domains/signing-keys.ts";
import { stsPolicyOperations } from "./domains/sts-policies.ts";
import { warmUpOperations } from "./domains/warm-ups.ts";
import { feedbackWrites } from "./incoming/feedback.ts";
import { incomingMailOperations } from "./incoming/incoming-mail.ts";
import { deleteEndedSuppressions, suppressionOperations } from "./incoming/suppressions.ts";
import { noticeChoiceOperations } from "./notices/notice-choices.ts";
import { noticeOperations } from "./notices/notices.ts";
import { discardOperations } from "./quarantine/discards.ts";
import { auditOperations } from "./reports/audit.ts";
import { requestLogOperations } from "./reports/request-log.ts";
import { deleteOldReports, senderReportOperations } from "./reports/sender-reports.ts";
import { tlsSessionOperations } from "./reports/tls-sessions.ts";
import { waitingReportOperations } from "./reports/waiting-report.ts";
import { endpointAttemptOperations } from "./webhooks/endpoint-attempts.ts";
import { endpointChangeOperations } from "./webhooks/endpoint-changes.ts";
import { endpointOperations } from "./webhooks/endpoints.ts";
import { waitingEventOperations } from "./webhooks/waiting-events.ts";
import { webhookSettlementOperations } from "./webhooks/webhook-settlement.ts";

export const REGISTRY_OPERATIONS = {
  reads: {
    ...accountOperations.reads,
    ...invitationOperations.reads,
    ...domainOperations.reads,
    ...domainCheckOperations.reads,
    ...checkHistoryOperations.reads,
    ...signingKeyOperations.reads,
    ...returnPathOperations.reads,
    ...secretOperations.reads,
    ...keyFuseOperations.reads,
  },
  writes: {
    ...accountOperations.writes,
    ...accountRemovalOperations.writes,
    ...invitationOperations.writes,
    ...providerSignInOperations,
    ...domainOperations.writes,
    ...domainCheckOperations.writes,
    ...signingKeyOperations.writes,
    ...returnPathOperations.writes,
    ...secretOperations.writes,
    ...keyFuseOperations.writes,
    ...requestAnswerOperations.writes,
  },
};

/** What is stored about the domains of recipients, and about receivers. */
export const RECIPIENT_DOMAIN_OPERATIONS = {
  reads: { ...pauseOperations.reads, ...stsPolicyOperations.reads, ...warmUpOperations.reads },
  writes: { ...pauseOperations.writes, ...stsPolicyOperations.writes, ...warmUpOperations.writes },
};

export const PEOPLE_OPERATIONS = {
  reads: {
    ...userOperations.reads,
    ...secondFactorOperations.reads,
    ...sessionOperations.reads,
    ...passwordResetOperations.reads,
    ...noticeChoiceOperations.reads,
  },
  writes: {
    ...userOperations.writes,
    ...secondFactorOperations.writes,
    ...sessionOperations.writes,
    ...passwordResetOperations.writes,
    ...noticeChoiceOperations.writes,
  },
};

export const REPORT_OPERATIONS = {
  reads: { ...tlsSessionOperations.reads, ...noticeOperations.reads },
  writes: {
    ...senderReportOperations.writes,
    ...tlsSessionOperations.writes,
    ...auditOperations.writes,
    ...noticeOperations.writes,
  },
  reports: { ...senderReportOperations.reports, ...auditOperations.reports, ...noticeOperations.reports },
};

/** Of the reports in port/reports.ts. */
export const MAIL_REPORT_OPERATIONS = waitingReportOperations;

/** See incoming-port.ts. */
export const INCOMING_OPERATIONS = {
  reads: { ...incomingMailOperations.reads, ...suppressionOperations.reads },
  writes: { ...incomingMailOperations.writes, ...feedbackWrites, ...suppressionOperations.writes },
  reports: { ...incomingMailOperations.reports, ...suppressionOperations.reports },
};

/** See webhook-port.ts. */
export const WEBHOOK_OPERATIONS = {
  reads: { ...endpointOperations.reads, ...endpointAttemptOperations.reads, ...waitingEventOperations.reads },
  writes: {
    ...endpointOperations.writes,
    ...endpointChangeOperations.writes,
    ...webhookSettlementOperations.writes,
  },
};

/** Steps of retention. */
export const RETENTION_OPERATIONS = { reads: {}, writes: { deleteEndedSuppressions, deleteOldReports } };

const SETS: readonly OperationSet[] = [
  REGISTRY_OPERATIONS,
  RECIPIENT_DOMAIN_OPERATIONS,
  PEOPLE_OPERATIONS,
  REPORT_OPERATIONS,
  INCOMING_OPERATIONS,
  WEBHOOK_OPERATIONS,
  RETENTION_OPERATIONS,
  MAIL_REPORT_OPERATIONS,
  apiKeyOperations,
  decisionOperations,
  discardOperations,
  keyValueOperations,
  requestLogOperations,
  retryOperations,
  scheduleOperations,
];

/** The writes, by their names. */
export const WRITES: ReadonlyMap<string, Operation> = new Map(SETS.flatMap(({ writes }) => Object.entries(writes)));

/** The reports, by their names. */
export const REPORTS: ReadonlyMap<string, Operation> = new Map(
  SETS.flatMap(({ reports = {} }) => Object.entries(reports)),
);

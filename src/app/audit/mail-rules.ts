/** How decisions about messages and recipient domains are described. What the mail path does automatically is not recorded. */

import type { AuditFields } from "../../spool/port/audit.ts";
import type { Store } from "../../spool/port/store.ts";
import type { Action, Change } from "./change.ts";
import { notAudited, type Rules, reads } from "./rule.ts";

interface Acted {
  action: Action;
  accountId: string;
  recipients: number;
  messages: readonly string[];
  after?: AuditFields;
}

/** A step of an action on recipients; null if it has changed none. */
const aboutMessages = ({ action, accountId, recipients, messages, after = {} }: Acted): Change | null =>
  recipients === 0
    ? null
    : {
        action,
        accountId,
        target: { kind: "message", id: messages.length === 1 ? (messages[0] ?? null) : null, name: null },
        after,
        counts: { recipients, messages },
        partOf: ["key.released"],
      };

const idsOf = (recipients: readonly { messageId: string }[]): string[] => [
  ...new Set(recipients.map(({ messageId }) => messageId)),
];

const aboutDestination = (action: Action, domain: string): Change => ({
  action,
  accountId: null,
  target: { kind: "recipient_domain", id: null, name: domain },
});

const DECISION_RULES = {
  retry:
    (_context, { accountId, messageId }) =>
    (recipients) =>
      aboutMessages({ action: "message.retried", accountId, recipients, messages: [messageId] }),
  retryFailed:
    (_context, { accountId, dryRun }) =>
    ({ recipients }) =>
      dryRun
        ? null
        : aboutMessages({
            action: "message.retried",
            accountId,
            recipients: recipients.length,
            messages: idsOf(recipients),
            after: { former_result: "failed" },
          }),
  resolve:
    (_context, { accountId, recipients, as }) =>
    ({ resolved }) =>
      aboutMessages({
        action: "message.resolved",
        accountId,
        recipients: resolved,
        messages: idsOf(recipients),
        after: { as },
      }),
  cancel:
    (_context, { accountId, recipients }) =>
    ({ cancelled, unknown }) =>
      aboutMessages({
        action: "message.cancelled",
        accountId,
        recipients: cancelled + unknown,
        messages: idsOf(recipients),
      }),
  ...notAudited("the history of the message has it", "reschedule"),
  async discardQuarantined({ store }, { message }) {
    // Parts of it cannot be read.
    const report = typeof message === "string" ? await store.report(message).catch(() => null) : null;
    return (discarded) => {
      if (discarded === null) return null;
      const target = { kind: "message", id: discarded.messageId, name: `row ${discarded.seq}` };
      const after = { recipients: discarded.failed };
      return { action: "message.discarded", accountId: report?.accountId ?? null, target, after };
    };
  },
  retryDomain:
    (_context, { domain }) =>
    (recipients) =>
      recipients === 0
        ? null
        : { ...aboutDestination("destination.retried", domain), counts: { recipients, messages: [] } },
  async pauseDomain({ store }, domain) {
    const isPaused = (await store.pausedDomains()).some((each) => each.domain === domain);
    return () => (isPaused ? null : aboutDestination("destination.paused", domain));
  },
  resumeDomain: (_context, domain) => (wasPaused) =>
    wasPaused ? aboutDestination("destination.resumed", domain) : null,
  resumeDelivery:
    (_context, { waiting }) =>
    (resumed) =>
      resumed === null
        ? null
        : {
            action: "delivery.resumed",
            accountId: null,
            target: { kind: "installation", id: null, name: null },
            after: { waiting, unknown: resumed.unknown },
          },
} satisfies Partial<Rules<Store>>;

export const MAIL_RULES = {
  ...DECISION_RULES,
  ...reads("content", "idempotencyRecord", "backlog", "leaseIsCurrent", "onExpiredLeases", "onDue"),
  ...reads(
    "report",
    "watch",
    "queue",
    "events",
    "onEvents",
    "pausedDomains",
    "quarantined",
    "stsPolicy",
    "requests",
    "recordedRequest",
  ),
  ...reads("incomingBacklog", "incomingQueue", "incomingMail", "setAsideMails", "sentMessage", "onIncoming"),
  ...reads(
    "reportedWeeks",
    "weekReports",
    "dmarcPeriod",
    "warmUpsOf",
    "readValue",
    "readNodeValue",
    "readLiveNodeValues",
  ),
  ...reads("tlsDays", "tlsSessions", "auditEntries", "readSecret"),
  ...reads("openNotices", "notices", "domainTroubles"),
  ...notAudited("a message has its own history", "accept"),
  ...notAudited("delivery does it", "claim", "claimExpired", "mark", "settle", "release", "recover", "probe"),
  ...notAudited("delivery does it", "shortenWaits", "recheckQuarantined", "drawWarmUp"),
  ...notAudited(
    "delivery does it",
    "beginStsFetch",
    "failStsFetch",
    "storeStsPolicy",
    "addTlsSessions",
    "removeTlsSessions",
  ),
  ...notAudited("it is retention's", "applyRetention", "removeAuditBefore", "removeNoticesBefore"),
  ...notAudited("it stores what comes back", "storeIncoming", "setAsideIncoming", "trimSetAside", "applyIncoming"),
  ...notAudited("it stores what comes back", "postponeIncoming", "recordUnsubscribed", "storeSenderReport"),
  ...notAudited("they are separate logs", "recordRequests", "recordAudit"),
  ...notAudited("the service makes and sends notices automatically", "addNotice", "noticeLeft"),
} satisfies Partial<Rules<Store>>;

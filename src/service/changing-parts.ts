/**
 * The use cases that change accounts, domains, webhooks and what is sent, on a store that records who changes: the dashboard and the
 * management interface have one for each request.
 */
import { deleteAccount, isDeletedByOwner, restoreAccount } from "../app/accounts/delete-account.ts";
import { inviteUser } from "../app/accounts/invite-user.ts";
import { requestPasswordReset } from "../app/accounts/request-password-reset.ts";
import type { Actor } from "../app/audit/actor.ts";
import { auditedStore } from "../app/audit/audited-store.ts";
import { recordFailedSignIn } from "../app/audit/failed-sign-in.ts";
import type { AuditParts } from "../app/audit/recorder.ts";
import { bindDomain } from "../app/domains/bind-domain.ts";
import { inboundWarning, setReturnPath } from "../app/domains/return-path.ts";
import { startRotation } from "../app/domains/rotate-dkim.ts";
import { verifyAndFinishRotation } from "../app/domains/verify-domain.ts";
import type { OperatorsWebhook } from "../app/notices/operators-webhook.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import type { WebhookEndpoints } from "../app/webhooks/webhook-endpoints.ts";
import type { Config } from "../config.ts";
import type { ChangingParts } from "../dashboard/web/parts.ts";
import type { CheckContext } from "../domains/check.ts";
import { checkDkim } from "../domains/dkim.ts";
import { dkimRecord, recordsToPublish, returnPathRecords } from "../domains/records.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { SerialQueues, serialized } from "../lib/serial-queues.ts";
import type { Vault } from "../security/vault.ts";
import type { Store } from "../spool/port/store.ts";

interface DomainParts {
  config: Config;
  registry: Store;
  vault: Vault;
  context: CheckContext;
  clock: Clock;
}

export interface ChangeWiring extends DomainParts {
  webhooks: WebhookEndpoints;
  operatorsWebhook: OperatorsWebhook;
  acceptMessage: Pick<AcceptMessage, "accept">;
  log: Logger;
  /** Base URL of links, without a final slash. */
  publicUrl: () => string;
}

/** The parts, and the store that they change. */
type PartsOnStore = ChangingParts & { store: Store };

export interface Changes {
  /** For what no actor does. */
  unrecorded: PartsOnStore;
  /** What it changes is recorded in the audit trail. */
  actingAs(actor: Actor): PartsOnStore;
}

const auditParts = ({ clock, log }: Pick<ChangeWiring, "clock" | "log">): AuditParts => ({
  clock,
  onFault: (error, entry) => log.warn({ err: error, ...entry }, "audit entry not written"),
});

/** An account's waiting actions are in the same queues whatever the store. */
export function wireChanges(parts: ChangeWiring): Changes {
  const { registry, webhooks } = parts;
  const audit = auditParts(parts);
  const queues = domainQueues();
  const postTestEvent = testEventQueue();
  const partsOn = (store: Store, actor: Actor | null): PartsOnStore => {
    const endpoints = webhooks.on(store);
    const onStore = { ...parts, registry: store };
    return {
      store,
      registry: store,
      spool: store,
      people: store.people,
      nodes: store.nodes,
      webhooks: endpoints,
      operatorsWebhook: parts.operatorsWebhook.on(store),
      domains: domainActions(onStore, queues),
      sendTestEvent: (endpoint) => postTestEvent(endpoint.accountId, () => endpoints.test(endpoint)),
      links: linkActions(onStore),
      deletions: deletionActions(onStore),
      async failedSignIn(email, step) {
        if (actor !== null) await recordFailedSignIn({ store: registry, actor, ...audit }, email, step);
      },
    };
  };
  return {
    unrecorded: partsOn(registry, null),
    actingAs: (actor) => partsOn(auditedStore(registry, actor, audit), actor),
  };
}

function linkActions({ registry, acceptMessage, clock, log, publicUrl }: ChangeWiring): ChangingParts["links"] {
  const parts = () => ({ registry, people: registry.people, acceptMessage, clock, log, publicUrl: publicUrl() });
  return {
    invite: (request) => inviteUser(parts(), request),
    requestPasswordReset: (email) => requestPasswordReset(parts(), email),
  };
}

function deletionActions({ registry, clock }: Pick<ChangeWiring, "registry" | "clock">): ChangingParts["deletions"] {
  const parts = { registry, spool: registry };
  return {
    delete: (account, by) => deleteAccount(parts, account, { by, nowMs: clock.now() }),
    restore: (account, by) => restoreAccount(parts, account, by),
    isByOwner: (account) => isDeletedByOwner(parts, account),
  };
}

/** Checks of one account that wait. */
const CHECKS_WAITING_MAX = 5;

/** Checks take seconds of DNS lookups, and generating an RSA key takes a core, so an account runs one of each at a time. */
function domainQueues() {
  const check = serialized(
    new SerialQueues(CHECKS_WAITING_MAX),
    "Too many checks of this account's domains are waiting. Try again when they are complete.",
  );
  const generateKey = serialized(
    new SerialQueues(),
    "Too many DKIM keys of this account are being generated. Try again in a few seconds.",
  );
  return { check, generateKey };
}

function domainActions(
  { config, registry, vault, context, clock }: DomainParts,
  { check, generateKey }: ReturnType<typeof domainQueues>,
): ChangingParts["domains"] {
  return {
    bind(accountId, name) {
      const { domainsMax } = config;
      return generateKey(accountId, () =>
        bindDomain(registry, vault, { accountId, name, nowMs: clock.now(), domainsMax }),
      );
    },
    verify: (domain) =>
      check(domain.accountId, () => verifyAndFinishRotation(registry, domain, { context, nowMs: clock.now() })),
    records: (domain) => recordsToPublish(domain, context),
    returnPathRecords: (domain) => returnPathRecords(domain, context),
    setReturnPath: (domain, on) => setReturnPath(registry, domain, { on, nowMs: clock.now() }),
    inboundWarning: inboundWarning(config),
    lookUpRotation: (domain, { selector, publicKey }) =>
      check(domain.accountId, () => checkDkim({ ...domain, selector, publicKey }, context)),
    rotationRecord: ({ name }, { selector, publicKey }) => dkimRecord({ name, selector, publicKey }),
    rotate: (domain) =>
      generateKey(domain.accountId, () => startRotation(registry, vault, { domain, nowMs: clock.now() })),
  };
}

/** Test events of one account that wait. */
const TEST_EVENTS_WAITING_MAX = 5;

/** A test event takes seconds if the endpoint does not respond, so an account posts one at a time. */
const testEventQueue = () =>
  serialized(
    new SerialQueues(TEST_EVENTS_WAITING_MAX),
    "Too many test events of this account are waiting. Try again when they are complete.",
  );

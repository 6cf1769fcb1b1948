/**
 * Wires the dashboard to the spool, the domain use cases, the doctor and the vault. Pages and their rules are in
 * dashboard/.
 */
import type { RequestListener } from "node:http";
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
import type { HostWatch } from "../app/installation/host-watch.ts";
import type { Readiness } from "../app/installation/readiness.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import { withoutSecretContents } from "../app/send/link-message.ts";
import { TestMessages } from "../app/send/test-message.ts";
import { UNSUBSCRIBE_PATH } from "../app/send/unsubscribe-links.ts";
import type { Config } from "../config.ts";
import { createDashboard, type Dashboard } from "../dashboard/dashboard.ts";
import { PageError } from "../dashboard/web/page-error.ts";
import type { ChangingParts, DashboardParts } from "../dashboard/web/parts.ts";
import type { CheckContext } from "../domains/check.ts";
import { checkDkim } from "../domains/dkim.ts";
import { dkimRecord, recordsToPublish, returnPathRecords } from "../domains/records.ts";
import { openApiDocument } from "../http/openapi.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { SerialQueues } from "../lib/serial-queues.ts";
import type { Vault } from "../security/vault.ts";
import type { Store } from "../spool/port/store.ts";

interface DomainParts {
  config: Config;
  registry: Store;
  vault: Vault;
  context: CheckContext;
  clock: Clock;
}

export type WiringParts = DomainParts &
  Pick<DashboardParts, "addresses" | "responses" | "memory" | "pace" | "traffic" | "webhooks"> & {
    acceptMessage: Pick<AcceptMessage, "accept">;
    log: Logger;
    readiness: Readiness;
    hostWatch: HostWatch;
  };

/** Creates the dashboard, for browsers that reach it at `publicUrl`, over HTTPS if `secure`. */
export function wireDashboard(
  parts: WiringParts,
  { publicUrl, secure }: Pick<DashboardParts, "publicUrl" | "secure">,
): Dashboard {
  const { config, registry, clock, log, readiness, hostWatch } = parts;
  const { addresses, responses, memory, pace, traffic, acceptMessage } = parts;
  const testMessages = new TestMessages({ acceptMessage, clock, limits: registry });
  const changingParts = wireChanges(parts, publicUrl);
  const audit = auditParts(parts);
  return createDashboard({
    ...changingParts({ store: registry, actor: null }),
    actingAs: (actor) => changingParts({ store: auditedStore(registry, actor, audit), actor }),
    clock,
    log,
    publicUrl,
    secure,
    addresses,
    responses,
    memory,
    pace,
    traffic,
    sendTestMessage: (message) => testMessages.send(message),
    reports: withoutSecretContents(registry.reports, registry),
    destinationLimits: config.destinationLimits,
    attemptLimiter: registry.attemptLimiter,
    heldValues: registry.heldValues,
    trustedProxies: config.trustProxy,
    sending: {
      quotaDaily: config.quotaDaily,
      suppressAfter: config.suppressAfter,
      maxAgeMs: config.retryMaxAgeMs,
      unavailableReason: () => readiness.refusal(),
    },
    limits: config,
    resultsKeptMs: config.retention.resultsMs,
    api: openApiDocument() as unknown as DashboardParts["api"],
    host: { hostname: config.hostname, look: () => hostWatch.current(), examine: () => hostWatch.examine() },
    secrets: parts.vault,
  });
}

const auditParts = ({ clock, log }: Pick<WiringParts, "clock" | "log">): AuditParts => ({
  clock,
  onFault: (error, entry) => log.warn({ err: error, ...entry }, "audit entry not written"),
});

/** Returns the parts that change something through a store. An account's waiting actions are in the same queues whatever the store. */
function wireChanges(parts: WiringParts, publicUrl: string) {
  const { registry, webhooks } = parts;
  const queues = domainQueues();
  const postTestEvent = testEventQueue();
  return ({ store, actor }: { store: Store; actor: Actor | null }): ChangingParts => {
    const endpoints = webhooks.on(store);
    const onStore = { ...parts, registry: store };
    return {
      registry: store,
      spool: store,
      people: store.people,
      nodes: store.nodes,
      webhooks: endpoints,
      domains: domainActions(onStore, queues),
      sendTestEvent: (endpoint) => postTestEvent(endpoint.accountId, () => endpoints.test(endpoint)),
      links: linkActions(onStore, publicUrl),
      deletions: deletionActions(onStore),
      async failedSignIn(email, step) {
        if (actor !== null) await recordFailedSignIn({ store: registry, actor, ...auditParts(parts) }, email, step);
      },
    };
  };
}

/** Handles an HTTP request. */
export type Answer = RequestListener;

export interface Mounted {
  dashboard: Answer;
  /** The pages of unsubscribe links. */
  unsubscribe: Answer;
  /** The page with contact data, also at / of the host's name; null where none is served. */
  contact: { hostname: string; answer: Answer } | null;
  api: Answer;
}

/** Routes /dashboard and public pages to their applications, and other paths to the API. Redirects browsers from / to /dashboard. */
export function mount({ dashboard, unsubscribe, contact, api }: Mounted): Answer {
  return (req, res) => {
    const path = (req.url ?? "").split("?")[0] ?? "";
    if (path.startsWith(UNSUBSCRIBE_PATH)) return unsubscribe(req, res);
    if (contact !== null && (path === "/contact" || (path === "/" && nameIn(req.headers.host) === contact.hostname)))
      return contact.answer(req, res);
    if (path === "/dashboard" || path.startsWith("/dashboard/")) return dashboard(req, res);
    if (path !== "/" || req.method !== "GET" || !req.headers.accept?.includes("text/html")) return api(req, res);
    res.writeHead(302, { Location: "/dashboard" }).end();
  };
}

/** The name in a Host field, without its port. */
const nameIn = (host = ""): string => host.toLowerCase().replace(/\.?(?::\d{0,5})?$/u, "");

function linkActions({ registry, acceptMessage, clock, log }: WiringParts, publicUrl: string): DashboardParts["links"] {
  const parts = { registry, people: registry.people, acceptMessage, clock, log, publicUrl };
  return {
    invite: (request) => inviteUser(parts, request),
    requestPasswordReset: (email) => requestPasswordReset(parts, email),
  };
}

function deletionActions({ registry, clock }: Pick<WiringParts, "registry" | "clock">): DashboardParts["deletions"] {
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
): DashboardParts["domains"] {
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

/** Returns a function that runs one task per account at a time. It throws a PageError with `message` when too many wait. */
function serialized(queues: SerialQueues, message: string) {
  return async <T>(accountId: string, task: () => Promise<T>): Promise<T> => {
    const result = queues.run(accountId, task);
    if (result === null) throw new PageError("too_many_waiting", message);
    return result;
  };
}

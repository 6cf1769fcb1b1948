/**
 * The spool's PostgreSQL form: opens the database, registers this process as a node, and joins the parts to one spool. Each part
 * of the port has a file of its own. docs/STATES.md describes what a crash leaves behind.
 */
import pg, { type ClientConfig } from "pg";
import type { Registry } from "../port/accounts.ts";
import type { Store } from "../port/store.ts";
import type { Webhooks } from "../port/webhooks.ts";
import { accountRemovals } from "./account-removal.ts";
import { accountOperations } from "./accounts.ts";
import { AttemptCounters } from "./attempt-counters.ts";
import { ClientReads } from "./client-reads.ts";
import { ContentViews } from "./content-views.ts";
import { requireNoUnfinishedCopy } from "./copy-marker.ts";
import { clientConfig, sessionOn } from "./database.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { checkOperations } from "./domain-checks.ts";
import { domainOperations } from "./domains.ts";
import { eventReads } from "./event-reads.ts";
import { heldValueOperations } from "./held-values.ts";
import { incomingOperations } from "./incoming.ts";
import { invitationOperations, passwordResetOperations } from "./invitations.ts";
import { keyValueOperations } from "./key-value-store.ts";
import { reportMessage } from "./message-report.ts";
import { nodeOperations } from "./nodes.ts";
import { quarantineOperations, queueOperations } from "./operations.ts";
import { pauseOperations } from "./paused-domains.ts";
import { listQueue } from "./queue-list.ts";
import { reportOperations } from "./reports.ts";
import { requestOperations } from "./request-log.ts";
import { returnPathOperations } from "./return-paths.ts";
import { type PostgresOptions, Runtime } from "./runtime.ts";
import { migrate } from "./schema-version.ts";
import { secondFactorOperations } from "./second-factors.ts";
import { secretOperations } from "./secrets.ts";
import { senderReportOperations } from "./sender-reports.ts";
import { checkClock, checkMasterKey, checkServer, withSynchronousCommit } from "./server-checks.ts";
import { sessionOperations } from "./sessions.ts";
import { signingKeyOperations } from "./signing-keys.ts";
import { stsPolicyOperations } from "./sts-policies.ts";
import { suppressionOperations } from "./suppressions.ts";
import { tlsSessionOperations } from "./tls-sessions.ts";
import { userOperations } from "./users.ts";
import { webhookOperations } from "./webhooks.ts";

/** Opens the spool, and creates or migrates its tables. Rejects with one line if the database cannot be used. */
export async function openPostgresSpool(options: PostgresOptions): Promise<Store> {
  const { config } = parseDatabaseUrl(options.url);
  const runtime = new Runtime(await prepareDatabase(config, options), options);
  try {
    await runtime.start();
    return storeOf(runtime, options);
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

/** Checks the server and migrates the database. Returns the options of all further connections. */
async function prepareDatabase(config: ClientConfig, options: PostgresOptions): Promise<ClientConfig> {
  const client = new pg.Client(clientConfig(config));
  client.on("error", () => {});
  try {
    await client.connect();
    const session = sessionOn(client);
    const durable = withSynchronousCommit(config, await checkServer(session));
    await checkClock(session, options.clock);
    await migrate(client);
    await requireNoUnfinishedCopy(session);
    await checkMasterKey(session, options.fingerprints[0]);
    return durable;
  } finally {
    await client.end().catch(() => {});
  }
}

function storeOf(runtime: Runtime, { clock, identity }: PostgresOptions): Store {
  const { database, reports, activity } = runtime;
  const clientReads = new ClientReads();
  const contentViews = new ContentViews();
  const { events } = eventReads(database);
  return {
    ...mailOperations(runtime, clientReads),
    ...registryOperations(runtime),
    ...operatorOperations(runtime),
    ...incomingOperations({
      ...{ database, activity },
      onEvents: (accountIds) => runtime.announcements.eventsCommitted(accountIds),
      onChanged: (messageId) => runtime.watches.changed(messageId),
    }),
    ...keyValueOperations(database, identity.name),
    ...stsPolicyOperations(database),
    ...suppressionOperations(database, reports),
    events: (query) => clientReads.run(query.accountId, () => events(query)),
    ...requestOperations(database, reports),
    ...senderReportOperations(database, reports),
    ...tlsSessionOperations(database),
    onEvents: (listener) => runtime.announcements.onEvents(listener),
    ...announcedWebhooks(runtime),
    people: {
      ...userOperations(database),
      ...secondFactorOperations(database),
      ...sessionOperations(database),
      ...passwordResetOperations(database),
    },
    attemptLimiter: new AttemptCounters(database),
    heldValues: heldValueOperations(database),
    tokenBuckets: (kind, rate) => runtime.rates.tokenBuckets(kind, rate),
    reports: reportOperations({ reports, activity, contentViews, clock }),
    destinationSlots: runtime.destinationSlots,
    nodes: nodeOperations(database, runtime.ownNode),
    duties: runtime.duties,
    onSync: (listener) => runtime.onSync(listener),
    // PostgreSQL has checksums of its own, and reports what it cannot read with the call that needs it.
    onDamage: () => {},
    async close() {
      await contentViews.close();
      await runtime.close();
    },
  };
}

function mailOperations(runtime: Runtime, clientReads: ClientReads) {
  const { database, mail, watches } = runtime;
  const { acceptor } = mail;
  return {
    accept: (message) => mail.accept(message),
    idempotencyRecord: (accountId, key, nowMs) => acceptor.idempotencyRecord(accountId, key, nowMs),
    claim: (request) => mail.claim(request),
    content: (messageId) => mail.content(messageId),
    mark: (mark) => mail.mark(mark),
    leaseIsCurrent: (lease) => mail.leaseIsCurrent(lease),
    settle: (messageId, atMs, settlements, lease) => mail.settle(messageId, atMs, settlements, lease),
    release: (job) => mail.release(job),
    recover: (nowMs, result) => runtime.recoveries.recover(nowMs, result),
    onExpiredLeases: (recover) => runtime.onExpiredLeases(recover),
    onDue: (wake) => mail.onDue(wake),
    backlog: () => mail.backlog(),
    report: (messageId, accountId = "") => clientReads.run(accountId, () => reportMessage(database, messageId)),
    queue: (filter) => listQueue(database, filter),
    watch: (messageId, changed) => watches.watch(messageId, changed),
  } satisfies Partial<Store>;
}

function registryOperations(runtime: Runtime): Registry {
  const { database, partitions, quotas } = runtime;
  const accounts = accountOperations(database);
  const announce = (accountId: string): void => runtime.announcements.eventsCommitted(new Set([accountId]));
  return {
    ...accounts,
    async setQuota(accountId, quotaDaily) {
      await accounts.setQuota(accountId, quotaDaily);
      // Blocks were taken of the former quota.
      await quotas.settle();
    },
    quotaUsed: (accountId, atMs) => quotas.used(accountId, atMs),
    ...accountRemovals(database),
    ...invitationOperations(database),
    ...runtime.keys,
    ...domainOperations(database),
    ...checkOperations({ database, partitions, announce }),
    ...signingKeyOperations(database),
    ...returnPathOperations(database),
    ...secretOperations(database),
  };
}

function operatorOperations(runtime: Runtime) {
  const { database, longCalls, mail, activity, announcements, watches } = runtime;
  const onDue = (dueMs: number): void => {
    mail.noteDue(dueMs);
    announcements.workShared();
  };
  const onEvents = (accountIds: ReadonlySet<string>): void => announcements.eventsCommitted(accountIds);
  const onChanged = (messageId: string): void => watches.changed(messageId);
  const operations = queueOperations(database, { longCalls, activity, onDue, onEvents, onChanged });
  return {
    ...operations,
    async retry(filter) {
      // What this node holds of the message is claimed anew with the rest.
      await mail.releaseHeld(({ job }) => job.messageId === filter.messageId);
      const count = await operations.retry(filter);
      if (count > 0 && !runtime.hasOthers) await mail.claimFirst(filter.messageId, filter.nowMs);
      return count;
    },
    async cancel(decision) {
      // So that this node does not attempt them.
      const ids = new Set(decision.recipients.map(({ messageId }) => messageId));
      await mail.releaseHeld(({ job }) => ids.has(job.messageId));
      return operations.cancel(decision);
    },
    async retryDomain(request) {
      const { accountId, domain } = request;
      await mail.releaseHeld(({ job }) => job.accountId === accountId && job.domain === domain);
      return operations.retryDomain(request);
    },
    async shortenWaits(step) {
      // After the clock was set back, held jobs may be due too late: see them in the database.
      await mail.releaseHeld(({ dueMs }) => dueMs > step.nowMs);
      return operations.shortenWaits(step);
    },
    async resumeDelivery(request) {
      const resumed = await operations.resumeDelivery(request);
      pausesChanged(runtime);
      return resumed;
    },
    ...quarantineOperations(longCalls, { onDue }),
    applyRetention: (step) => runtime.retention.applyRetention(step),
    ...forgottenPauses(runtime),
  } satisfies Partial<Store>;
}

/** What this node pauses and resumes is in effect at once here. */
function forgottenPauses(runtime: Runtime) {
  const operations = pauseOperations(runtime.database);
  const changed = (): void => pausesChanged(runtime);
  return {
    ...operations,
    async pauseDomain(domain: string, atMs: number) {
      await operations.pauseDomain(domain, atMs);
      changed();
    },
    async resumeDomain(domain: string) {
      const isResumed = await operations.resumeDomain(domain);
      changed();
      return isResumed;
    },
  };
}

function pausesChanged({ mail, announcements }: Runtime): void {
  announcements.pausesChanged();
  mail.noteDue(0);
  announcements.workShared();
}

/** Wakes the sender of webhooks when an endpoint was changed. */
function announcedWebhooks(runtime: Runtime): Webhooks {
  const webhooks = webhookOperations(runtime.database);
  const announced = async <T>(changing: Promise<T>): Promise<T> => {
    const value = await changing;
    if (value !== false && value !== "too_many") runtime.announcements.endpointChanged();
    return value;
  };
  return {
    ...webhooks,
    createEndpoint: (endpoint) => announced(webhooks.createEndpoint(endpoint)),
    changeEndpoint: (change) => announced(webhooks.changeEndpoint(change)),
    removeEndpoint: (accountId, endpointId) => announced(webhooks.removeEndpoint(accountId, endpointId)),
  };
}

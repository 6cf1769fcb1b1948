/**
 * The spool's PostgreSQL form: opens the database, registers this process as a node, and joins the parts to one spool. Each part
 * of the port has its own file. docs/STATES.md describes what a crash leaves behind.
 */
import pg, { type ClientConfig } from "pg";
import type { Registry } from "../../port/accounts.ts";
import type { Store } from "../../port/store.ts";
import type { Webhooks } from "../../port/webhooks.ts";
import { countChange } from "../../records/counted-change.ts";
import { decisionsOf } from "../../store/decide/decisions.ts";
import { retriesOf } from "../../store/decide/retries.ts";
import { schedulesOf } from "../../store/decide/schedules.ts";
import { incomingPort } from "../../store/incoming-port.ts";
import {
  PEOPLE_OPERATIONS,
  RECIPIENT_DOMAIN_OPERATIONS,
  REGISTRY_OPERATIONS,
  REPORT_OPERATIONS,
  WEBHOOK_OPERATIONS,
} from "../../store/operations.ts";
import { discardOperations } from "../../store/quarantine/discards.ts";
import { requestLogOf } from "../../store/reports/request-log.ts";
import { webhookPort } from "../../store/webhook-port.ts";
import { hasPositionOnly } from "../../store/webhooks/webhook-settlement.ts";
import { bind, type Runner } from "../operations.ts";
import { AttemptCounters } from "./accounts/attempt-counters.ts";
import { keyValueStore } from "./cluster/node-values.ts";
import { nodeOperations } from "./cluster/nodes.ts";
import { ClientReads } from "./connection/client-reads.ts";
import { clientConfig, sessionOn } from "./connection/database.ts";
import { parseDatabaseUrl } from "./connection/database-url.ts";
import { heldValueOperations } from "./connection/held-values.ts";
import { postgresRunner } from "./connection/postgres-runner.ts";
import { type Effects, PostgresSession } from "./connection/postgres-session.ts";
import { migrate } from "./connection/schema-version.ts";
import { checkClock, checkMasterKey, checkServer, withSynchronousCommit } from "./connection/server-checks.ts";
import { requireNoUnfinishedCopy } from "./copy/copy-marker.ts";
import { quarantineOperations, queueOperations } from "./decide/operations.ts";
import { domainOperations } from "./domains/domain-operations.ts";
import { stsFetchOperations } from "./domains/sts-fetches.ts";
import { sentMessage } from "./incoming/sent-messages.ts";
import { ContentViews } from "./mail/content-views.ts";
import { listQueue } from "./reports/queue-list.ts";
import { reportOf } from "./reports/reported-message.ts";
import { reportOperations } from "./reports/reports.ts";
import { type PostgresOptions, Runtime } from "./runtime.ts";
import { eventReads } from "./webhooks/event-reads.ts";
import { webhookReads } from "./webhooks/webhook-reads.ts";

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
  const runner = postgresRunner(database, { reports, committed: afterCommit(runtime) });
  return {
    ...mailOperations(runtime, identity.name, clientReads),
    ...registryOperations(runtime, runner),
    ...operatorOperations(runtime),
    sentMessage: (query) => sentMessage(database, query),
    ...keyValueStore(database, identity.name),
    ...recipientDomainOperations(runtime, runner),
    events: (query) => clientReads.run(query.accountId, () => events(query)),
    ...requestLogOf(runner),
    ...bind(REPORT_OPERATIONS, runner),
    ...incomingPort(runner, (messageId) => runtime.watches.changed(messageId)),
    onEvents: (listener) => runtime.announcements.onEvents(listener),
    ...webhookOperations(runtime),
    people: bind(PEOPLE_OPERATIONS, runner),
    attemptLimiter: new AttemptCounters(database),
    heldValues: heldValueOperations(database),
    tokenBuckets: (kind, rate) => runtime.rates.tokenBuckets(kind, rate),
    reports: reportOperations({ reports, activity, contentViews, clock, runner }),
    destinationSlots: runtime.destinationSlots,
    nodes: nodeOperations(database, runtime.ownNode),
    duties: runtime.duties,
    onSync: (listener) => runtime.onSync(listener),
    // PostgreSQL has its own checksums, and reports what it cannot read with the call that needs it.
    onDamage: () => {},
    async close() {
      await contentViews.close();
      await runtime.close();
    },
  };
}

function mailOperations(runtime: Runtime, name: string, clientReads: ClientReads) {
  const { database, mail, watches } = runtime;
  const { acceptor } = mail;
  const { writeNodeValue } = keyValueStore(database, name);
  return {
    accept: (message) => mail.accept(message),
    idempotencyRecord: (accountId, key, nowMs) => acceptor.idempotencyRecord(accountId, key, nowMs),
    claim: (request) => mail.claim(request),
    claimExpired: (request) => mail.claimExpired(request),
    content: (messageId) => mail.content(messageId),
    mark: (mark) => mail.mark(mark),
    leaseIsCurrent: (lease) => mail.leaseIsCurrent(lease),
    settle: (messageId, atMs, settlements, lease) => mail.settle(messageId, atMs, settlements, lease),
    release: (job) => mail.release(job),
    recover: (nowMs, result) => runtime.recoveries.recover(nowMs, result),
    onExpiredLeases: (recover) => runtime.onExpiredLeases(recover),
    onDue: (wake) => mail.onDue(wake),
    backlog: () => mail.backlog(),
    probe: (nowMs) => mail.probe.run(nowMs, writeNodeValue),
    report: (messageId, accountId) =>
      clientReads.run(accountId ?? "", () => reportOf(database, messageId, { accountId })),
    queue: (filter) => listQueue(database, filter),
    watch: (messageId, changed) => watches.watch(messageId, changed),
  } satisfies Partial<Store>;
}

function registryOperations(runtime: Runtime, runner: Runner): Registry {
  const { database, partitions, quotas } = runtime;
  const operations = bind(REGISTRY_OPERATIONS, runner);
  const { saveChecks } = operations;
  return {
    ...operations,
    async setQuota(accountId, quotaDaily) {
      await operations.setQuota(accountId, quotaDaily);
      // Blocks were taken of the former quota.
      await quotas.settle();
    },
    quotaUsed: (accountId, atMs) => quotas.used(accountId, atMs),
    ...runtime.keys,
    ...domainOperations({ database, partitions, saveChecks }),
  };
}

function operatorOperations(runtime: Runtime) {
  const { longCalls, mail, announcements, watches } = runtime;
  const onDue = (dueMs: number): void => {
    mail.noteDue(dueMs);
    announcements.workShared();
  };
  const onEvents = (accountIds: ReadonlySet<string>): void => announcements.eventsCommitted(accountIds);
  const onChanged = (messageId: string): void => watches.changed(messageId);
  const runner = postgresRunner(longCalls, { committed: afterCommit(runtime) });
  const decisions = decisionsOf(runner, onChanged);
  const discards = bind(discardOperations, runner);
  const operations = {
    ...queueOperations(longCalls, { onDue, onEvents }),
    ...decisions,
    ...retriesOf(runner, onDue),
    ...schedulesOf(runner, onDue),
  };
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
    ...quarantineOperations(longCalls, { onDue, onChanged, discards }),
    applyRetention: (step) => runtime.retention.applyRetention(step),
  } satisfies Partial<Store>;
}

function recipientDomainOperations({ database }: Runtime, runner: Runner) {
  const operations = bind(RECIPIENT_DOMAIN_OPERATIONS, runner);
  return { ...operations, ...stsFetchOperations(database, operations) };
}

/** What follows from a write of the store. */
const afterCommit =
  (runtime: Runtime) =>
  ({ eventAccounts, arePausesChanged, changes }: Effects): void => {
    for (const { state, of } of changes) countChange(runtime.activity, state, of);
    if (eventAccounts.size > 0) runtime.announcements.eventsCommitted(eventAccounts);
    if (arePausesChanged) pausesChanged(runtime);
  };

/** What this node pauses and resumes is in effect at once here. */
function pausesChanged({ mail, announcements }: Runtime): void {
  announcements.pausesChanged();
  mail.noteDue(0);
  announcements.workShared();
}

function webhookOperations({ database, announcements }: Runtime): Webhooks {
  const webhooks = webhookPort(postgresRunner(database), () => announcements.endpointChanged());
  return {
    ...webhooks,
    ...webhookReads(database),
    // One statement needs no transaction.
    settleWebhooks: (settlement) =>
      hasPositionOnly(settlement)
        ? WEBHOOK_OPERATIONS.writes.settleWebhooks(new PostgresSession(database), settlement)
        : webhooks.settleWebhooks(settlement),
  };
}

/**
 * Everything that a spool's port shows, without what a copy of the spool does not keep: the numbers of messages, which each form
 * of the spool chooses, and sessions.
 */
import type { OutboxEvent } from "../../src/spool/port/events.ts";
import type { Store } from "../../src/spool/port/store.ts";
import { ALL, attemptFilter } from "../spool/port/conformance/webhook-suite.ts";
import { DAY_MS, NOW_MS, type RichSpool } from "./rich-spool.ts";
import { partsOf } from "./whole-content.ts";

const outcomeOf = async <T>(run: () => Promise<T>): Promise<T | string> => {
  try {
    return await run();
  } catch (error) {
    return (error as Error).name;
  }
};

/** To be compared as a whole with the view of another spool. */
export async function viewOf(store: Store, { accountIds, messageIds, keyHashes }: RichSpool) {
  const messages: Record<string, unknown> = {};
  for (const id of messageIds) {
    const content = await outcomeOf(async () => (await partsOf(store, id)).map((part) => part.toString("latin1")));
    messages[id] = { report: await outcomeOf(() => store.report(id)), content };
  }
  return {
    accounts: await store.accounts(),
    byAccount: await Promise.all(accountIds.map((accountId) => accountView(store, accountId))),
    people: await peopleView(store),
    activeKeys: await Promise.all(keyHashes.map((hash) => store.activeKey(hash))),
    nextDomainCheckMs: await store.nextDomainCheckMs(),
    rotations: (await store.rotations()).sort((a, b) => (a.domainId < b.domainId ? -1 : 1)),
    messages,
    endpoints: await endpointsView(store),
    pausedDomains: await store.pausedDomains(),
    stsPolicy: await store.stsPolicy("sts.example"),
    audit: (await store.auditEntries({ accountId: null, limit: 100 })).entries,
    notices: (await store.notices({ accountId: null, limit: 100 })).notices,
    noticeChoices: await store.people.noticeChoices(null),
    values: [await store.readValue("last-time"), await store.readValue("nothing")],
    requests: await store.requests({ accountId: null, limit: 100 }),
    waiting: await store.reports.waiting({ accountId: null, nowMs: NOW_MS, limit: 100 }),
    backlog: await store.backlog(),
    quarantined: (await store.quarantined(100)).messages
      .map(({ seq: _, ...message }) => message)
      .sort((a, b) => ((a.messageId ?? "") < (b.messageId ?? "") ? -1 : 1)),
  };
}

async function accountView(store: Store, accountId: string) {
  const find = (filter: object) => store.reports.find({ accountId, limit: 1000, ...filter });
  const domains = await store.domains(accountId);
  const signingKeys = await Promise.all(domains.map(({ id }) => store.signingKey(id)));
  return {
    keys: await store.keys(accountId),
    domains,
    signingKeys,
    successors: await Promise.all(domains.map(({ id }) => store.successorKey(id))),
    checkHistory: await store.checkHistory(accountId, "shop.example", 100),
    quotaUsed: await store.quotaUsed(accountId, NOW_MS),
    idempotency: await store.idempotencyRecord(accountId, "once", NOW_MS + 1000),
    events: withoutOrderKeys(await eventsOf(store, accountId)),
    domainEvents: withoutOrderKeys(
      await eventsOf(store, accountId, { types: ["domain.verified", "domain.failing", "domain.lost"] }),
    ),
    queue: await store.queue({ accountId, limit: 1000 }),
    suppressions: (await store.suppressions({ accountId, after: 1, nowMs: NOW_MS + 1000, limit: 100 })).addresses,
    activity: await store.reports.activity({
      accountId,
      sinceMs: NOW_MS - 2 * DAY_MS,
      untilMs: NOW_MS + 2 * DAY_MS,
      stepMs: 60_000,
    }),
    waiting: await store.reports.waiting({ accountId, nowMs: NOW_MS, limit: 100 }),
    requests: await store.requests({ accountId, limit: 100 }),
    found: await find({}),
    pages: [await find({ limit: 7 }), await find({ sinceMs: NOW_MS, untilMs: NOW_MS + 50 })],
    byResult: await Promise.all(
      (["delivered", "failed", "pending", "unknown"] as const).map((result) => find({ result })),
    ),
    byTag: await find({ tag: "mixed" }),
    bySubject: await find({ subject: "large" }),
    byRecipient: [await find({ recipientIs: "ann@CUSTOMERS.example" }), await find({ recipient: "@slow.example" })],
    byKey: await find({ keyId: "key_b" }),
    ofTests: await find({ test: true }),
    byCategory: await find({ category: "bad_address" }),
  };
}

async function eventsOf(store: Store, accountId: string, filter: object = {}): Promise<OutboxEvent[]> {
  const found: OutboxEvent[] = [];
  for (let afterNumber: number | null = null; ; ) {
    const query = { accountId, filter: { ...ALL, ...filter }, withDomains: true, limit: 20, afterNumber };
    const page = await store.events(query);
    if (page === "expired") throw new Error("the cursor is expired");
    found.push(...page.events);
    if (page.isEnd) return found;
    afterNumber = page.throughNumber;
  }
}

const withoutOrderKeys = (events: readonly OutboxEvent[]): Omit<OutboxEvent, "orderKey">[] =>
  events.map(({ orderKey: _, ...event }) => event);

async function peopleView({ people }: Store) {
  const users = (await people.users(null)).sort((a, b) => (a.id < b.id ? -1 : 1));
  return Promise.all(
    users.map(async (user) => ({
      user,
      named: await people.userNamed(user.email.toUpperCase()),
      codes: await people.recoveryCodesLeft(user.id),
    })),
  );
}

async function endpointsView(store: Store) {
  const endpoints = await store.endpoints(null);
  return Promise.all(
    endpoints.map(async (endpoint) => {
      const { id, position } = endpoint;
      const { events: fresh, isEnd } = await store.freshEvents(endpoint, position, 100);
      const due = await store.dueRetries(id, NOW_MS + DAY_MS, 100);
      return {
        endpoint,
        attempts: await store.attempts(attemptFilter({ endpointId: id })),
        waiting: await store.waitingAt(id),
        fresh: { isEnd, events: fresh.map(({ event, ...other }) => [event.id, event.number, other]) },
        due: { ...due, retries: due.retries.map(({ event, ...other }) => [event.id, other]), gone: due.gone.length },
      };
    }),
  );
}

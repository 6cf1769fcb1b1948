import assert from "node:assert/strict";
import { test } from "node:test";
import { type RecheckOptions, RecheckScheduler } from "../../src/domains/recheck-scheduler.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import type { Domain, DueDomainsQuery } from "../../src/spool/port/domains.ts";
import { contextOf, goodZone, sampleDomain } from "./sample.ts";

const SECOND = 1000;
const MINUTE = 60_000;

/** Lets everything that can go on without time passing go on. */
async function settled() {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

function drivenClock() {
  let nowMs = 1_000_000;
  let timers: { atMs: number; run: () => void }[] = [];
  const clock: Clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  const pass = async (delayMs: number) => {
    nowMs += delayMs;
    const due = timers.filter(({ atMs }) => atMs <= nowMs);
    timers = timers.filter(({ atMs }) => atMs > nowMs);
    for (const timer of due) timer.run();
    await settled();
  };
  return { clock, pass, sleepsMs: () => timers.map(({ atMs }) => atMs - nowMs) };
}

function memoryRegistry(domains: Domain[]) {
  const saved: string[] = [];
  const registry: RecheckOptions["registry"] = {
    domainsDue: async (due) => chosen(domains, due),
    nextDomainCheckMs: async () =>
      domains.length > 0 ? Math.min(...domains.map((domain) => domain.nextCheckAtMs)) : null,
    saveChecks: async (domainId, checks, verified, nextCheckAtMs) => {
      saved.push(domainId);
      const domain = domains.find(({ id }) => id === domainId);
      if (domain) Object.assign(domain, { checks, verified, nextCheckAtMs });
    },
    returnPathNamed: async () => null,
    saveReturnPath: async () => assert.fail("no return path is on"),
  };
  return { registry, saved };
}

/** Selects domains as the port specifies. */
function chosen(domains: Domain[], { nowMs, afterAccountId, perAccount, limit }: DueDomainsQuery): Domain[] {
  const due = domains
    .filter(({ nextCheckAtMs }) => nextCheckAtMs <= nowMs)
    .sort((a, b) => a.nextCheckAtMs - b.nextCheckAtMs);
  const accounts = [...new Set(due.map(({ accountId }) => accountId))].sort();
  const behind = accounts.filter((id) => id > afterAccountId);
  const inTurn = [...behind, ...accounts.filter((id) => id <= afterAccountId)];
  const lists = inTurn.map((id) => due.filter(({ accountId }) => accountId === id));
  const ranks = Array.from({ length: perAccount }, (_, rank) => lists.flatMap((list) => list.slice(rank, rank + 1)));
  return ranks.flat().slice(0, limit);
}

function start(registry: RecheckOptions["registry"], clock: Clock, context = contextOf(goodZone())): RecheckScheduler {
  const scheduler = new RecheckScheduler({ registry, clock, context, log: silentLog });
  scheduler.start();
  return scheduler;
}

const STOP_LIMIT_MS = 8000;

const DNS_LIMIT_MS = 30_000;

/** The DNS of `goodZone()`; names that end in `.silent` are not answered until the resolver gives up. */
function partlySilent(clock: Clock): RecheckOptions["context"] & { asking: () => number } {
  const { resolver, ...context } = contextOf(goodZone());
  let asking = 0;
  const delayed = <T>(ask: (name: string) => Promise<T>) => {
    return async (name: string): Promise<T | { type: "failure"; code: string }> => {
      if (!name.endsWith(".silent")) return ask(name);
      asking += 1;
      await new Promise<void>((resolve) => clock.after(DNS_LIMIT_MS, resolve));
      asking -= 1;
      return { type: "failure", code: "ETIMEOUT" };
    };
  };
  const { mx, txt, a, aaaa, ptr, cname } = resolver;
  const slow = { mx: delayed(mx), txt: delayed(txt), a: delayed(a), aaaa: delayed(aaaa), ptr, cname: delayed(cname) };
  return { ...context, resolver: slow, asking: () => asking };
}

/** Domains of one account, due one after another, whose DNS never answers. */
function silentDomains(accountId: string, count: number): Domain[] {
  return Array.from({ length: count }, (_, i) => {
    const name = `d${i}.${accountId.replace("_", "-")}.silent`;
    return { ...sampleDomain(name), accountId, nextCheckAtMs: i };
  });
}

test("checks a due domain, saves the result, and checks it again when it is due", async () => {
  const domain = sampleDomain();
  const { registry, saved } = memoryRegistry([domain]);
  const { clock, pass } = drivenClock();
  const scheduler = start(registry, clock);
  await settled();
  assert.equal(domain.verified, true);
  for (let minute = 0; minute < 24 * 60 - 1; minute++) await pass(MINUTE);
  assert.equal(saved.length, 1);
  await pass(MINUTE);
  assert.equal(saved.length, 2);
  await scheduler.stop(STOP_LIMIT_MS);
});

test("sleeps at most a minute, and finds a domain added in the meantime", async () => {
  const domains: Domain[] = [];
  const { registry, saved } = memoryRegistry(domains);
  const { clock, pass, sleepsMs } = drivenClock();
  const scheduler = start(registry, clock);
  await settled();
  assert.deepEqual(sleepsMs(), [MINUTE]);
  domains.push(sampleDomain());
  await pass(MINUTE);
  assert.equal(saved.length, 1);
  await scheduler.stop(STOP_LIMIT_MS);
});

test("wake reads at once, also during a pass", async () => {
  const domains: Domain[] = [];
  const { registry, saved } = memoryRegistry(domains);
  const { clock } = drivenClock();
  const scheduler = start(registry, clock);
  await settled();
  domains.push(sampleDomain("one.example"));
  scheduler.wake();
  await settled();
  assert.equal(saved.length, 1);
  scheduler.wake();
  domains.push(sampleDomain("two.example"));
  scheduler.wake();
  await settled();
  assert.equal(saved.length, 2);
  await scheduler.stop(STOP_LIMIT_MS);
});

test("postpones a domain whose check throws, and checks the others", async () => {
  const bad = Array.from({ length: 5 }, (_, index) => {
    // A row with unusable checks.
    return { ...sampleDomain(`bad${index}.example`), checks: null as unknown as Domain["checks"] };
  });
  const good = sampleDomain();
  const { registry } = memoryRegistry([...bad, good]);
  const { clock } = drivenClock();
  const scheduler = start(registry, clock);
  await settled();
  assert.equal(good.verified, true);
  for (const domain of bad) assert.ok(domain.nextCheckAtMs > clock.now());
  await scheduler.stop(STOP_LIMIT_MS);
});

test("survives errors of the registry", async () => {
  const domain = sampleDomain();
  const { registry } = memoryRegistry([domain]);
  let broken = true;
  const flaky: RecheckOptions["registry"] = {
    ...registry,
    domainsDue: async (due) => {
      if (broken) throw new Error("disk full");
      return registry.domainsDue(due);
    },
  };
  const { clock, pass } = drivenClock();
  const scheduler = start(flaky, clock);
  await settled();
  assert.equal(domain.verified, false);
  broken = false;
  await pass(MINUTE);
  assert.equal(domain.verified, true);
  await scheduler.stop(STOP_LIMIT_MS);
});

test("runs at most two checks per account and 16 in total, and stop waits for the running ones", async () => {
  const domains = Array.from({ length: 40 }, (_, i) => ({
    ...sampleDomain(`d${i}.example`),
    accountId: `acc_${i % 10}`,
  }));
  const { registry, saved } = memoryRegistry(domains);
  const { clock } = drivenClock();
  const context = contextOf({});
  const open: (() => void)[] = [];
  const asking: string[] = [];
  const slow = (name: string) => {
    asking.push(domains.find((domain) => domain.name === name)?.accountId ?? "");
    return new Promise<{ type: "nxdomain" }>((resolve) => open.push(() => resolve({ type: "nxdomain" })));
  };
  const scheduler = start(registry, clock, { ...context, resolver: { ...context.resolver, mx: slow } });
  await settled();
  assert.equal(asking.length, 16);
  assert.equal(new Set(asking).size, 10, "every account has one under way before any has two");
  for (const id of asking) assert.ok(asking.filter((other) => other === id).length <= 2);
  let stopped = false;
  const stopping = scheduler.stop(STOP_LIMIT_MS).then(() => {
    stopped = true;
  });
  await settled();
  assert.equal(stopped, false);
  for (const answer of open) answer();
  await stopping;
  assert.equal(saved.length, 16);
  assert.equal(asking.length, 16);
});

test("stop waits at most its limit for unanswered DNS queries, and saves nothing afterwards", async () => {
  const domains = silentDomains("acc_1", 3);
  const { registry, saved } = memoryRegistry(domains);
  const { clock, pass } = drivenClock();
  const scheduler = start(registry, clock, partlySilent(clock));
  await settled();
  const stopping = scheduler.stop(STOP_LIMIT_MS);
  await settled();
  await pass(STOP_LIMIT_MS);
  await stopping;
  await pass(DNS_LIMIT_MS);
  assert.deepEqual(saved, []);
});

test("verifies another account's domain at once, however many domains of one account never answer", async () => {
  const silent = silentDomains("acc_1", 319);
  const good = { ...sampleDomain(), accountId: "acc_2", nextCheckAtMs: 1000 };
  const { registry } = memoryRegistry([...silent, good]);
  const { clock } = drivenClock();
  const context = partlySilent(clock);
  const scheduler = start(registry, clock, context);
  await settled();
  assert.equal(good.verified, true);
  assert.ok(context.asking() > 0 && context.asking() <= 2 * 5, "and the other account has two checks under way");
  void scheduler.stop(0);
});

test("checks a domain within a second that falls due while all slots of another account are busy", async () => {
  const domains = silentDomains("acc_2", 319);
  const { registry } = memoryRegistry(domains);
  const { clock, pass } = drivenClock();
  const scheduler = start(registry, clock, partlySilent(clock));
  await settled();
  const good = { ...sampleDomain(), accountId: "acc_1", nextCheckAtMs: clock.now() };
  domains.push(good);
  await pass(SECOND);
  assert.equal(good.verified, true);
  void scheduler.stop(0);
});

test("with more silent accounts than slots, serves the next account in round-robin order", async () => {
  const accounts = Array.from({ length: 20 }, (_, i) => `acc_${String(i).padStart(2, "0")}`);
  const silent = accounts.flatMap((id) => silentDomains(id, 50));
  const good = { ...sampleDomain(), accountId: "acc_99", nextCheckAtMs: 1000 };
  const { registry } = memoryRegistry([...silent, good]);
  const { clock, pass } = drivenClock();
  const scheduler = start(registry, clock, partlySilent(clock));
  await settled();
  assert.equal(good.verified, false);
  for (let second = 0; second <= DNS_LIMIT_MS / SECOND; second += 1) await pass(SECOND);
  assert.equal(good.verified, true);
  void scheduler.stop(0);
});

test("an account's silent domains delay its other domains, but not forever", async () => {
  const silent = silentDomains("acc_1", 60);
  const good = { ...sampleDomain(), nextCheckAtMs: 1000 };
  const { registry, saved } = memoryRegistry([...silent, good]);
  const { clock, pass } = drivenClock();
  const scheduler = start(registry, clock, partlySilent(clock));
  // A silent domain takes two rounds of questions at most, and two are checked at once.
  for (let rounds = 0; rounds < 60 && !good.verified; rounds += 1) await pass(DNS_LIMIT_MS);
  assert.equal(good.verified, true);
  assert.ok(saved.length >= 60, "after all that had been due for longer");
  void scheduler.stop(0);
});

test("does not repeat a check in a busy loop whose result cannot be saved", async () => {
  const domain = sampleDomain();
  const { registry } = memoryRegistry([domain]);
  let attempts = 0;
  const full: RecheckOptions["registry"] = {
    ...registry,
    saveChecks: async (...args) => {
      attempts += 1;
      if (attempts <= 4) throw new Error("disk full");
      return registry.saveChecks(...args);
    },
  };
  const { clock, pass } = drivenClock();
  const scheduler = start(full, clock);
  await settled();
  await pass(SECOND);
  await pass(SECOND);
  assert.equal(attempts, 2, "once the result, once the postponement");
  await pass(MINUTE);
  assert.equal(attempts, 4);
  await pass(MINUTE);
  assert.equal(domain.verified, true);
  await scheduler.stop(STOP_LIMIT_MS);
});

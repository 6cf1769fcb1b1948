import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/clock.ts";
import { type Rechecking, startRechecks } from "../../src/domains/recheck.ts";
import { silentLog } from "../../src/log.ts";
import type { Domain } from "../../src/spool/registry.ts";
import { contextOf, goodZone, sampleDomain } from "./sample.ts";

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
  const registry: Rechecking["registry"] = {
    domainsDue: async (nowMs, limit) => domains.filter((domain) => domain.nextCheckAtMs <= nowMs).slice(0, limit),
    nextDomainCheckMs: async () =>
      domains.length > 0 ? Math.min(...domains.map((domain) => domain.nextCheckAtMs)) : null,
    saveChecks: async (domainId, checks, verified, nextCheckAtMs) => {
      saved.push(domainId);
      const domain = domains.find(({ id }) => id === domainId);
      if (domain) Object.assign(domain, { checks, verified, nextCheckAtMs });
    },
  };
  return { registry, saved };
}

const start = (registry: Rechecking["registry"], clock: Clock, context = contextOf(goodZone())) =>
  startRechecks({ registry, clock, context, log: silentLog });

test("a due domain is checked, saved, and looked at again when its time comes", async () => {
  const domain = sampleDomain();
  const { registry, saved } = memoryRegistry([domain]);
  const { clock, pass } = drivenClock();
  const rechecks = start(registry, clock);
  await settled();
  assert.equal(domain.verified, true);
  for (let minute = 0; minute < 24 * 60 - 1; minute++) await pass(MINUTE);
  assert.equal(saved.length, 1);
  await pass(MINUTE);
  assert.equal(saved.length, 2);
  await rechecks.stop();
});

test("it sleeps at most a minute, and a domain added meanwhile is found", async () => {
  const domains: Domain[] = [];
  const { registry, saved } = memoryRegistry(domains);
  const { clock, pass, sleepsMs } = drivenClock();
  const rechecks = start(registry, clock);
  await settled();
  assert.deepEqual(sleepsMs(), [MINUTE]);
  domains.push(sampleDomain());
  await pass(MINUTE);
  assert.equal(saved.length, 1);
  await rechecks.stop();
});

test("wake looks at once, also while a round is under way", async () => {
  const domains: Domain[] = [];
  const { registry, saved } = memoryRegistry(domains);
  const { clock } = drivenClock();
  const rechecks = start(registry, clock);
  await settled();
  domains.push(sampleDomain("one.example"));
  rechecks.wake();
  await settled();
  assert.equal(saved.length, 1);
  rechecks.wake();
  domains.push(sampleDomain("two.example"));
  rechecks.wake();
  await settled();
  assert.equal(saved.length, 2);
  await rechecks.stop();
});

test("a domain that cannot be checked is put off and does not stop the others", async () => {
  const bad = Array.from({ length: 5 }, (_, index) => {
    // A row whose checks cannot be used.
    return { ...sampleDomain(`bad${index}.example`), checks: null as unknown as Domain["checks"] };
  });
  const good = sampleDomain();
  const { registry } = memoryRegistry([...bad, good]);
  const { clock } = drivenClock();
  const rechecks = start(registry, clock);
  await settled();
  assert.equal(good.verified, true);
  for (const domain of bad) assert.ok(domain.nextCheckAtMs > clock.now());
  await rechecks.stop();
});

test("trouble with the registry is survived", async () => {
  const domain = sampleDomain();
  const { registry } = memoryRegistry([domain]);
  let broken = true;
  const flaky: Rechecking["registry"] = {
    ...registry,
    domainsDue: async (nowMs, limit) => {
      if (broken) throw new Error("disk full");
      return registry.domainsDue(nowMs, limit);
    },
  };
  const { clock, pass } = drivenClock();
  const rechecks = start(flaky, clock);
  await settled();
  assert.equal(domain.verified, false);
  broken = false;
  await pass(MINUTE);
  assert.equal(domain.verified, true);
  await rechecks.stop();
});

test("at most four domains at once, and stop waits for those under way", async () => {
  const domains = Array.from({ length: 10 }, (_, index) => sampleDomain(`d${index}.example`));
  const { registry, saved } = memoryRegistry(domains);
  const { clock } = drivenClock();
  const context = contextOf({});
  let open: (() => void)[] = [];
  const asking = new Set<string>();
  const slow = (name: string) => {
    asking.add(name);
    return new Promise<{ type: "nodata" }>((resolve) => open.push(() => resolve({ type: "nodata" })));
  };
  const rechecks = start(registry, clock, { ...context, resolver: { ...context.resolver, mx: slow } });
  await settled();
  assert.equal(asking.size, 4);
  let stopped = false;
  const stopping = rechecks.stop().then(() => {
    stopped = true;
  });
  await settled();
  assert.equal(stopped, false);
  for (const answer of open) answer();
  open = [];
  await stopping;
  assert.equal(saved.length, 4);
  assert.equal(asking.size, 4);
});

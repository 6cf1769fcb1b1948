/** The look-ups before an attempt takes a slot, and how long they are reused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Preparation, type PreparedDomain } from "../../../src/delivery/dispatch/preparation.ts";
import type { RoutingPolicy } from "../../../src/delivery/routing/route.ts";
import { TestSink } from "../../../src/delivery/routing/test-sink.ts";
import { StsPolicies } from "../../../src/delivery/tls/mta-sts.ts";
import { createPolicies, opportunistic, type PolicyLookup } from "../../../src/delivery/tls/tls-policy.ts";
import type { SecureResolver } from "../../../src/dns/secure-resolver.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { testRouteOf } from "../../../src/message/test-route.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { fakeResolver } from "../../support/fake-resolver.ts";
import { NO_TEST_SINK } from "../../support/no-test-sink.ts";

const MINUTE_MS = 60_000;

function setUp(policiesOf: PolicyLookup = opportunistic, sink: RoutingPolicy["sink"] = null) {
  const clock = fakeClock();
  const resolver = fakeResolver({
    "a.example": { MX: ["10 mx1.provider.example", "20 mx2.provider.example"] },
    "equal.example": { MX: ["10 mx1.provider.example", "10 mx2.provider.example"] },
    "null.example": { MX: ["0 ."] },
    "many.example": { MX: Array.from({ length: 21 }, (_, i) => `10 mx${i}.provider.example`) },
  });
  const routing = { resolver, smtpPort: 25, sink, random: () => 0 };
  const testSink = new TestSink(async () => ({ port: 2525, close: async () => {} }));
  return { clock, resolver, preparation: new Preparation({ routing, testSink, policiesOf, clock }) };
}

test("a domain without mail hosts has no destination, and its policy is not looked up", async () => {
  const asked: string[] = [];
  const { preparation } = setUp((domain) => {
    asked.push(domain);
    return opportunistic(domain);
  });
  const { route, destination } = await preparation.prepare("null.example");
  assert.deepEqual([route.type, destination, asked], ["null_mx", null, []]);
  assert.equal((await preparation.prepare("a.example")).destination, "*.provider.example");
  assert.deepEqual(asked, ["a.example"]);
});

test("a test route is that of the sink inside the service, without a DNS query or a policy of a domain", async () => {
  const { preparation, resolver } = setUp(() => assert.fail("no domain's policy applies"));
  const [first, other] = ["acc_a", "acc_b"].map(testRouteOf);
  assert.ok(first !== undefined && other !== undefined);
  const { route, destination, policyFor } = await preparation.prepare(first);
  const host = { name: "127.0.0.1", port: 2525, isSink: true };
  assert.deepEqual(route, { type: "hosts", hosts: [host] });
  assert.deepEqual([destination, (await preparation.prepare(other)).destination], [first, other]);
  assert.equal((await policyFor(host)).type, "opportunistic");
  assert.deepEqual(resolver.asked, []);
});

test("a test route goes to that sink although all other mail goes to the operator's", async () => {
  const sink = { host: "sink.internal", port: 2526 };
  const { preparation } = setUp(opportunistic, sink);
  const nameOf = async (domain: string) => {
    const { route } = await preparation.prepare(domain);
    return route.type === "hosts" && route.hosts.map(({ name }) => name);
  };
  assert.deepEqual(await nameOf(testRouteOf("acc_a")), ["127.0.0.1"]);
  assert.deepEqual(await nameOf("a.example"), ["sink.internal"]);
});

test("a policy that the spool cannot read aborts the attempt, not the preparation", async () => {
  const { preparation } = setUp(() => Promise.reject(new Error("the disk is gone")));
  const { destination, policyFor } = await preparation.prepare("a.example");
  assert.equal(destination, "*.provider.example");
  await assert.rejects(policyFor({ name: "mx1.provider.example", port: 25, isSink: false }), /the disk is gone/);
});

test("a preparation is reused for a minute only when the destination was full", async () => {
  const { clock, resolver, preparation } = setUp();
  const prepared = await preparation.prepare("a.example");
  assert.notEqual(await preparation.prepare("a.example"), prepared);
  preparation.keep("a.example", prepared);
  const { length } = resolver.asked;
  await clock.advance(MINUTE_MS - 1);
  assert.equal(await preparation.prepare("a.example"), prepared);
  preparation.keep("a.example", prepared);
  assert.equal(resolver.asked.length, length);
  await clock.advance(1);
  assert.notEqual(await preparation.prepare("a.example"), prepared, "keeping it again does not extend its time");
});

test("a preparation is shared by the messages of one second", async () => {
  const { clock, preparation } = setUp();
  assert.equal(preparation.shared("a.example"), null);
  const prepared = await preparation.prepare("a.example");
  await clock.advance(999);
  assert.equal(preparation.shared("a.example"), prepared);
  await clock.advance(1);
  assert.equal(preparation.shared("a.example"), null);
});

test("no message shares an order that was drawn for another, a route without hosts, or a short wait for a policy", async () => {
  const { preparation } = setUp();
  for (const domain of ["equal.example", "many.example", "null.example"]) {
    await preparation.prepare(domain);
    assert.equal(preparation.shared(domain), null, domain);
  }
  await preparation.prepare("a.example", 1000);
  assert.equal(preparation.shared("a.example"), null);
});

test("a policy that the spool cannot read is not shared", async () => {
  const { preparation } = setUp(() => Promise.reject(new Error("the disk is gone")));
  await preparation.prepare("a.example");
  assert.equal(preparation.shared("a.example"), null);
});

test("a preparation with very many hosts is not kept: thousands of them would fill the memory", async () => {
  const { preparation } = setUp();
  const prepared = await preparation.prepare("many.example");
  preparation.keep("many.example", prepared);
  assert.notEqual(await preparation.prepare("many.example"), prepared);
});

test("short answers about TLS are cached for ten seconds, and long ones are not", async () => {
  for (const [count, asks] of [
    [10, 2],
    [100, 4],
  ] as const) {
    let asked = 0;
    const exchanges = Array.from({ length: count }, (_, i) => `${i}.${"x".repeat(40)}.example`);
    const certificate = { usage: 3, selector: 1, matchingType: 1, data: Buffer.alloc(32) };
    const found = { type: "found", secure: true, name: "a.example" } as const;
    const dane: SecureResolver = {
      trusted: true,
      mx: async () => {
        asked += 1;
        return { ...found, records: exchanges.map((exchange) => ({ exchange, preference: 10 })) };
      },
      a: async (name) => ({ ...found, name, records: ["192.0.2.1"] }),
      aaaa: async () => ({ type: "nodata", secure: true }),
      tlsa: async () => {
        asked += 1;
        return { ...found, records: Array.from({ length: count }, () => certificate) };
      },
    };
    const lookUp = async () => ({ policy: null, wait: async () => {}, ended: Promise.resolve() });
    const policiesOf = createPolicies({ sts: { lookUp }, dane, clock: fakeClock() });
    for (let i = 0; i < 2; i += 1) {
      const policyFor = await policiesOf("a.example");
      await policyFor({ name: exchanges[0] ?? "", port: 25, isSink: false });
    }
    assert.equal(asked, asks);
  }
});

test("the domain's own servers are queried before the attempt only, however long it takes", async () => {
  const clock = fakeClock();
  const asked: string[] = [];
  const note = (question: string): void => void asked.push(question);
  const found = { type: "found", secure: true } as const;
  const none = { type: "nodata", secure: true } as const;
  const dane: SecureResolver = {
    trusted: true,
    mx: async (name) => {
      note(`MX ${name}`);
      const records = ["mx1.provider.example", "mx2.provider.example"];
      return { ...found, name, records: records.map((exchange) => ({ exchange, preference: 10 })) };
    },
    a: async (name) => ({ ...found, name, records: ["192.0.2.1"] }),
    aaaa: async () => none,
    tlsa: async (name) => {
      note(`TLSA ${name}`);
      return none;
    },
  };
  const lookUp = async (domain: string) => {
    note(`STS ${domain}`);
    return { policy: null, wait: async () => {}, ended: Promise.resolve() };
  };
  const policyFor = await createPolicies({ sts: { lookUp }, dane, clock })("a.example");
  assert.deepEqual(asked.splice(0), ["MX a.example", "STS a.example"]);
  for (const name of ["mx1.provider.example", "mx2.provider.example"]) {
    assert.equal((await policyFor({ name, port: 25, isSink: false })).type, "opportunistic");
    assert.deepEqual(asked.splice(0), [`TLSA _25._tcp.${name}`]);
    await clock.advance(10 * MINUTE_MS);
  }
});

/** Servers of the domain that answer nothing. */
const SILENT = new Promise<never>(() => {});

/** What a domain with mail hosts is prepared to after `ms`, while its servers are silent about MTA-STS, DANE or MX. */
async function preparedAfter(ms: number, silent: "sts" | "dane" | "mx", leftMs?: number) {
  const { clock, resolver } = setUp();
  const asking = { ...resolver, txt: () => SILENT, ...(silent === "mx" ? { mx: () => SILENT } : {}) };
  const dane = { mx: () => SILENT } as Partial<SecureResolver> as SecureResolver;
  const spool: Partial<Spool> = { stsPolicy: async () => null };
  const sts = new StsPolicies({ spool: spool as Spool, resolver: asking, clock, log: silentLog, allowPrivate: true });
  const routing = { resolver: asking, smtpPort: 25, sink: null, random: () => 0 };
  const policiesOf = createPolicies({ sts, dane: silent === "dane" ? dane : null, clock });
  const preparation = new Preparation({ routing, testSink: NO_TEST_SINK, policiesOf, clock });
  let prepared: PreparedDomain | null = null;
  void preparation.prepare("a.example", leftMs).then((result) => {
    prepared = result;
  });
  await clock.advance(ms);
  return prepared as PreparedDomain | null;
}

const MX1 = { name: "mx1.provider.example", port: 25, isSink: false };

test("a silent MTA-STS record or host costs five seconds, and a message with a deadline a quarter of its time at most", async () => {
  assert.equal(await preparedAfter(4999, "sts"), null);
  const prepared = await preparedAfter(5000, "sts");
  assert.deepEqual([prepared?.route.type, (await prepared?.policyFor(MX1))?.type], ["hosts", "opportunistic"]);
  assert.equal((await preparedAfter(5000, "sts", 45_000))?.route.type, "hosts");
  assert.equal((await preparedAfter(1000, "sts", 4000))?.route.type, "hosts");
});

test("silent DNS costs a message with a deadline half of its time, and is DNS trouble then", async () => {
  for (const silent of ["mx", "dane"] as const) {
    assert.equal(await preparedAfter(22_499, silent, 45_000), null);
    const prepared = await preparedAfter(22_500, silent, 45_000);
    assert.deepEqual([prepared?.route, prepared?.destination], [{ type: "dns_trouble", code: "ETIMEOUT" }, null]);
    assert.equal(await preparedAfter(60_000, silent), null, "the resolver's own limits hold without a deadline");
  }
});

/** Routing with real DNS packets, including a silent name server. The whole delivery is in test/e2e/routing.test.ts. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  addressesOf,
  destinationOf,
  hostsToTry,
  type RoutingPolicy,
  routeTo,
} from "../../../src/delivery/routing/route.ts";
import { verdictOnRoute } from "../../../src/delivery/verdict.ts";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import { startZoneServer, type ZoneFault, type ZoneRecord } from "../../../src/testing/zone-server.ts";
import { fakeResolver } from "../../support/fake-resolver.ts";

async function setUp(t: TestContext, records: ZoneRecord[] = []) {
  const zone = await startZoneServer({ records });
  t.after(() => zone.close());
  const resolver = createResolver({ servers: [zone.address], timeoutMs: 300, tries: 1 });
  const policy: RoutingPolicy = { resolver, smtpPort: 2500, sink: null, random: () => 0.5 };
  return { zone, resolver, policy };
}

const mailHost = (name: string) => ({ name, port: 2500, isSink: false });

const found = async (domain: string, policy: RoutingPolicy): Promise<string | null> =>
  destinationOf(domain, await routeTo(domain, policy));

const hostNames = async (domain: string, policy: RoutingPolicy): Promise<string[]> => {
  const route = await routeTo(domain, policy);
  assert.equal(route.type, "hosts");
  return route.type === "hosts" ? route.hosts.map((host) => host.name) : [];
};

test("mail exchangers are ordered by preference, unique, lower-case, and use the configured port", async (t) => {
  const values = ["20 b.example", "10 A.example", "5 c.example.", "30 a.example"];
  const { policy } = await setUp(t, [{ name: "d.example", type: "MX", values }]);
  assert.deepEqual(await routeTo("d.example", policy), {
    type: "hosts",
    hosts: ["c.example", "a.example", "b.example"].map(mailHost),
  });
});

test("equal preferences are shuffled, unequal ones are not", async () => {
  const resolver = fakeResolver({ "d.example": { MX: ["10 a.example", "10 b.example", "20 c.example"] } });
  const drawn = (...lots: number[]) => {
    const random = () => lots.shift() ?? 0;
    return hostNames("d.example", { resolver, smtpPort: 25, sink: null, random });
  };
  assert.deepEqual(await drawn(0.9, 0.9), ["a.example", "b.example", "c.example"]);
  assert.deepEqual(await drawn(0.9, 0.1), ["b.example", "a.example", "c.example"]);
});

test("an exchanger with our own name is used like any other", async () => {
  const resolver = fakeResolver({ "backup.example": { MX: ["10 a.example", "20 mta.shop.example", "30 c.example"] } });
  const policy: RoutingPolicy = { resolver, smtpPort: 25, sink: null, random: () => 0.5 };
  assert.deepEqual(await hostNames("backup.example", policy), ["a.example", "mta.shop.example", "c.example"]);
});

test("domains whose mail hosts have one operator share a destination", async () => {
  const resolver = fakeResolver({
    "one.example": { MX: ["10 b.provider.example", "10 a.provider.example", "20 0.provider.example"] },
    "two.example": { MX: ["5 two-example.mail.provider.example"] },
    "null-too.example": { MX: ["0 .", "10 c.provider.example"] },
    "null.example": { MX: ["0 ."] },
    "own.example": { MX: ["10 mail.own.example"] },
    "home.example": { MX: ["10 mail.ann.duckdns.org"] },
    "other-home.example": { MX: ["10 mail.bob.duckdns.org"] },
    "suffix.example": { MX: ["10 ec2-192-0-2-1.compute-1.amazonaws.com"] },
    "bare.example": { A: ["192.0.2.1"] },
    "under.bare.example": { A: ["192.0.2.1"] },
  });
  const policy: RoutingPolicy = { resolver, smtpPort: 25, sink: null, random: () => 0.5 };
  const destinations: [string, string | null][] = [
    ["one.example", "*.provider.example"],
    ["two.example", "*.provider.example"],
    ["null-too.example", "*.provider.example"],
    ["null.example", null],
    ["own.example", "*.own.example"],
    ["home.example", "*.ann.duckdns.org"],
    ["other-home.example", "*.bob.duckdns.org"],
    ["suffix.example", "*.ec2-192-0-2-1.compute-1.amazonaws.com"],
    ["bare.example", "*.bare.example"],
    ["under.bare.example", "*.bare.example"],
    ["absent.example", null],
  ];
  for (const [domain, destination] of destinations) assert.equal(await found(domain, policy), destination);
  const sink = { host: "127.0.0.1", port: 2525 };
  assert.equal(await found("absent.example", { ...policy, sink }), "127.0.0.1:2525");
});

test("a host name that looks like a provider's URL belongs to its own parent domain", async () => {
  const resolver = fakeResolver({ "evil.example": { MX: ["10 mx.provider.example/x.evil.example"] } });
  const policy: RoutingPolicy = { resolver, smtpPort: 25, sink: null, random: () => 0.5 };
  const expected = "*.evil.example";
  assert.equal(await found("evil.example", policy), expected);
});

test("a domain that lists a provider's hosts beside others has its own destination", async () => {
  const many = Array.from({ length: 5 }, (_, i) => `10 mx.operator${i}.example`);
  const resolver = fakeResolver({
    "hollow.example": { MX: ["0 absent.provider.example", "10 mx.hollow.example"] },
    "two.example": { MX: ["20 b.other.example", "10 a.provider.example", "30 c.provider.example"] },
    "same-two.example": { MX: ["5 z.provider.example", "50 y.other.example"] },
    "many.example": { MX: many },
  });
  const policy: RoutingPolicy = { resolver, smtpPort: 25, sink: null, random: () => 0.5 };
  for (const [domain, destination] of [
    ["hollow.example", "*.hollow.example+*.provider.example"],
    ["two.example", "*.other.example+*.provider.example"],
    ["same-two.example", "*.other.example+*.provider.example"],
    ["many.example", "*.many.example"],
  ] as const) {
    assert.equal(await found(domain, policy), destination);
  }
});

test("of many hosts an attempt tries the best and a random selection of the others", () => {
  const hosts = Array.from({ length: 30 }, (_, index) => mailHost(`mx${index}.example`));
  assert.deepEqual(
    hostsToTry(hosts.slice(0, 8), () => 0),
    hosts.slice(0, 8),
  );
  const seen = new Set<string>();
  for (let draw = 0; draw < 25; draw += 1) {
    const chosen = hostsToTry(hosts, () => draw / 25);
    assert.equal(new Set(chosen).size, 8);
    assert.deepEqual(chosen.slice(0, 5), hosts.slice(0, 5));
    assert.deepEqual(
      chosen,
      hosts.filter((host) => chosen.includes(host)),
      "in their order",
    );
    for (const { name } of chosen) seen.add(name);
  }
  assert.equal(seen.size, 30);
});

test("definite DNS answers and failed look-ups are distinct", async (t) => {
  const { zone, policy } = await setUp(t, [
    { name: "null.example", type: "MX", values: ["0 ."] },
    { name: "nothing.example", type: "TXT", values: ["no mail here"] },
  ]);
  assert.deepEqual(await routeTo("absent.example", policy), { type: "no_such_domain" });
  assert.deepEqual(await routeTo("null.example", policy), { type: "null_mx" });
  assert.deepEqual(await routeTo("nothing.example", policy), { type: "no_mail_host" });
  const faults: [ZoneFault, string][] = [
    ["servfail", "ESERVFAIL"],
    ["refused", "EREFUSED"],
    ["notimp", "ENOTIMP"],
    ["silent", "ETIMEOUT"],
  ];
  for (const [fault, code] of faults) {
    zone.set("trouble.example", "A", ["127.0.0.1"]);
    zone.fault("trouble.example", fault, "MX");
    const route = await routeTo("trouble.example", policy);
    assert.deepEqual(route, { type: "dns_trouble", code });
    if (route.type === "dns_trouble") assert.equal(verdictOnRoute(route).verdict.type, "deferred");
  }
});

test("without MX the domain's own address is used; its failed look-up is not an absence", async (t) => {
  const { zone, policy } = await setUp(t, [
    { name: "four.example", type: "A", values: ["127.0.0.1"] },
    { name: "six.example", type: "AAAA", values: ["::1"] },
    { name: "half.example", type: "TXT", values: ["no address yet"] },
  ]);
  assert.deepEqual(await hostNames("four.example", policy), ["four.example"]);
  assert.deepEqual(await hostNames("six.example", policy), ["six.example"]);
  zone.fault("six.example", "servfail", "A");
  assert.deepEqual(await hostNames("six.example", policy), ["six.example"]);
  for (const type of ["A", "AAAA"] as const) {
    zone.fault("half.example", "silent", type);
    assert.equal((await routeTo("half.example", policy)).type, "dns_trouble");
    zone.fault("half.example", null, type);
  }
  assert.equal((await routeTo("half.example", policy)).type, "no_mail_host");
});

test("a null MX beside other exchangers is ignored", async (t) => {
  const { policy } = await setUp(t, [{ name: "d.example", type: "MX", values: ["0 .", "10 a.example"] }]);
  assert.deepEqual(await hostNames("d.example", policy), ["a.example"]);
});

test("a sink is the only host, without a DNS query", async (t) => {
  const { zone, policy } = await setUp(t);
  const sink = { host: "sink.internal", port: 2525 };
  assert.deepEqual(await routeTo("d.example", { ...policy, sink }), {
    type: "hosts",
    hosts: [{ name: "sink.internal", port: 2525, isSink: true }],
  });
  assert.deepEqual(zone.queries, []);
});

test("a host's addresses, or why it has none", async (t) => {
  const { zone, resolver } = await setUp(t, [
    { name: "both.example", type: "A", values: ["127.0.0.2"] },
    { name: "both.example", type: "AAAA", values: ["::1"] },
  ]);
  const addresses = (name: string) => addressesOf(mailHost(name), resolver, { max: 8 });
  assert.deepEqual(await addresses("both.example"), { type: "found", addresses: ["127.0.0.2", "::1"] });
  zone.fault("both.example", "servfail");
  assert.deepEqual(await addresses("both.example"), {
    type: "none",
    error: "its address could not be looked up (ESERVFAIL)",
  });
  assert.deepEqual(await addresses("none.example"), { type: "none", error: "it has no address" });
});

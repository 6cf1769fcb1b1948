/** The resolver against a zone server: every kind of answer, and the number of queries for each. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Resolver } from "../../src/dns/resolver.ts";
import { createResolver, mailauthResolver } from "../../src/dns/stub-resolver.ts";
import { startZoneServer, type ZoneRecord, type ZoneServer } from "../../src/testing/zone-server.ts";

const RECORDS: ZoneRecord[] = [
  { name: "mail.test", type: "MX", values: ["20 MX2.Mail.Test.", "10 mx1.mail.test."] },
  { name: "null.test", type: "MX", values: ["0 ."] },
  { name: "text.test", type: "TXT", values: [["v=spf1 ", "ip4:192.0.2.1 ", "-all"], "x".repeat(700)] },
  { name: "host.test", type: "A", values: ["192.0.2.1", "192.0.2.2"] },
  { name: "host.test", type: "AAAA", values: ["2001:db8::1"] },
  { name: "alias.test", type: "CNAME", values: ["Mail.test."] },
  { name: "below.empty.test", type: "A", values: ["192.0.2.3"] },
  { name: "1.2.0.192.in-addr.arpa", type: "PTR", values: ["Host.Test."] },
  { name: `1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`, type: "PTR", values: ["six.test."] },
  { name: "loop-a.test", type: "CNAME", values: ["loop-b.test."] },
  { name: "loop-b.test", type: "CNAME", values: ["loop-a.test."] },
  { name: "dangling.test", type: "CNAME", values: ["gone.test."] },
  ...chain("eight", 8),
  ...chain("nine", 9),
];

/** `hops` CNAMEs from 0.NAME.test to an address. */
function chain(name: string, hops: number): ZoneRecord[] {
  const links = Array.from({ length: hops }, (_, hop): ZoneRecord => {
    return { name: `${hop}.${name}.test`, type: "CNAME", values: [`${hop + 1}.${name}.test.`] };
  });
  return [...links, { name: `${hops}.${name}.test`, type: "A", values: ["192.0.2.9"] }];
}

/** The two ways in which servers answer for an alias. */
for (const bareCname of [false, true]) {
  describe(`resolver on a server that answers ${bareCname ? "a bare CNAME" : "the whole chain"}`, () => {
    let zone: ZoneServer;
    let resolver: Resolver;

    before(async () => {
      zone = await startZoneServer({ records: RECORDS, bareCname });
      resolver = createResolver({ servers: [zone.address], timeoutMs: 400, tries: 1 });
    });
    after(() => zone.close());

    it("returns MX records with lower-case names and no final dot", async () => {
      assert.deepEqual(await resolver.mx("MAIL.test."), {
        type: "found",
        records: [
          { exchange: "mx2.mail.test", preference: 20 },
          { exchange: "mx1.mail.test", preference: 10 },
        ],
      });
    });

    it("returns the null MX as an empty name", async () => {
      assert.deepEqual(await resolver.mx("null.test"), {
        type: "found",
        records: [{ exchange: "", preference: 0 }],
      });
    });

    it("joins the strings of a TXT record, also over TCP", async () => {
      assert.deepEqual(await resolver.txt("text.test"), {
        type: "found",
        records: ["v=spf1 ip4:192.0.2.1 -all", "x".repeat(700)],
      });
    });

    it("returns addresses and reverse names of both families", async () => {
      assert.deepEqual(await resolver.a("host.test"), { type: "found", records: ["192.0.2.1", "192.0.2.2"] });
      assert.deepEqual(await resolver.aaaa("host.test"), { type: "found", records: ["2001:db8::1"] });
      assert.deepEqual(await resolver.ptr("192.0.2.1"), { type: "found", records: ["host.test"] });
      assert.deepEqual(await resolver.ptr("2001:DB8::1"), { type: "found", records: ["six.test"] });
      assert.deepEqual(await resolver.ptr("192.0.2.77"), { type: "nxdomain" });
      assert.deepEqual(await resolver.ptr("no address"), { type: "nxdomain" });
    });

    it("follows aliases", async () => {
      assert.equal((await resolver.mx("alias.test")).type, "found");
      assert.deepEqual(await resolver.cname("alias.test"), { type: "found", records: ["mail.test"] });
      assert.deepEqual(await resolver.cname("mail.test"), { type: "nodata" });
      assert.deepEqual(await resolver.a("alias.test"), { type: "nodata" });
      assert.deepEqual(await resolver.a("dangling.test"), { type: "nxdomain" });
      assert.deepEqual(await resolver.a("0.eight.test"), { type: "found", records: ["192.0.2.9"] });
    });

    it("reports a loop as a failure, not as absence", async () => {
      assert.deepEqual(await resolver.a("loop-a.test"), { type: "failure", code: "CNAME_LOOP" });
    });

    it("distinguishes NXDOMAIN from NODATA", async () => {
      assert.deepEqual(await resolver.mx("nowhere.test"), { type: "nxdomain" });
      assert.deepEqual(await resolver.mx("host.test"), { type: "nodata" });
      assert.deepEqual(await resolver.mx("empty.test"), { type: "nodata" });
    });

    it("sends one query for an answer, NODATA included", async () => {
      for (const [name, cost] of [
        ["mail.test", 1],
        ["nowhere.test", 1],
        ["host.test", 1],
      ] as const) {
        const before = zone.queries.length;
        await resolver.mx(name);
        assert.equal(zone.queries.length - before, cost, name);
      }
    });

    it("reports an impossible name as absent without a query", async () => {
      const before = zone.queries.length;
      for (const name of ["", ".", "a..test", `${"x".repeat(64)}.test`, `${"x.".repeat(130)}test`, "no host.test"]) {
        assert.deepEqual(await resolver.a(name), { type: "nxdomain" }, name);
      }
      assert.equal(zone.queries.length, before);
    });

    it("reports SERVFAIL, REFUSED and timeouts as failures", async () => {
      zone.fault("bad.test", "servfail");
      assert.deepEqual(await resolver.mx("bad.test"), { type: "failure", code: "ESERVFAIL" });
      zone.fault("bad.test", "refused");
      assert.deepEqual(await resolver.mx("bad.test"), { type: "failure", code: "EREFUSED" });
      zone.fault("bad.test", "silent");
      assert.deepEqual(await resolver.mx("bad.test"), { type: "failure", code: "ETIMEOUT" });
      zone.fault("bad.test", null);
      assert.deepEqual(await resolver.mx("bad.test"), { type: "nxdomain" });
    });

    it("does not take an alias whose target cannot be looked up for NODATA", async () => {
      zone.fault("mail.test", "servfail", "A");
      assert.deepEqual(await resolver.a("alias.test"), { type: "failure", code: "ESERVFAIL" });
      zone.fault("mail.test", null, "A");
    });

    it("uses TCP when the answer over UDP is truncated", async () => {
      zone.fault("mail.test", "truncate");
      assert.equal((await resolver.mx("mail.test")).type, "found");
      zone.fault("mail.test", null);
    });
  });
}

describe("resolver", () => {
  it("follows eight bare CNAMEs and no more", async () => {
    const zone = await startZoneServer({ records: RECORDS, bareCname: true });
    const resolver = createResolver({ servers: [zone.address] });
    assert.deepEqual(await resolver.a("0.nine.test"), { type: "failure", code: "CNAME_LOOP" });
    assert.deepEqual(await resolver.a("1.nine.test"), { type: "found", records: ["192.0.2.9"] });
    await zone.close();
  });

  it("reports an unreachable server as a failure", async () => {
    const zone = await startZoneServer();
    await zone.close();
    const answer = await createResolver({ servers: [zone.address], timeoutMs: 400, tries: 1 }).a("host.test");
    assert.equal(answer.type, "failure");
  });

  it("waits for a server that was fast before and is slow now", async () => {
    const zone = await startZoneServer({ records: RECORDS });
    const resolver = createResolver({ servers: [zone.address] });
    for (let count = 0; count < 20; count += 1) await resolver.a("host.test");
    zone.fault("host.test", "silent");
    // After the end of the first round.
    const heal = setTimeout(() => zone.fault("host.test", null), 2000);
    assert.equal((await resolver.a("host.test")).type, "found");
    clearTimeout(heal);
    await zone.close();
  });

  it("rejects a server that is not an address", () => {
    assert.throws(() => createResolver({ servers: ["dns.example"] }));
  });
});

describe("mailauth's resolver", () => {
  let zone: ZoneServer;
  before(async () => {
    zone = await startZoneServer({ records: RECORDS });
  });
  after(() => zone.close());

  const ask = (name: string, type: string) =>
    mailauthResolver(createResolver({ servers: [zone.address], timeoutMs: 400, tries: 1 }))(name, type);

  it("returns records as node:dns does", async () => {
    assert.deepEqual(await ask("text.test", "TXT"), [["v=spf1 ip4:192.0.2.1 -all"], ["x".repeat(700)]]);
    assert.deepEqual(await ask("null.test", "MX"), [{ exchange: "", priority: 0 }]);
    assert.deepEqual(await ask("host.test", "A"), ["192.0.2.1", "192.0.2.2"]);
    assert.deepEqual(await ask("host.test", "AAAA"), ["2001:db8::1"]);
    assert.deepEqual(await ask("alias.test", "CNAME"), ["mail.test"]);
    assert.deepEqual(await ask("1.2.0.192.in-addr.arpa", "PTR"), ["host.test"]);
    assert.deepEqual(await ask(`1.${"0.".repeat(23)}8.B.D.0.1.0.0.2.ip6.arpa.`, "PTR"), ["six.test"]);
  });

  it("throws errors with the codes that mailauth recognizes", async () => {
    await assert.rejects(ask("nowhere.test", "TXT"), { code: "ENOTFOUND" });
    await assert.rejects(ask("host.test", "TXT"), { code: "ENODATA" });
    zone.fault("down.test", "servfail");
    await assert.rejects(ask("down.test", "TXT"), { code: "ESERVFAIL" });
    zone.fault("down.test", "silent");
    await assert.rejects(ask("down.test", "TXT"), { code: "ETIMEOUT" });
  });
});

describe("an aborted resolver", () => {
  it("fails pending and later queries", async (t) => {
    const zone = await startZoneServer({ records: RECORDS });
    t.after(() => zone.close());
    const abort = new AbortController();
    const resolver = createResolver({ servers: [zone.address], signal: abort.signal });
    assert.equal((await resolver.a("0.eight.test")).type, "found");
    zone.fault("silent.test", "silent");
    const pending = Array.from({ length: 20 }, () => resolver.a("silent.test"));
    abort.abort();
    for (const answer of [...(await Promise.all(pending)), await resolver.a("0.eight.test")]) {
      assert.deepEqual(answer, { type: "failure", code: "ECANCELLED" });
    }
  });
});

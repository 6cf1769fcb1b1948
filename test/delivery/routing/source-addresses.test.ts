/** The local address of connections: over IPv6 only one with a confirmed reverse name. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReverseNamedSources } from "../../../src/delivery/routing/source-addresses.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { type FakeZone, fakeResolver } from "../../support/fake-resolver.ts";

const [V4, V6] = ["192.0.2.10", "2001:db8::25"];
const NAME = "mta.shop.example";
const NAMED: FakeZone = { [V6]: { PTR: [NAME] }, [NAME]: { AAAA: [V6] } };
const [PEER4, PEER6] = ["11.0.0.1", "2606:4700::1111"];

function setUp(zone: FakeZone, { sendingIps = [V4, V6], own = [V6] } = {}) {
  const clock = fakeClock();
  const logged: string[] = [];
  const log = {
    warn: ({ ips }: { ips: string[] }) => logged.push(`left out ${ips}`),
    info: ({ ips }: { ips: string[] }) => logged.push(`named ${ips}`),
  } as unknown as Logger;
  const resolver = fakeResolver(zone);
  const sources = new ReverseNamedSources({ sendingIps, resolver, clock, log, ownAddresses: () => own });
  return { clock, logged, resolver, sources };
}

describe("the local address", () => {
  it("is the one with a reverse name over IPv6 and the system's choice over IPv4", async () => {
    const { sources, logged } = setUp(NAMED);
    assert.deepEqual(await sources.endpointsFor([PEER4, PEER6]), [
      { address: PEER4 },
      { address: PEER6, localAddress: V6 },
    ]);
    assert.deepEqual(logged, []);
  });

  it("is the system's choice behind address translation", async () => {
    const { sources } = setUp(NAMED, { own: ["fd00::2"] });
    assert.deepEqual(await sources.endpointsFor([PEER6]), [{ address: PEER6 }]);
  });

  it("is never an IPv6 address without a confirmed reverse name, which is logged once", async () => {
    const zones: FakeZone[] = [
      {},
      { [V6]: { PTR: [NAME] }, [NAME]: { AAAA: ["2001:db8::26"] } },
      { [V6]: { PTR: { failure: "ESERVFAIL" } } },
    ];
    for (const zone of zones) {
      const { sources, logged } = setUp(zone);
      assert.deepEqual(await sources.endpointsFor([PEER4, PEER6]), [{ address: PEER4 }]);
      assert.deepEqual(await sources.endpointsFor([PEER6]), []);
      assert.deepEqual(logged, [`left out ${V6}`]);
    }
  });

  it("is not an IPv6 address when SENDING_IPS has none", async () => {
    const { sources, resolver } = setUp(NAMED, { sendingIps: [V4] });
    assert.deepEqual(await sources.endpointsFor([PEER4, PEER6]), [{ address: PEER4 }]);
    assert.deepEqual(resolver.asked, []);
  });

  it("is unrestricted for private peers and for IPv4-mapped addresses", async () => {
    const { sources } = setUp({});
    const free = ["::1", "fd00::7", "127.0.0.1", "64:ff9b::b00:1"];
    assert.deepEqual(
      await sources.endpointsFor(free),
      free.map((address) => ({ address })),
    );
  });

  it("is looked up again: a failure at the next use, other results after ten minutes", async () => {
    const zone: FakeZone = { [V6]: { PTR: { failure: "ETIMEOUT" } } };
    const { sources, logged, clock } = setUp(zone);
    assert.deepEqual(await sources.endpointsFor([PEER6]), []);
    Object.assign(zone, NAMED);
    assert.equal((await sources.endpointsFor([PEER6])).length, 1);
    delete zone[V6];
    assert.equal((await sources.endpointsFor([PEER6])).length, 1);
    await clock.advance(600_000);
    assert.equal((await sources.endpointsFor([PEER6])).length, 0);
    assert.deepEqual(logged, [`left out ${V6}`, `named ${V6}`, `left out ${V6}`]);
  });
});

/** Which addresses mail leaves from: over IPv6 only with a confirmed reverse name. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSourceAddresses } from "../../../src/delivery/routing/source-addresses.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { type FakeZone, fakeResolver } from "../../support/fake-resolver.ts";

const [V4, V6] = ["192.0.2.10", "2001:db8::25"];
const NAME = "mta.shop.example";
const NAMED: FakeZone = { [V6]: { PTR: [NAME] }, [NAME]: { AAAA: [V6] } };
const [PEER4, PEER6] = ["11.0.0.1", "2606:4700::1111"];

function setUp(zone: FakeZone, { sendingIps = [V4, V6], own = [V6] } = {}) {
  const clock = fakeClock();
  const said: string[] = [];
  const log = {
    warn: ({ ips }: { ips: string[] }) => said.push(`left out ${ips}`),
    info: ({ ips }: { ips: string[] }) => said.push(`named ${ips}`),
  } as unknown as Logger;
  const resolver = fakeResolver(zone);
  const sources = createSourceAddresses({ sendingIps, resolver, clock, log, ownAddresses: () => own });
  return { clock, said, resolver, sources };
}

describe("the address mail leaves from", () => {
  it("is the named one over IPv6 and the system's choice over IPv4", async () => {
    const { sources, said } = setUp(NAMED);
    assert.deepEqual(await sources.waysTo([PEER4, PEER6]), [{ address: PEER4 }, { address: PEER6, localAddress: V6 }]);
    assert.deepEqual(said, []);
  });

  it("is the system's choice where the named one is behind a translation", async () => {
    const { sources } = setUp(NAMED, { own: ["fd00::2"] });
    assert.deepEqual(await sources.waysTo([PEER6]), [{ address: PEER6 }]);
  });

  it("is never an IPv6 address without a confirmed reverse name, and the log says so once", async () => {
    const zones: FakeZone[] = [
      {},
      { [V6]: { PTR: [NAME] }, [NAME]: { AAAA: ["2001:db8::26"] } },
      { [V6]: { PTR: { failure: "ESERVFAIL" } } },
    ];
    for (const zone of zones) {
      const { sources, said } = setUp(zone);
      assert.deepEqual(await sources.waysTo([PEER4, PEER6]), [{ address: PEER4 }]);
      assert.deepEqual(await sources.waysTo([PEER6]), []);
      assert.deepEqual(said, [`left out ${V6}`]);
    }
  });

  it("is no IPv6 address where SENDING_IPS has none", async () => {
    const { sources, resolver } = setUp(NAMED, { sendingIps: [V4] });
    assert.deepEqual(await sources.waysTo([PEER4, PEER6]), [{ address: PEER4 }]);
    assert.deepEqual(resolver.asked, []);
  });

  it("is free to peers beside us, and to IPv4 written as IPv6", async () => {
    const { sources } = setUp({});
    const free = ["::1", "fd00::7", "127.0.0.1", "64:ff9b::b00:1"];
    assert.deepEqual(
      await sources.waysTo(free),
      free.map((address) => ({ address })),
    );
  });

  it("is looked at again: trouble at the next need, all else after ten minutes", async () => {
    const zone: FakeZone = { [V6]: { PTR: { failure: "ETIMEOUT" } } };
    const { sources, said, clock } = setUp(zone);
    assert.deepEqual(await sources.waysTo([PEER6]), []);
    Object.assign(zone, NAMED);
    assert.equal((await sources.waysTo([PEER6])).length, 1);
    delete zone[V6];
    assert.equal((await sources.waysTo([PEER6])).length, 1);
    await clock.advance(600_000);
    assert.equal((await sources.waysTo([PEER6])).length, 0);
    assert.deepEqual(said, [`left out ${V6}`, `named ${V6}`, `left out ${V6}`]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Prng } from "../../simulate/prng.ts";
import { lookUpAddresses } from "../../src/dns/host-addresses.ts";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { fakeResolver } from "../support/fake-resolver.ts";

test("the addresses of each family are shuffled: 400 messages at eight addresses spread", async () => {
  const ipv4 = Array.from({ length: 8 }, (_, i) => `192.0.2.${i + 1}`);
  const ipv6 = Array.from({ length: 8 }, (_, i) => `2001:db8::${i + 1}`);
  const resolver = fakeResolver({ "many.example": { A: ipv4, AAAA: ipv6 } });
  const prng = new Prng(3);
  const firsts = new Map<string, number>();
  for (let count = 0; count < 400; count += 1) {
    const found = await lookUpAddresses("many.example", resolver, { max: 8, random: prng.next });
    assert.ok(found.type === "found");
    const { addresses } = found;
    assert.deepEqual(
      addresses.map((address) => address.includes(":")),
      [...Array(4).fill(false), ...Array(4).fill(true)],
      "IPv4 first, and half of the places for each family",
    );
    for (const first of [addresses[0] ?? "", addresses[4] ?? ""]) firsts.set(first, (firsts.get(first) ?? 0) + 1);
  }
  assert.deepEqual([...firsts.keys()].sort(), [...ipv4, ...ipv6].sort());
  for (const times of firsts.values()) assert.ok(times > 25 && times < 80, String(times));
});

test("both families are looked up, a failure of one hides nothing, and each has its share of the limit", async (t) => {
  const zone = await startZoneServer({
    records: [
      { name: "both.example", type: "A", values: ["127.0.0.2", "127.0.0.2"] },
      { name: "both.example", type: "AAAA", values: ["::1"] },
      { name: "many.example", type: "A", values: Array.from({ length: 20 }, (_, i) => `127.0.1.${i}`) },
      { name: "many.example", type: "AAAA", values: ["::1"] },
      { name: "none.example", type: "TXT", values: ["nothing"] },
    ],
  });
  t.after(() => zone.close());
  const resolver = createResolver({ servers: [zone.address], tries: 1 });
  const found = (name: string) => lookUpAddresses(name, resolver, { max: 8 });
  const addresses = async (name: string) => {
    const answer = await found(name);
    return answer.type === "found" ? answer.addresses : [];
  };
  assert.deepEqual(await addresses("both.example"), ["127.0.0.2", "::1"]);
  zone.fault("both.example", "servfail", "A");
  assert.deepEqual(await addresses("both.example"), ["::1"]);
  zone.fault("both.example", "servfail");
  assert.deepEqual(await found("both.example"), { type: "failure", code: "ESERVFAIL" });
  assert.deepEqual(await found("none.example"), { type: "none" });
  assert.deepEqual(await found("missing.example"), { type: "none" });
  const many = await addresses("many.example");
  assert.equal(many.length, 8);
  assert.equal(many.at(-1), "::1", "many addresses of one family do not displace the other");
});

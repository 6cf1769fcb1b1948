import assert from "node:assert/strict";
import { test } from "node:test";
import { lookUpAddresses } from "../../src/dns/host-addresses.ts";
import { createResolver } from "../../src/dns/node-resolver.ts";
import { startZoneServer } from "../../src/testing/zone-server.ts";

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
  const resolver = createResolver({ servers: [zone.address], timeoutMs: 50, tries: 1 });
  const found = (name: string) => lookUpAddresses(name, resolver, 8);
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

/** What is looked up before an attempt takes a place, and for how long it is used. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Preparation } from "../../../src/delivery/dispatch/preparation.ts";
import { createPolicies, opportunistic, type PoliciesOf } from "../../../src/delivery/tls/tls-policy.ts";
import type { SecureResolver } from "../../../src/dns/secure-resolver.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { fakeResolver } from "../../support/fake-resolver.ts";

const MINUTE_MS = 60_000;

function setUp(policiesOf: PoliciesOf = opportunistic) {
  const clock = fakeClock();
  const resolver = fakeResolver({
    "a.example": { MX: ["10 mx1.provider.example", "20 mx2.provider.example"] },
    "null.example": { MX: ["0 ."] },
  });
  const routing = { resolver, smtpPort: 25, sink: null, random: () => 0 };
  return { clock, resolver, preparation: new Preparation({ routing, policiesOf, clock }) };
}

test("a domain whose mail goes nowhere has no destination, and nobody asks for its policy", async () => {
  const asked: string[] = [];
  const { preparation } = setUp((domain) => {
    asked.push(domain);
    return opportunistic(domain);
  });
  const { route, destination } = await preparation.of("null.example");
  assert.deepEqual([route.type, destination, asked], ["null_mx", null, []]);
  assert.equal((await preparation.of("a.example")).destination, "*.provider.example");
  assert.deepEqual(asked, ["a.example"]);
});

test("a policy that the spool cannot give breaks off the attempt, not the look-up", async () => {
  const { preparation } = setUp(() => Promise.reject(new Error("the disk is gone")));
  const { destination, policyFor } = await preparation.of("a.example");
  assert.equal(destination, "*.provider.example");
  await assert.rejects(policyFor({ name: "mx1.provider.example", port: 25, isSink: false }), /the disk is gone/);
});

test("what was found is used again for a minute where the destination was full, else not", async () => {
  const { clock, resolver, preparation } = setUp();
  const prepared = await preparation.of("a.example");
  assert.notEqual(await preparation.of("a.example"), prepared);
  preparation.keep("a.example", prepared);
  const { length } = resolver.asked;
  await clock.advance(MINUTE_MS - 1);
  assert.equal(await preparation.of("a.example"), prepared);
  preparation.keep("a.example", prepared);
  assert.equal(resolver.asked.length, length);
  await clock.advance(1);
  assert.notEqual(await preparation.of("a.example"), prepared, "keeping it again does not make it younger");
});

test("however long an attempt takes, the domain's own servers are asked before it alone", async () => {
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
  const policyOf = async (domain: string) => {
    note(`STS ${domain}`);
    return null;
  };
  const policyFor = await createPolicies({ sts: { policyOf }, dane, clock })("a.example");
  assert.deepEqual(asked.splice(0), ["MX a.example", "STS a.example"]);
  for (const name of ["mx1.provider.example", "mx2.provider.example"]) {
    assert.equal((await policyFor({ name, port: 25, isSink: false })).type, "opportunistic");
    assert.deepEqual(asked.splice(0), [`TLSA _25._tcp.${name}`]);
    await clock.advance(10 * MINUTE_MS);
  }
});

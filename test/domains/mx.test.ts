import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMx } from "../../src/domains/mx.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, sampleDomain } from "./sample.ts";

const check = (zone: FakeZone) => checkMx(sampleDomain(), contextOf(zone));

test("any MX whose host has an address is fine", async () => {
  const seen = await check({
    "example.com": { MX: ["5 in.example.net"] },
    "in.example.net": { AAAA: ["2001:db8::1"] },
  });
  assert.equal(seen.state, "verified");
  assert.deepEqual(seen.found, ["5 in.example.net"]);
  assert.doesNotMatch(seen.detail, /But/);
});

test("a null MX fails alone and is ignored beside another", async () => {
  const seen = await check({ "example.com": { MX: ["0 ."] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /null MX.*replies and bounces could not reach you/);
  assert.deepEqual(seen.found, ["0 ."]);
  assert.equal((await check({ "example.com": { MX: ["0 .", "10 mail.example.com"] } })).state, "verified");
});

test("no MX fails, and an A record does not count", async () => {
  const seen = await check({ "example.com": { A: ["192.0.2.1"] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /no MX record\. An A or AAAA record does not count/);
});

test("NXDOMAIN says that the domain does not exist", async () => {
  const seen = await check({});
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /does not exist/);
});

test("hosts without any address: verified with a warning, but not when the DNS only kept quiet", async () => {
  const seen = await check({ "example.com": { MX: ["10 mail.example.com"] } });
  assert.equal(seen.state, "verified");
  assert.match(seen.detail, /none of these hosts has an address/);
  const quiet: FakeZone = {
    "example.com": { MX: ["10 m.example.com"] },
    "m.example.com": { A: { trouble: "ETIMEOUT" } },
  };
  assert.doesNotMatch((await check(quiet)).detail, /has an address/);
});

test("an IP address as exchange fails; beside a host it is a warning", async () => {
  const seen = await check({ "example.com": { MX: ["10 192.0.2.1"] } });
  assert.equal(seen.state, "failed");
  assert.match(seen.detail, /names the IP address 192\.0\.2\.1/);
  const mixed = await check({
    "example.com": { MX: ["10 192.0.2.1", "20 m.example.com"] },
    "m.example.com": { A: ["192.0.2.2"] },
  });
  assert.equal(mixed.state, "verified");
  assert.match(mixed.detail, /names the IP address/);
});

test("trouble is temporary", async () => {
  assert.equal((await check({ "example.com": { MX: { trouble: "ESERVFAIL" } } })).state, "temporary_failure");
});

/** Which mail is fresh: for a domain of which nothing else waits, for some seconds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DeferredDomains, FreshDomains } from "../../../src/spool/scheduler/fresh-domains.ts";

test("a domain is fresh for five seconds, and the newest is named first", () => {
  const fresh = new FreshDomains();
  for (const [i, domain] of ["a.example", "b.example", "c.example"].entries()) fresh.add(domain, 1000 * i);
  assert.deepEqual(fresh.names, ["c.example", "b.example", "a.example"]);
  assert.ok(fresh.has("a.example", 4999) && !fresh.has("a.example", 5000));
  fresh.add("d.example", 5500);
  assert.deepEqual(fresh.names, ["d.example", "c.example", "b.example"], "what is fresh no more is forgotten");
  fresh.remove("c.example");
  assert.ok(!fresh.has("c.example", 2000) && fresh.has("d.example", 5500));
});

test("of very many domains, the newest are fresh", () => {
  const fresh = new FreshDomains();
  for (let i = 0; i < 1000; i += 1) fresh.add(`d${i}.example`, 1000);
  assert.equal(fresh.names.length, 256);
  assert.deepEqual(fresh.names.slice(0, 2), ["d999.example", "d998.example"]);
});

test("a deferral is remembered for an hour, for the account that it concerns", () => {
  const deferred = new DeferredDomains();
  deferred.add("acc_a", "a.example", 1000);
  assert.ok(deferred.has("acc_a", "a.example", 3_600_999) && !deferred.has("acc_a", "a.example", 3_601_000));
  assert.ok(!deferred.has("acc_b", "a.example", 1000) && !deferred.has("acc_a", "b.example", 1000));
});

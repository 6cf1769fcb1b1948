import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWER_LENGTH_MAX, cachingResolver } from "../../src/dns/caching-resolver.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { fakeResolver } from "../support/fake-resolver.ts";

test("caches found answers for ten seconds, merges concurrent queries, and separates types", async () => {
  const clock = fakeClock();
  const inner = fakeResolver({ "d.example": { MX: ["10 a.example"], A: ["192.0.2.1"] } });
  const resolver = cachingResolver(inner, clock);
  const answers = await Promise.all([1, 2, 3].map(() => resolver.mx("d.example")));
  for (const answer of answers) assert.deepEqual(answer, await inner.mx("d.example"));
  const asked = inner.asked.length;
  await clock.advance(9_999);
  await resolver.mx("d.example");
  assert.equal(inner.asked.length, asked);
  await resolver.a("d.example");
  assert.equal(inner.asked.length, asked + 1);
  await clock.advance(1);
  await resolver.mx("d.example");
  assert.equal(inner.asked.length, asked + 2);
});

test("caches neither absence nor failures", async () => {
  const inner = fakeResolver({ "failing.example": { MX: { failure: "ESERVFAIL" } } });
  const resolver = cachingResolver(inner, fakeClock());
  for (const name of ["absent.example", "failing.example"]) {
    await resolver.mx(name);
    const asked = inner.asked.length;
    await resolver.mx(name);
    assert.equal(inner.asked.length, asked + 1, name);
  }
});

test("caches the absence of addresses of one family", async () => {
  const clock = fakeClock();
  const inner = fakeResolver({ "host.example": { A: ["192.0.2.1"] } });
  const resolver = cachingResolver(inner, clock);
  assert.equal((await resolver.aaaa("host.example")).type, "nodata");
  await resolver.aaaa("host.example");
  assert.equal(inner.asked.length, 1);
  await clock.advance(10_000);
  await resolver.aaaa("host.example");
  assert.equal(inner.asked.length, 2);
});

test("caches no long answer, but merges queries for it", async () => {
  const exchanges = Array.from({ length: 8 }, (_, i) => `10 mx${i}.example`);
  const long = "x".repeat(ANSWER_LENGTH_MAX);
  const inner = fakeResolver({
    "ten.example": { MX: exchanges },
    "long.example": { TXT: [long], MX: Array.from({ length: 100 }, (_, i) => `10 mx${i}.example`) },
    "many.example": { A: Array.from({ length: 100 }, (_, i) => `192.0.2.${i}`) },
  });
  const resolver = cachingResolver(inner, fakeClock());
  const asked = async (look: () => Promise<unknown>): Promise<number> => {
    const before = inner.asked.length;
    await Promise.all([look(), look()]);
    await look();
    return inner.asked.length - before;
  };
  assert.equal(await asked(() => resolver.mx("ten.example")), 1);
  assert.equal(await asked(() => resolver.txt("long.example")), 2);
  assert.equal(await asked(() => resolver.mx("long.example")), 2);
  assert.equal(await asked(() => resolver.a("many.example")), 2);
});

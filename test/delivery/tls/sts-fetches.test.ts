/** The number of policy files that are fetched at once, and what happens beyond it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { StsFile } from "../../../src/delivery/tls/sts-fetch.ts";
import { StsFetches } from "../../../src/delivery/tls/sts-fetches.ts";
import type { DnsAnswer } from "../../../src/dns/resolver.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";
import { fakeResolver } from "../../support/fake-resolver.ts";

const PLACES = 64;

/** Fetches from hosts whose addresses are never found, unless the test has their server answer. */
function setUp() {
  const clock = fakeClock();
  const servers = new Map<string, (answer: DnsAnswer<string>) => void>();
  const a = (name: string) => new Promise<DnsAnswer<string>>((resolve) => void servers.set(name, resolve));
  const resolver = { ...fakeResolver({}), a };
  const fetches = new StsFetches({ resolver, clock, allowPrivate: true });
  const results = new Map<string, StsFile | null>();
  const begin = (name: string, count: number): void => {
    for (let i = 0; i < count; i += 1) {
      const domain = `${name}${i}.example`;
      void fetches.fetch(domain).then((file) => results.set(domain, file));
    }
  };
  const begun = (name: string) => [...servers.keys()].filter((host) => host.startsWith(`mta-sts.${name}`)).length;
  const errors = (name: string) =>
    [...results].flatMap(([domain, file]) => (domain.startsWith(name) && file?.type === "failed" ? [file.error] : []));
  return { clock, servers, results, begin, begun, errors };
}

it("begins a limited number of fetches, and the next when one has ended or taken five seconds", async () => {
  const { clock, servers, begin, begun } = setUp();
  begin("hangs", PLACES);
  begin("waits", 3);
  await quiet();
  assert.deepEqual([begun("hangs"), begun("waits")], [PLACES, 0]);
  servers.get("mta-sts.hangs7.example")?.({ type: "nxdomain" });
  await quiet();
  assert.equal(begun("waits"), 1);
  await clock.advance(5000);
  assert.equal(begun("waits"), 3);
});

it("fetches nothing for one that gets no place within five seconds", async () => {
  const { clock, results, begin, begun } = setUp();
  begin("hangs", PLACES);
  begin("next", PLACES);
  await clock.advance(1);
  begin("more", 1);
  await clock.advance(5000);
  assert.deepEqual([begun("next"), begun("more"), results.get("more0.example")], [PLACES, 0, null]);
});

it("abandons the longest-running fetches where too many hosts hang, and no more at any moment", async () => {
  const { clock, begin, begun, errors } = setUp();
  for (const name of ["a", "b", "c"]) {
    begin(name, PLACES);
    await clock.advance(name === "c" ? 4999 : 5000);
    assert.equal(begun(name), PLACES);
  }
  assert.deepEqual(errors("b"), []);
  assert.deepEqual(new Set(errors("a")), new Set(["abandoned: too many policy hosts are slow"]));
  assert.equal(errors("a").length, PLACES);
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkBlocklist, checkDomainBlocklist, DOMAIN_LISTS } from "../../src/doctor/blocklists.ts";
import { reverseName } from "../../src/lib/ip-address.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { doctorInput } from "./doctor-input.ts";

const LIST = "list.example";
const TEST_ENTRY = { [`2.0.0.127.${LIST}`]: { A: ["127.0.0.2"] } };
const OWN = `10.2.0.192.${LIST}`;
const OTHER = `11.2.0.192.${LIST}`;

async function finding(zone: FakeZone, sendingIps = ["192.0.2.10", "192.0.2.11", "2001:db8::25"]) {
  const { state, detail } = await checkBlocklist(LIST, doctorInput(zone, {}, { sendingIps }));
  return { state, detail };
}

describe("a DNS blocklist", () => {
  it("is queried for each IPv4 sending address", async () => {
    const clean = await finding(TEST_ENTRY);
    assert.deepEqual([clean.state, clean.detail], ["ok", "list.example does not list 192.0.2.10, 192.0.2.11."]);
    const listing = { [OTHER]: { A: ["127.0.0.4", "127.0.0.11"], TXT: ["https://list.example/why"] } };
    const listed = await finding({ ...TEST_ENTRY, ...listing });
    assert.equal(listed.state, "problem");
    assert.match(
      listed.detail,
      /^list\.example lists 192\.0\.2\.11 \(127\.0\.0\.4, 127\.0\.0\.11: https:\/\/list\.example\/why\)\. /,
    );
  });

  it("that refuses the resolver lists no address", async () => {
    const refused = { A: ["127.255.255.254"] };
    const answer = await finding({ [`2.0.0.127.${LIST}`]: refused, [OWN]: refused, [OTHER]: refused });
    assert.deepEqual(
      [answer.state, /refuses to answer \(127\.255\.255\.254\); this is not a listing/.test(answer.detail)],
      ["unclear", true],
    );
  });

  it("that is shut down, lists every address, or has forged answers proves nothing", async () => {
    const cases: [FakeZone, RegExp][] = [
      [{}, /test entry/],
      [{ ...TEST_ENTRY, [`1.0.0.127.${LIST}`]: { A: ["127.0.0.2"] }, [OWN]: { A: ["127.0.0.2"] } }, /test entry/],
      [{ ...TEST_ENTRY, [OWN]: { A: ["203.0.113.80"] } }, /not a blocklist code/],
      [{ ...TEST_ENTRY, [OWN]: { A: { failure: "ETIMEOUT" } } }, /did not answer \(ETIMEOUT\)/],
    ];
    for (const [zone, words] of cases) {
      const { state, detail } = await finding(zone);
      assert.deepEqual([state, words.test(detail)], ["unclear", true], detail);
    }
    assert.equal((await finding(TEST_ENTRY, ["2001:db8::25"])).state, "unclear");
  });

  it("is queried for IPv6 addresses where it has the test entry for them", async () => {
    const nibbles = (address: string): string => `${(reverseName(address) ?? "").replace(".ip6.arpa", "")}.${LIST}`;
    const own = nibbles("2001:db8::25");
    assert.match(own, /^5\.2\.0\.0\.0\.0\./);
    const test = { [nibbles("::ffff:7f00:2")]: { A: ["127.0.0.2"] } };
    const clean = await finding({ ...TEST_ENTRY, ...test });
    assert.equal(
      clean.detail,
      "list.example does not list 192.0.2.10, 192.0.2.11. list.example does not list 2001:db8::25.",
    );
    const listed = await finding({ ...TEST_ENTRY, ...test, [own]: { A: ["127.0.0.3"] } });
    assert.equal(listed.state, "problem");
    assert.match(listed.detail, /list\.example lists 2001:db8::25 \(127\.0\.0\.3\)/);
    assert.equal((await finding({ ...TEST_ENTRY, [own]: { A: ["127.0.0.3"] } })).state, "ok", "without a test entry");
  });
});

describe("a list of domains", () => {
  const [dbl] = DOMAIN_LISTS;
  const test = { "dbltest.com.dbl.spamhaus.org": { A: ["127.0.1.2"] } };
  const stateOf = async (zone: FakeZone, host = "mta.sender.example"): Promise<string> => {
    assert.ok(dbl);
    return (await checkDomainBlocklist(dbl, host, doctorInput(zone).resolver)).state;
  };

  it("is asked for the organisational domain of the host", async () => {
    assert.equal(await stateOf(test), "ok");
    assert.equal(await stateOf({ ...test, "sender.example.dbl.spamhaus.org": { A: ["127.0.1.2"] } }), "problem");
  });

  it("proves nothing where it refuses the resolver or has no test entry, or the host has no domain", async () => {
    const refused = { A: ["127.255.255.254"] };
    assert.equal(await stateOf({ ...test, "sender.example.dbl.spamhaus.org": refused }), "unclear");
    assert.equal(await stateOf({}), "unclear");
    assert.equal(await stateOf(test, "localhost"), "unclear");
  });
});

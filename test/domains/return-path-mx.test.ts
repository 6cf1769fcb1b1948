import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkReturnPathMx } from "../../src/domains/return-path-mx.ts";
import type { FakeZone } from "../support/fake-resolver.ts";
import { contextOf, goodZone, sampleDomain } from "./sample.ts";

const HOST = "mta.sender.example";
const AT = "bounces.example.com";
const WANTED = `10 ${HOST}`;
/** Of the service; the mail server of the domain has another one. */
const OWN_IP4 = "198.41.0.7";
const OTHER_NODE = "198.41.0.5";

const check = (zone: FakeZone, sendingIps?: string[]) =>
  checkReturnPathMx(sampleDomain(), contextOf({ ...goodZone(), [HOST]: { A: [OWN_IP4] }, ...zone }, sendingIps));
const published = (...records: string[]) => check({ [AT]: { MX: records } });

/** Asserts that the check fails with the wanted record, which passes once it is published. */
async function assertFails(zone: FakeZone, detail: RegExp): Promise<void> {
  const result = await check(zone);
  assert.equal(result.state, "failed", result.detail);
  assert.match(result.detail, detail);
  assert.equal(result.expected, WANTED);
  assert.equal((await check({ ...zone, [AT]: { MX: [result.expected] } })).state, "verified");
}

describe("the MX record of a return path", () => {
  test("is verified if it names the service, with any preference", async () => {
    const result = await published(`5 ${HOST}`);
    assert.equal(result.state, "verified", result.detail);
    assert.deepEqual([result.expected, result.found, result.warnings], [`5 ${HOST}`, [`5 ${HOST}`], undefined]);
  });

  test("may name other hosts of the service, by their addresses", async () => {
    const nodes = { "mta2.sender.example": { A: [OTHER_NODE] }, "lb.sender.example": { A: [OWN_IP4, OTHER_NODE] } };
    for (const records of [[WANTED, "10 mta2.sender.example"], ["10 mta2.sender.example"], ["1 lb.sender.example"]]) {
      const result = await check({ ...nodes, [AT]: { MX: records } }, [OWN_IP4, OTHER_NODE]);
      assert.equal(result.state, "verified", `${records}: ${result.detail}`);
      assert.equal(result.warnings, undefined);
    }
    const partly = { "lb.sender.example": { A: [OWN_IP4, "198.41.0.9"] }, [AT]: { MX: ["1 lb.sender.example"] } };
    assert.equal((await check(partly, [OWN_IP4])).state, "failed");
  });

  test("that is missing is shown with the record to add", async () => {
    for (const zone of [{}, { [AT]: { TXT: ["v=spf1 -all"] } }, { [AT]: { A: [OWN_IP4] } }]) {
      await assertFails(
        zone,
        /bounces\.example\.com has no MX record\. Add an MX record .* value 10 mta\.sender\.example\./,
      );
    }
  });

  test("that is at another name is found there", async () => {
    const doubled = "bounces.example.com.example.com";
    const result = await check({ [doubled]: { MX: [WANTED] } });
    assert.deepEqual([result.state, result.foundAt, result.found], ["failed", doubled, [WANTED]]);
    assert.match(result.detail, /panel appended the zone example\.com automatically\. Enter “bounces” as the name/);
    const unrelated = await check({ [doubled]: { MX: ["10 mail.example.com"] } });
    assert.equal(unrelated.foundAt, undefined, "a record of another host is not ours");
  });

  test("that names another host is a fault", async () => {
    const foreign = await published("10 mail.example.com", "20 other.example.com");
    assert.deepEqual([foreign.state, foreign.expected], ["failed", WANTED]);
    assert.match(
      foreign.detail,
      /“mail\.example\.com” and “other\.example\.com” instead of mta\.sender\.example\. Change it/,
    );
    assert.deepEqual(foreign.found, ["10 mail.example.com", "20 other.example.com"]);
    await assertFails({ [AT]: { MX: ["0 ."] } }, /null MX record.*accepts no mail/);
    await assertFails({ [AT]: { MX: [`10 ${OWN_IP4}`] } }, /names the IP address 198\.41\.0\.7/);
    await assertFails(
      { [AT]: { MX: [`10 ${HOST}.example.com`] } },
      /appended a zone automatically\. Enter the host name with a final dot/,
    );
  });

  test("beside others is a fault where those come first or share the mail, else a warning", async () => {
    for (const preference of [5, 10]) {
      await assertFails(
        { [AT]: { MX: [WANTED, `${preference} mail.example.com`] } },
        /name “mail\.example\.com” before or beside this service/,
      );
    }
    const backup = await published(WANTED, "20 mail.example.com");
    assert.deepEqual([backup.state, backup.expected], ["verified", WANTED]);
    assert.match(
      backup.warnings?.join() ?? "",
      /While mta\.sender\.example is not reachable, .*“mail\.example\.com”.*lost/,
    );
    assert.ok(backup.detail.endsWith(backup.warnings?.join(" ") ?? "none"));
  });

  test("cannot stand beside a CNAME record", async () => {
    const service = { "u1.other.example": { MX: ["10 mx.other.example"] } };
    for (const [zone, rest] of [
      [{ [AT]: { CNAME: ["u1.other.example"] }, ...service }, /are sent to “mx\.other\.example” instead of/],
      [
        { [AT]: { CNAME: ["gone.other.example"] } },
        /gone\.other\.example has no MX record\. Add an MX record at bounces/,
      ],
    ] satisfies [FakeZone, RegExp][]) {
      const result = await check(zone);
      assert.equal(result.state, "failed");
      assert.match(
        result.detail,
        /^bounces\.example\.com is an alias \(CNAME\) of \S+\.other\.example, .* Delete the CNAME/,
      );
      assert.match(result.detail, rest);
      assert.equal(result.expected, WANTED);
    }
    const ours = { "u1.other.example": { MX: [WANTED] } };
    assert.equal((await check({ [AT]: { CNAME: ["u1.other.example"] }, ...ours })).state, "verified");
  });

  test("is a fault if its host cannot be reached", async () => {
    for (const [zone, detail] of [
      [{ [HOST]: {} }, /mta\.sender\.example (has no address|does not exist).*MTA_HOSTNAME/],
      [{ [HOST]: { A: ["10.0.0.1"] } }, /10\.0\.0\.1.*other networks cannot reach/],
    ] satisfies [FakeZone, RegExp][]) {
      const result = await check({ [AT]: { MX: [WANTED] }, ...zone });
      assert.equal(result.state, "failed");
      assert.match(result.detail, detail);
    }
  });

  test("that cannot be looked up is no fault", async () => {
    const result = await check({ [AT]: { MX: { failure: "ESERVFAIL" } } });
    assert.deepEqual([result.state, result.expected], ["temporary_failure", WANTED]);
    const host = await check({ [AT]: { MX: [WANTED] }, [HOST]: { A: { failure: "ETIMEOUT" }, AAAA: [] } });
    assert.equal(host.state, "verified");
  });
});

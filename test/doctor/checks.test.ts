/** Findings: what stops delivery, what hurts it, and what could not be determined. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FakeZone } from "../support/fake-resolver.ts";
import { tempDir } from "../support/temp-dir.ts";
import { findingOf, HOST, IP, runOn } from "./doctor-input.ts";

const SERVFAIL = { failure: "ESERVFAIL" };

describe("the doctor", () => {
  it("has the same checks whatever is turned on", async (t) => {
    const dir = tempDir(t);
    const checks = async (env: Record<string, string>) =>
      (await runOn(dir, { zone: {}, env: { CERTS_DIR: dir, ...env } })).map(({ check }) => check);
    const off = await checks({});
    assert.deepEqual(await checks({ INBOUND_PORT: "25", SUBMISSION_PORT: "587", SUBMISSIONS_PORT: "465" }), off);
    assert.ok(["certificate", "submission_certificate", "inbound"].every((check) => off.includes(check as never)));
  });

  it("distinguishes a name without addresses from one whose lookup failed", async (t) => {
    const dir = tempDir(t);
    const nothing = findingOf(await runOn(dir, { zone: {} }), "hostname");
    assert.deepEqual([nothing.state, /resolves to nothing/.test(nothing.detail)], ["warning", true]);
    const here = findingOf(await runOn(dir, { zone: { [HOST]: { A: [IP], AAAA: SERVFAIL } } }), "hostname");
    assert.equal(here.state, "ok");
    for (const records of [{ A: SERVFAIL }, { A: ["192.0.2.99"], AAAA: SERVFAIL }]) {
      const failed = findingOf(await runOn(dir, { zone: { [HOST]: records } }), "hostname");
      assert.deepEqual([failed.state, /failed \(ESERVFAIL\)/.test(failed.detail)], ["unclear", true]);
      assert.doesNotMatch(failed.detail, /resolves to/);
    }
  });

  it("does the same for reverse names", async (t) => {
    const dir = tempDir(t);
    const reverse = async (zone: FakeZone) => findingOf(await runOn(dir, { zone }), `reverse_dns ${IP}`);
    assert.equal((await reverse({ [IP]: { PTR: [HOST] }, [HOST]: { A: [IP] } })).state, "ok");
    assert.equal((await reverse({ [IP]: { PTR: [HOST] }, [HOST]: { A: ["192.0.2.9"] } })).state, "problem");
    assert.equal((await reverse({})).state, "problem");
    assert.equal((await reverse({ [IP]: { PTR: SERVFAIL } })).state, "unclear");
    const forward = await reverse({ [IP]: { PTR: [HOST] }, [HOST]: { A: SERVFAIL } });
    assert.deepEqual([forward.state, /lookup of mta\.shop\.example failed/.test(forward.detail)], ["unclear", true]);
  });

  it("explains why no sending address and no mail exchanger is known", async (t) => {
    const dir = tempDir(t);
    const failing = await runOn(dir, {
      zone: { [HOST]: { A: SERVFAIL }, "gmail.com": { MX: SERVFAIL } },
      sendingIps: [],
    });
    assert.match(findingOf(failing, "sending_ips").detail, /lookup of mta\.shop\.example failed \(ESERVFAIL\)/);
    assert.match(findingOf(failing, "outbound_smtp").detail, /failed \(ESERVFAIL\)/);
    const empty = await runOn(dir, { zone: {}, sendingIps: [] });
    assert.equal(findingOf(empty, "sending_ips").state, "problem");
    assert.doesNotMatch(findingOf(empty, "sending_ips").detail, /failed/);
    assert.match(findingOf(empty, "outbound_smtp").detail, /returns no mail server/);
  });

  it("reports a resolver problem only when no query is answered", async (t) => {
    const dir = tempDir(t);
    const own = findingOf(await runOn(dir, { zone: { [HOST]: { TXT: SERVFAIL } } }), "resolver");
    assert.equal(own.state, "ok");
    const zone = { [HOST]: { TXT: SERVFAIL }, "gmail.com": { MX: SERVFAIL }, "outlook.com": { MX: SERVFAIL } };
    assert.equal(findingOf(await runOn(dir, { zone }), "resolver").state, "problem");
  });
});

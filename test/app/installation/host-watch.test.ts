/** The doctor beside the running service: when it examines, the reasons for /readyz, and the log. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HostWatch } from "../../../src/app/installation/host-watch.ts";
import type { Resolver } from "../../../src/dns/resolver.ts";
import { type Finding, runChecks } from "../../../src/doctor/checks.ts";
import type { Logger } from "../../../src/lib/log.ts";
import { doctorInput } from "../../doctor/doctor-input.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempDir } from "../../support/temp-dir.ts";

const OPEN: Finding = { check: "outbound_smtp", state: "ok", detail: "Port 25 is open outwards." };
const CLOSED: Finding = { check: "outbound_smtp", state: "problem", detail: "No mail gets out." };
const UNNAMED: Finding = { check: "reverse_dns 192.0.2.10", state: "problem", detail: "No PTR." };

function setUp() {
  const clock = fakeClock();
  const logged: [string, string][] = [];
  const line = (level: string) => (finding: Finding) => logged.push([level, finding.check]);
  const log = { warn: line("warn"), info: line("info") } as unknown as Logger;
  const host = { findings: [OPEN], examinations: 0 };
  const watch = new HostWatch({
    clock,
    log,
    examine: async () => {
      host.examinations += 1;
      return host.findings;
    },
  });
  return { clock, logged, host, watch };
}

describe("the doctor beside the service", () => {
  it("examines soon after the start, then hourly, and each minute while nothing can be delivered", async () => {
    const { clock, host, watch } = setUp();
    assert.deepEqual([host.examinations, watch.reasons()], [0, []]);
    await clock.advance(15_000);
    assert.equal(host.examinations, 1);
    host.findings = [CLOSED, UNNAMED];
    await clock.advance(3_600_000);
    assert.deepEqual([host.examinations, watch.reasons()], [2, ["outbound_smtp: No mail gets out."]]);
    host.findings = [OPEN, UNNAMED];
    await clock.advance(60_000);
    assert.deepEqual([host.examinations, watch.reasons()], [3, []]);
    watch.stop();
    await clock.advance(100 * 3_600_000);
    assert.equal(host.examinations, 3);
  });

  it("logs each change once", async () => {
    const { host, watch, logged } = setUp();
    await watch.examine();
    assert.deepEqual(logged, []);
    host.findings = [CLOSED];
    await watch.examine();
    await watch.examine();
    host.findings = [OPEN];
    await watch.examine();
    assert.deepEqual(logged, [
      ["warn", "outbound_smtp"],
      ["info", "outbound_smtp"],
    ]);
  });

  it("renews stale findings for a page, also after the clock was set back", async () => {
    const { clock, host, watch } = setUp();
    await watch.examine();
    clock.step(-3_600_000);
    watch.current();
    assert.equal(host.examinations, 1);
    await clock.advance(600_001);
    watch.current();
    await clock.advance(0);
    assert.equal(host.examinations, 2);
  });

  it("shows the latest findings during an examination, and after one that fails", async () => {
    const { clock, host, watch } = setUp();
    assert.deepEqual(watch.current(), { findings: null, examinedAtMs: null, examining: true });
    await clock.advance(0);
    assert.deepEqual(watch.current().findings, [OPEN]);
    Object.defineProperty(host, "findings", { get: () => assert.fail("broken") });
    await watch.examine();
    assert.deepEqual(watch.current().findings, [OPEN]);
  });
});

describe("an examination with an unresponsive resolver", () => {
  it("ends with a finding for every check", async (t) => {
    const never = () => new Promise<never>(() => {});
    const resolver: Resolver = { mx: never, txt: never, a: never, aaaa: never, ptr: never, cname: never };
    const clock = fakeClock();
    const env = { DATA_DIR: tempDir(t), BLOCKLISTS: "list.example" };
    const silent = doctorInput({}, env, { resolver, clock, sendingIps: ["192.0.2.10", "2001:db8::25"] });
    const examined = runChecks(silent);
    await clock.advance(15_000);
    const states = Object.fromEntries((await examined).map(({ check, state }) => [check, state]));
    assert.equal(states.resolver, "problem");
    const unclear = ["hostname", "reverse_dns 192.0.2.10", "reverse_dns 2001:db8::25", "outbound_smtp", "clock"];
    for (const check of [...unclear, "outbound_smtp IPv6", "blocklist list.example"]) {
      assert.equal(states[check], "unclear", check);
    }
  });
});

/** The doctor beside the running service: when it looks, what /readyz is told of it, and what the log says. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HostWatch } from "../../src/app/host-watch.ts";
import type { Resolver } from "../../src/dns/resolver.ts";
import { type Finding, runChecks } from "../../src/doctor/checks.ts";
import type { Logger } from "../../src/lib/log.ts";
import { doctorInput } from "../doctor/doctor-input.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { tempDir } from "../support/temp-dir.ts";

const OPEN: Finding = { check: "outbound_smtp", state: "ok", detail: "Port 25 is open outwards." };
const CLOSED: Finding = { check: "outbound_smtp", state: "problem", detail: "No mail gets out." };
const UNNAMED: Finding = { check: "reverse_dns 192.0.2.10", state: "problem", detail: "No PTR." };

function setUp() {
  const clock = fakeClock();
  const said: [string, string][] = [];
  const say = (level: string) => (finding: Finding) => said.push([level, finding.check]);
  const log = { warn: say("warn"), info: say("info") } as unknown as Logger;
  const host = { findings: [OPEN], looks: 0 };
  const watch = new HostWatch({
    clock,
    log,
    examine: async () => {
      host.looks += 1;
      return host.findings;
    },
  });
  return { clock, said, host, watch };
}

describe("the doctor beside the service", () => {
  it("looks soon after the start, then hourly, and each minute while no mail gets out", async () => {
    const { clock, host, watch } = setUp();
    assert.deepEqual([host.looks, watch.reasons()], [0, []]);
    await clock.advance(15_000);
    assert.equal(host.looks, 1);
    host.findings = [CLOSED, UNNAMED];
    await clock.advance(3_600_000);
    assert.deepEqual([host.looks, watch.reasons()], [2, ["outbound_smtp: No mail gets out."]]);
    host.findings = [OPEN, UNNAMED];
    await clock.advance(60_000);
    assert.deepEqual([host.looks, watch.reasons()], [3, []]);
    watch.stop();
    await clock.advance(100 * 3_600_000);
    assert.equal(host.looks, 3);
  });

  it("logs what changed, once", async () => {
    const { host, watch, said } = setUp();
    await watch.examine();
    assert.deepEqual(said, []);
    host.findings = [CLOSED];
    await watch.examine();
    await watch.examine();
    host.findings = [OPEN];
    await watch.examine();
    assert.deepEqual(said, [
      ["warn", "outbound_smtp"],
      ["info", "outbound_smtp"],
    ]);
  });

  it("renews old findings for a page, also where the clock was set back since", async () => {
    const { clock, host, watch } = setUp();
    await watch.examine();
    clock.step(-3_600_000);
    watch.look();
    assert.equal(host.looks, 1);
    await clock.advance(600_001);
    watch.look();
    await clock.advance(0);
    assert.equal(host.looks, 2);
  });

  it("shows what is known while it looks, and keeps it when the look itself fails", async () => {
    const { clock, host, watch } = setUp();
    assert.deepEqual(watch.look(), { findings: null, examinedAtMs: null, examining: true });
    await clock.advance(0);
    assert.deepEqual(watch.look().findings, [OPEN]);
    Object.defineProperty(host, "findings", { get: () => assert.fail("broken") });
    await watch.examine();
    assert.deepEqual(watch.look().findings, [OPEN]);
  });
});

describe("an examination whose resolver never answers", () => {
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

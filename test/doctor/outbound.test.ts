import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { reasonsNotToDeliver, runChecks } from "../../src/doctor/checks.ts";
import { checkOutbound } from "../../src/doctor/outbound.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { freeAddress } from "../support/peers.ts";
import { type ScriptedSmtpOptions, startScriptedSmtp } from "../support/scripted-smtp.ts";
import { tempDir } from "../support/temp-dir.ts";
import { doctorInput, HOST } from "./doctor-input.ts";

/** A peer that is the preferred exchanger of probe.example, and input that probes it. */
async function setUp(t: TestContext, options: Partial<ScriptedSmtpOptions> = {}) {
  const peer = await startScriptedSmtp({ ...options, host: freeAddress() });
  t.after(() => peer.close());
  const zone = {
    "probe.example": { MX: ["20 other.probe.example", "10 mx.probe.example"] },
    "mx.probe.example": { A: [peer.host] },
    [HOST]: { A: [peer.host] },
  };
  const env = { PROBE_DOMAINS: "probe.example", SMTP_PORT: String(peer.port), SMTP_ALLOW_PRIVATE: "true" };
  return { peer, probing: doctorInput(zone, { ...env, DATA_DIR: tempDir(t) }, { clock: systemClock }) };
}

describe("outbound SMTP", () => {
  it("is ok when the exchanger greets; sends only QUIT", async (t) => {
    const heard: string[] = [];
    const quit = (_: string, { commands }: { commands: string[] }): undefined => void heard.push(...commands);
    const { probing } = await setUp(t, { script: { greeting: () => "220 mx.probe.example hello", quit } });
    const finding = await checkOutbound("IPv4", probing);
    assert.deepEqual([finding.state, /“220 mx\.probe\.example hello”/.test(finding.detail)], ["ok", true]);
    assert.deepEqual(heard, ["QUIT"]);
  });

  it("is a warning when the server rejects, and a reason for /readyz when none accepts a connection", async (t) => {
    const { peer, probing } = await setUp(t, { script: { greeting: () => "554 go away" } });
    const refused = await checkOutbound("IPv4", probing);
    assert.deepEqual([refused.state, /“554 go away”/.test(refused.detail)], ["warning", true]);
    assert.deepEqual(reasonsNotToDeliver([refused]), []);
    await peer.close();
    const closed = await runChecks(probing);
    const [reason = "", ...more] = reasonsNotToDeliver(closed);
    assert.match(
      reason,
      /^outbound_smtp: Could not connect to port \d+ of mx\.probe\.example.*ECONNREFUSED.*unblock it/,
    );
    assert.deepEqual(more, []);
  });

  it("is a warning for unreachable IPv6 beside IPv4", async () => {
    const zone = { "probe.example": { MX: ["10 mx.probe.example"] }, "mx.probe.example": { AAAA: ["::1"] } };
    const env = { PROBE_DOMAINS: "probe.example", SMTP_PORT: "1", SMTP_ALLOW_PRIVATE: "true" };
    const both = { clock: systemClock, sendingIps: ["192.0.2.10", "2001:db8::25"] };
    const beside = await checkOutbound("IPv6", doctorInput(zone, env, both));
    assert.deepEqual([beside.check, beside.state], ["outbound_smtp IPv6", "warning"]);
    const alone = await checkOutbound("IPv6", doctorInput(zone, env, { ...both, sendingIps: ["2001:db8::25"] }));
    assert.equal(alone.state, "problem");
  });

  it("connects to no private address, and to no host without probe domains", async () => {
    const zone = { "probe.example": { MX: ["10 mx.probe.example"] }, "mx.probe.example": { A: ["127.0.0.1"] } };
    const guarded = await checkOutbound("IPv4", doctorInput(zone, { PROBE_DOMAINS: "probe.example" }));
    assert.deepEqual(
      [guarded.state, /no mail server of .* allowed IPv4 address/.test(guarded.detail)],
      ["unclear", true],
    );
    const none = await checkOutbound("IPv4", doctorInput(zone, { PROBE_DOMAINS: "none" }));
    assert.deepEqual([none.state, /names no domain/.test(none.detail)], ["unclear", true]);
  });
});

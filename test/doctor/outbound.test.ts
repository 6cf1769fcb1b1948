/** The way out, tried at peers on loopback. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { reasonsNotToDeliver, runChecks } from "../../src/doctor/checks.ts";
import { checkOutbound } from "../../src/doctor/outbound.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { freeAddress } from "../support/peers.ts";
import { type ScriptedSmtpOptions, startScriptedSmtp } from "../support/scripted-smtp.ts";
import { tempDir } from "../support/temp-dir.ts";
import { HOST, patient } from "./doctor-input.ts";

/** A peer that is the best exchanger of probe.example, and a patient that tries it. */
async function setUp(t: TestContext, options: Partial<ScriptedSmtpOptions> = {}) {
  const peer = await startScriptedSmtp({ ...options, host: freeAddress() });
  t.after(() => peer.close());
  const zone = {
    "probe.example": { MX: ["20 other.probe.example", "10 mx.probe.example"] },
    "mx.probe.example": { A: [peer.host] },
    [HOST]: { A: [peer.host] },
  };
  const env = { PROBE_DOMAINS: "probe.example", SMTP_PORT: String(peer.port), SMTP_ALLOW_PRIVATE: "true" };
  return { peer, probing: patient(zone, { ...env, DATA_DIR: tempDir(t) }, { clock: systemClock }) };
}

describe("outbound SMTP", () => {
  it("is open when the exchanger greets; nothing but QUIT is said to it", async (t) => {
    const heard: string[] = [];
    const quit = (_: string, { commands }: { commands: string[] }): undefined => void heard.push(...commands);
    const { probing } = await setUp(t, { script: { greeting: () => "220 mx.probe.example hello", quit } });
    const finding = await checkOutbound("IPv4", probing);
    assert.deepEqual([finding.state, /“220 mx\.probe\.example hello”/.test(finding.detail)], ["ok", true]);
    assert.deepEqual(heard, ["QUIT"]);
  });

  it("is a warning when what answers refuses, and a reason of /readyz when nothing does", async (t) => {
    const { peer, probing } = await setUp(t, { script: { greeting: () => "554 go away" } });
    const refused = await checkOutbound("IPv4", probing);
    assert.deepEqual([refused.state, /“554 go away”/.test(refused.detail)], ["warning", true]);
    assert.deepEqual(reasonsNotToDeliver([refused]), []);
    await peer.close();
    const closed = await runChecks(probing);
    const [reason = "", ...more] = reasonsNotToDeliver(closed);
    assert.match(reason, /^outbound_smtp: No connection to port \d+ of mx\.probe\.example.*ECONNREFUSED.*unblock it/);
    assert.deepEqual(more, []);
  });

  it("only warns of IPv6 that does not get out beside IPv4", async () => {
    const zone = { "probe.example": { MX: ["10 mx.probe.example"] }, "mx.probe.example": { AAAA: ["::1"] } };
    const env = { PROBE_DOMAINS: "probe.example", SMTP_PORT: "1", SMTP_ALLOW_PRIVATE: "true" };
    const both = { clock: systemClock, sendingIps: ["192.0.2.10", "2001:db8::25"] };
    const beside = await checkOutbound("IPv6", patient(zone, env, both));
    assert.deepEqual([beside.check, beside.state], ["outbound_smtp IPv6", "warning"]);
    const alone = await checkOutbound("IPv6", patient(zone, env, { ...both, sendingIps: ["2001:db8::25"] }));
    assert.equal(alone.state, "problem");
  });

  it("connects to no private address and to nobody when told so", async () => {
    const zone = { "probe.example": { MX: ["10 mx.probe.example"] }, "mx.probe.example": { A: ["127.0.0.1"] } };
    const guarded = await checkOutbound("IPv4", patient(zone, { PROBE_DOMAINS: "probe.example" }));
    assert.deepEqual([guarded.state, /no mail exchanger with IPv4/.test(guarded.detail)], ["unclear", true]);
    const none = await checkOutbound("IPv4", patient(zone, { PROBE_DOMAINS: "none" }));
    assert.deepEqual([none.state, /names no domain/.test(none.detail)], ["unclear", true]);
  });
});

/** Preflight against scripted receivers: each verdict at each step, and never a recipient. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { preflightReport } from "../../src/app/reports/preflight.ts";
import { type AddressPreflight, preflightLimits, preflightSummary, runPreflight } from "../../src/doctor/preflight.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { PROFILES, type ReceiverProfile } from "../../src/receivers/profiles.ts";
import { type FakeZone, fakeResolver } from "../support/fake-resolver.ts";
import { freeAddress } from "../support/peers.ts";
import { type Script, type ScriptedSmtp, startScriptedSmtp } from "../support/scripted-smtp.ts";

const HOSTNAME = "mta.sender.example";

function profileNamed(name: string): ReceiverProfile {
  const profile = PROFILES.find((each) => each.name === name);
  assert.ok(profile);
  return profile;
}

interface Stage {
  peers: Map<string, ScriptedSmtp>;
  run: (change?: Partial<Parameters<typeof runPreflight>[0]>) => Promise<AddressPreflight[]>;
}

/** An exchanger of each receiver. All have the same port. */
async function setUp(t: TestContext, scripts: Record<string, Script>, more: FakeZone = {}): Promise<Stage> {
  const peers = new Map<string, ScriptedSmtp>();
  const zone: FakeZone = { ...more };
  let port = 0;
  for (const [name, script] of Object.entries(scripts)) {
    const { example, mx } = profileNamed(name);
    assert.ok(example);
    const peer = await startScriptedSmtp({ host: freeAddress(), script, ...(port === 0 ? {} : { port }) });
    t.after(() => peer.close());
    port = peer.port;
    peers.set(name, peer);
    zone[example.domain] = { MX: [`20 spare.${mx[0]}`, `10 mx.${mx[0]}`] };
    zone[`mx.${mx[0]}`] = { A: [peer.host] };
  }
  const run: Stage["run"] = (change = {}) =>
    runPreflight({
      hostname: HOSTNAME,
      addresses: [],
      profiles: Object.keys(scripts).map(profileNamed),
      blocklists: [],
      resolver: fakeResolver(zone),
      clock: systemClock,
      over: new AbortController().signal,
      smtpPort: port,
      allowPrivate: true,
      ...change,
    });
  return { peers, run };
}

const verdictsOf = ([result]: AddressPreflight[]) =>
  Object.fromEntries((result?.receivers ?? []).map(({ profile, verdict, step }) => [profile.name, [verdict, step]]));

describe("preflight", () => {
  it("goes as far as MAIL at each receiver, and names no recipient and sends no content", async (t) => {
    const { peers, run } = await setUp(t, { outlook: {}, yahoo: {}, orange: {} });
    const [result] = await run({ profiles: [profileNamed("outlook"), profileNamed("yahoo")] });
    assert.deepEqual(verdictsOf(result ? [result] : []), {
      outlook: ["accepted", "mail"],
      yahoo: ["accepted", "mail"],
    });
    for (const name of ["outlook", "yahoo"]) {
      const commands = peers.get(name)?.commands.map((line) => line.split(":")[0]) ?? [];
      assert.deepEqual(commands, [`EHLO ${HOSTNAME}`, "MAIL FROM", "RSET", "QUIT"], name);
      assert.equal(peers.get(name)?.transactions.length, 0);
    }
    assert.deepEqual(peers.get("orange")?.commands, [], "one that was not asked for");
    assert.equal(result?.port25, "open");
    assert.match(preflightLimits(result ? [result] : []), /spam folder\. Some receivers judge an address only by/u);
    assert.equal(preflightSummary(result ? [result] : []), "From this server, 2 of 2 receivers took the session.");
  });

  it("tells refusals, deferrals and silence apart at each step, in the receiver's words", async (t) => {
    const { run } = await setUp(t, {
      "t-online": { greeting: () => "554 IP=192.0.2.10 - A problem occurred. (Ask your postmaster for help)" },
      yahoo: { greeting: () => "421 4.7.0 [TSS04] Messages from 192.0.2.10 temporarily deferred" },
      outlook: { mail: () => "550 5.7.1 Unfortunately, messages from [192.0.2.10] weren't sent (S3140)" },
      icloud: { ehlo: () => "421 4.7.1 try later", helo: () => "421 4.7.1 try later" },
      orange: { mail: () => ({ drop: true }) },
      comcast: { greeting: () => ({ drop: true }) },
      gmx: {},
    });
    const results = await run();
    assert.deepEqual(verdictsOf(results), {
      "t-online": ["refused", "greeting"],
      yahoo: ["deferred", "greeting"],
      outlook: ["refused", "mail"],
      icloud: ["deferred", "ehlo"],
      orange: ["unreachable", "mail"],
      comcast: ["unreachable", "greeting"],
      // It wants TLS, and its exchanger offers none.
      gmx: ["refused", "starttls"],
    });
    const found = new Map(results[0]?.receivers.map((each) => [each.profile.name, each]));
    assert.match(found.get("outlook")?.reply ?? "", /^550 5\.7\.1 .*S3140/u);
    assert.equal(found.get("outlook")?.url, profileNamed("outlook").delistingUrl);
    assert.match(found.get("t-online")?.advice ?? "", /contact data/u);
    assert.match(
      preflightSummary(results),
      /^From this server, 0 of 7 receivers took the session; .*T-Online rejected the greeting: 554 IP=/u,
    );
  });

  it("tries the next exchanger where one accepts no connection, and reports a blocked port", async (t) => {
    const { peers, run } = await setUp(t, { yahoo: {}, outlook: {} });
    await peers.get("outlook")?.close();
    const zone: FakeZone = {
      "yahoo.com": { MX: ["10 dead.yahoodns.net", "20 live.yahoodns.net"] },
      "dead.yahoodns.net": { A: [peers.get("outlook")?.host ?? ""] },
      "live.yahoodns.net": { A: [peers.get("yahoo")?.host ?? ""] },
    };
    const second = await run({ resolver: fakeResolver(zone), profiles: [profileNamed("yahoo")] });
    assert.deepEqual(verdictsOf(second), { yahoo: ["accepted", "mail"] });
    await peers.get("yahoo")?.close();
    const results = await run();
    assert.deepEqual(verdictsOf(results), { yahoo: ["unreachable", "connect"], outlook: ["unreachable", "connect"] });
    assert.equal(results[0]?.port25, "closed");
    assert.match(preflightSummary(results), /port 25 seems to be blocked/u);
  });

  it("does not try a receiver without a public address of the family, or whose look-up fails", async (t) => {
    const { run } = await setUp(t, { yahoo: {}, outlook: {} });
    const ipv6 = await run({ addresses: [{ ip: "2001:db8::25" }] });
    assert.deepEqual(verdictsOf(ipv6), { yahoo: ["not_tried", null], outlook: ["not_tried", null] });
    assert.equal(ipv6[0]?.port25, "unclear");
    const guarded = await run({ allowPrivate: false });
    assert.deepEqual(verdictsOf(guarded), { yahoo: ["not_tried", null], outlook: ["not_tried", null] });
    const failing = await run({ resolver: fakeResolver({ "yahoo.com": { MX: { failure: "ESERVFAIL" } } }) });
    assert.match(failing[0]?.receivers[0]?.advice ?? "", /ESERVFAIL/u);
    assert.match(preflightSummary(failing), /no receiver could be tried/u);
  });

  it("tries each receiver from an IPv6 address over IPv6, and from an IPv4 address over IPv4", async (t) => {
    const profile = profileNamed("outlook");
    const overIpv6 = await startScriptedSmtp({ host: "::1", script: { greeting: () => "554 5.7.1 no" } });
    t.after(() => overIpv6.close());
    const overIpv4 = await startScriptedSmtp({ host: freeAddress(), script: {}, port: overIpv6.port });
    t.after(() => overIpv4.close());
    const zone = {
      "outlook.com": { MX: ["10 mx.olc.protection.outlook.com"] },
      "mx.olc.protection.outlook.com": { A: [overIpv4.host], AAAA: ["::1"] },
    };
    const results = await runPreflight({
      hostname: HOSTNAME,
      addresses: [{ ip: "::1" }, { ip: "127.0.0.1" }],
      profiles: [profile],
      blocklists: [],
      resolver: fakeResolver(zone),
      clock: systemClock,
      over: new AbortController().signal,
      smtpPort: overIpv6.port,
      allowPrivate: true,
      ownAddresses: () => ["127.0.0.1", "::1"],
    });
    assert.deepEqual(
      results.map(({ address, receivers: [only] }) => [address, only?.verdict, only?.step]),
      [
        ["::1", "refused", "greeting"],
        ["127.0.0.1", "accepted", "mail"],
      ],
    );
    assert.equal(
      preflightSummary(results),
      "From ::1, 0 of 1 receivers took the session; Outlook.com, Hotmail and Live rejected the greeting: 554 5.7.1 no. From 127.0.0.1, 1 of 1 receivers took the session.",
    );
  });

  it("binds to what an address is translated from, and has the address's own name in EHLO", async (t) => {
    const { peers, run } = await setUp(t, { outlook: {} });
    const [result] = await run({ addresses: [{ ip: "192.0.2.10", name: "mail1.host.example", bind: "127.0.0.31" }] });
    assert.equal(result?.address, "192.0.2.10");
    assert.deepEqual(peers.get("outlook")?.states[0]?.remoteAddress, "127.0.0.31");
    assert.equal(peers.get("outlook")?.commands[0], "EHLO mail1.host.example");
  });

  it("an earlier result stands for a new one, and the receiver is not tried", async (t) => {
    const { peers, run } = await setUp(t, { outlook: {}, yahoo: {} });
    const known = {
      verdict: "deferred",
      step: "mail",
      reply: "421 later",
      advice: null,
      url: null,
      earlierAtMs: 1,
    } as const;
    const results = await run({ earlier: (_, receiver) => (receiver === "yahoo" ? known : null) });
    assert.deepEqual(verdictsOf(results), { outlook: ["accepted", "mail"], yahoo: ["deferred", "mail"] });
    assert.deepEqual(peers.get("yahoo")?.commands, []);
    const [reported] = preflightReport(results).addresses;
    assert.deepEqual(
      reported?.receivers.map(({ name, at }) => [name, at]),
      [
        ["outlook", undefined],
        ["yahoo", "1970-01-01T00:00:00.001Z"],
      ],
    );
  });

  it("ends when its time is over, with each receiver as far as it came", async (t) => {
    const over = new AbortController();
    const { peers, run } = await setUp(t, {
      yahoo: { greeting: () => ({ silent: true }) },
      outlook: { mail: () => ({ silent: true }) },
    });
    const running = run({ over: over.signal });
    while (peers.get("outlook")?.commands.length !== 2 || peers.get("yahoo")?.connections !== 1)
      await new Promise((resolve) => void setImmediate(resolve));
    over.abort();
    const results = await running;
    assert.deepEqual(verdictsOf(results), { yahoo: ["unreachable", "greeting"], outlook: ["unreachable", "mail"] });
  });

  it("reports the reverse name, and lists of the address and of the host's domain", async (t) => {
    const { run, peers } = await setUp(t, { yahoo: {} });
    const host = peers.get("yahoo")?.host ?? "";
    const zone: FakeZone = {
      "192.0.2.10": { PTR: [HOSTNAME] },
      [HOSTNAME]: { A: ["192.0.2.10"] },
      "yahoo.com": { MX: ["10 mx.yahoodns.net"] },
      "mx.yahoodns.net": { A: [host] },
      "2.0.0.127.bl.example": { A: ["127.0.0.2"] },
      "10.2.0.192.bl.example": { A: ["127.0.0.3"] },
      "dbltest.com.dbl.spamhaus.org": { A: ["127.0.1.2"] },
      "sender.example.dbl.spamhaus.org": { A: ["127.0.1.4"] },
      "surbl-org-permanent-test-point.com.multi.surbl.org": { A: ["127.255.255.254"] },
    };
    const options = { addresses: [{ ip: "192.0.2.10" }], blocklists: ["bl.example"], resolver: fakeResolver(zone) };
    const [result] = await run(options);
    assert.equal(result?.ptr, HOSTNAME);
    assert.equal(result?.isBound, false, "no interface of this server has the address");
    assert.deepEqual(
      result?.blocklists.map(({ list, listed }) => [list, listed]),
      [
        ["bl.example", true],
        ["dbl.spamhaus.org", true],
        ["multi.surbl.org", null],
      ],
    );
    assert.match(result?.blocklists[1]?.detail ?? "", /lists sender\.example \(127\.0\.1\.4\)/u);
    assert.match(
      preflightSummary(result ? [result] : []),
      /^From 192\.0\.2\.10, 1 of 1 receivers took the session\.$/u,
    );
    const [unnamed] = await run({ addresses: [{ ip: "192.0.2.11" }], hostname: "localhost" });
    assert.equal(unnamed?.ptr, null);
    assert.match(unnamed?.ptrDetail ?? "", /no reverse name/u);
    assert.ok(peers.get("yahoo")?.commands.includes("EHLO [192.0.2.11]"), "an address literal without a name");
  });
});

/** Attempts under each TLS policy, with real DNS packets, SMTP and handshakes: what is delivered, and what is recorded. */
import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { createAttempt } from "../../../src/delivery/dispatch/attempt.ts";
import type { AttemptParts } from "../../../src/delivery/dispatch/attempt-state.ts";
import { Preparation } from "../../../src/delivery/dispatch/preparation.ts";
import { NO_RETURN_PATHS } from "../../../src/delivery/dispatch/return-paths.ts";
import { SevenBitContents } from "../../../src/delivery/dispatch/seven-bit-contents.ts";
import { Shutdown } from "../../../src/delivery/dispatch/shutdown.ts";
import { SessionPool } from "../../../src/delivery/smtp/pool.ts";
import { HostHealth } from "../../../src/delivery/throttle/host-health.ts";
import { StsPolicies } from "../../../src/delivery/tls/mta-sts.ts";
import { OperatorRules } from "../../../src/delivery/tls/operator-rules.ts";
import { createPolicies, type PolicyLookup } from "../../../src/delivery/tls/tls-policy.ts";
import { createSecureResolver, type SecureResolver } from "../../../src/dns/secure-resolver.ts";
import { createResolver } from "../../../src/dns/stub-resolver.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import type { TlsRule } from "../../../src/message/tls-rules.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { DeliveryJob } from "../../../src/spool/port/mail.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import type { StsPolicy } from "../../../src/spool/port/sts-policies.ts";
import { startZoneServer, type ZoneServer } from "../../../src/testing/zone-server.ts";
import { contentInParts } from "../../support/content-parts.ts";
import { onlyTls } from "../../support/legacy-tls.ts";
import { NO_TEST_SINK } from "../../support/no-test-sink.ts";
import { freeAddress } from "../../support/peers.ts";
import { type ScriptedSmtp, type ScriptedSmtpOptions, startScriptedSmtp } from "../../support/scripted-smtp.ts";
import { certificateAuthority, type KeyAndCertificate, selfSigned } from "../../support/self-signed.ts";
import { startStsHost, stsFile } from "../../support/sts-host.ts";
import { tempDir } from "../../support/temp-dir.ts";

const DAY_MS = 86_400_000;
const DOMAIN = "customers.example";
const MX1 = `mx1.${DOMAIN}`;
const MX2 = `mx2.${DOMAIN}`;
const ROOT = certificateAuthority();
const GOOD = ROOT.issue(MX1);

/** One signed zone with a recipient domain of two exchangers, and an attempt that trusts the test authority. */
interface Stage {
  zone: ZoneServer;
  /** The secure resolver's servers; a test may have it ask elsewhere. */
  dane: SecureResolver | null;
  /** What MTA-STS says, instead of a look-up. */
  sts: StsPolicy | null;
  parts: AttemptParts;
  policiesOf: PolicyLookup;
  /** Starts a peer as one of the exchangers. */
  exchanger(name: string, options: Omit<ScriptedSmtpOptions, "host" | "port">): Promise<ScriptedSmtp>;
  /** Publishes TLSA records for an exchanger. */
  publishTlsa(name: string, ...values: string[]): void;
  attempt(): Promise<Outcome>;
}

async function setStage(t: TestContext): Promise<Stage> {
  const zone = await startZoneServer({ authenticated: [DOMAIN] });
  const pool = new SessionPool({ clock: systemClock });
  const first = await startScriptedSmtp({ host: freeAddress() });
  const smtpPort = first.port;
  t.after(async () => {
    await pool.close();
    await Promise.all([first.close(), zone.close()]);
  });
  zone.set(DOMAIN, "MX", [`10 ${MX1}`, `20 ${MX2}`]);
  const resolver = createResolver({ servers: [zone.address], timeoutMs: 500, tries: 1 });
  const content = contentInParts([Buffer.from("Subject: Hi\r\n\r\nHi\r\n")]);
  const spool: Partial<Spool> = {
    content: async () => content,
    mark: async () => "marked",
    leaseIsCurrent: () => true,
  };
  const stage: Stage = {
    zone,
    dane: null,
    sts: null,
    parts: {
      spool: spool as Spool,
      signer: { sign: async () => Buffer.alloc(0) },
      pool,
      clock: systemClock,
      log: silentLog,
      routing: { resolver, smtpPort, sink: null, random: () => 0 },
      health: new HostHealth(systemClock),
      sources: { endpointsFor: async (addresses) => addresses.map((address) => ({ address })) },
      hostname: "mta.test",
      allowPrivate: true,
      ca: ROOT.cert,
      shutdown: new Shutdown(),
      returnPaths: NO_RETURN_PATHS,
      sevenBitContents: new SevenBitContents({ clock: systemClock }),
    },
    // New for each attempt: a test changes DNS and policies between two.
    policiesOf: (domain) => {
      const lookUp = async () => ({ policy: stage.sts, wait: async () => {}, ended: Promise.resolve() });
      return createPolicies({ sts: { lookUp }, dane: stage.dane, clock: systemClock })(domain);
    },
    async exchanger(name, options) {
      const peer = await startScriptedSmtp({ ...options, host: freeAddress(), port: smtpPort });
      t.after(() => peer.close());
      zone.set(name, "A", [peer.host]);
      return peer;
    },
    publishTlsa: (name, ...values) => zone.set(`_${smtpPort}._tcp.${name}`, "TLSA", values),
    async attempt() {
      const { policiesOf, parts } = stage;
      const { routing } = parts;
      const preparation = new Preparation({ routing, testSink: NO_TEST_SINK, policiesOf, clock: systemClock });
      const prepared = await preparation.prepare(DOMAIN);
      const { outcomes } = await createAttempt(parts)(job(), prepared);
      const [outcome] = outcomes;
      assert.ok(outcome);
      return outcome;
    },
  };
  return stage;
}

function job(): DeliveryJob {
  return {
    messageId: "msg_a",
    accountId: "acc_a",
    keyId: "key_a",
    domainId: "dom_a",
    domain: DOMAIN,
    from: "news@shop.example",
    createdAtMs: Date.now(),
    expiresAtMs: Date.now() + DAY_MS,
    sizeBytes: 20,
    eightBit: false,
    recipients: [{ position: 0, email: `ann@${DOMAIN}`, attempts: 0, reason: null, category: null, smtp: null }],
    lease: { owner: "claimant_1", epoch: 1, expiresAtMs: null },
  };
}

function sts(mode: StsPolicy["mode"], mx = [MX1, MX2]): StsPolicy {
  return { domain: DOMAIN, id: "1", mode, mx, fetchedAtMs: Date.now(), expiresAtMs: Date.now() + DAY_MS };
}

const validating = ({ zone }: Stage): SecureResolver =>
  createSecureResolver({ servers: [zone.address], trustAd: false, timeoutMs: 300 });

const reasonOf = (outcome: Outcome) => (outcome.type === "delivered" ? "delivered" : outcome.reason);

/** The tries in short: host, policy, how far it came. */
const triesOf = ({ tries }: Outcome) => tries.map(({ mx, policy, stage }) => `${mx} ${policy} ${stage}`);

/** The peer received no command of a mail transaction. */
function assertUnused(peer: ScriptedSmtp): void {
  assert.ok(
    peer.commands.every((line) => /^(EHLO|STARTTLS|QUIT)/.test(line)),
    peer.commands.join(" | "),
  );
}

const expired = (): KeyAndCertificate =>
  ROOT.issue(MX1, { fromMs: Date.now() - 2 * DAY_MS, untilMs: Date.now() - DAY_MS });

/** Peers without authenticated TLS. */
const unfit: [name: string, peer: Omit<ScriptedSmtpOptions, "host" | "port">][] = [
  ["an expired certificate", { tls: expired() }],
  ["a certificate for another name", { tls: ROOT.issue("mx.other.example") }],
  ["an untrusted certificate", { tls: selfSigned(MX1) }],
  ["no STARTTLS", {}],
  ["STARTTLS refused", { tls: GOOD, script: { starttls: () => "454 4.7.0 not now" } }],
  ["no TLS newer than 1.1", { tls: GOOD, tlsOptions: onlyTls("TLSv1.1") }],
  ["no TLS newer than 1.0", { tls: GOOD, tlsOptions: onlyTls("TLSv1") }],
  ["a broken handshake", { capabilities: ["STARTTLS"], script: { starttls: () => "220 go" } }],
  ["a connection that ends at STARTTLS", { tls: GOOD, script: { starttls: () => ({ drop: true }) } }],
  [
    "TLS that breaks after the handshake",
    { tls: GOOD, script: { ehlo: (_, { secure }) => (secure ? { drop: true } : undefined) } },
  ],
  ["a demand for a client certificate", { tls: GOOD, tlsOptions: { requestCert: true, rejectUnauthorized: true } }],
];

describe("mta-sts enforce", () => {
  it("delivers over TLS with a certificate that is valid for the host, and records it", async (t) => {
    const stage = await setStage(t);
    stage.sts = sts("enforce");
    const peer = await stage.exchanger(MX1, { tls: GOOD });
    const outcome = await stage.attempt();
    assert.equal(reasonOf(outcome), "delivered");
    assert.deepEqual(triesOf(outcome), [`${MX1} mta-sts enforce final_dot`]);
    assert.equal(outcome.tries[0]?.tls?.verified, true);
    assert.equal(peer.transactions[0]?.secure, true);
  });

  for (const [name, peer] of unfit) {
    it(`sends nothing to a host with ${name}, and records why`, async (t) => {
      const stage = await setStage(t);
      stage.sts = sts("enforce");
      const refused = await stage.exchanger(MX1, peer);
      const outcome = await stage.attempt();
      assert.equal(outcome.type, "deferred");
      assertUnused(refused);
      assert.equal(refused.connections, 1, "no second, plain connection");
      const [attempted] = outcome.tries;
      assert.equal(attempted?.policy, "mta-sts enforce");
      assert.match(attempted?.stage ?? "", /^(starttls|ehlo)$/);
      assert.ok((attempted?.error ?? "").length > 0);
    });

    it(`defers with tls_policy_failed, or continues with a better host than one with ${name}`, async (t) => {
      const stage = await setStage(t);
      stage.sts = sts("enforce");
      stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
      await stage.exchanger(MX1, peer);
      assert.equal(reasonOf(await stage.attempt()), "tls_policy_failed");
      stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`, `20 ${MX2}`]);
      const better = await stage.exchanger(MX2, { tls: ROOT.issue(MX2) });
      assert.equal(reasonOf(await stage.attempt()), "delivered");
      assert.equal(better.transactions.length, 1);
    });
  }

  it("sends nothing in plain text to a host whose TLS breaks at MAIL", async (t) => {
    const stage = await setStage(t);
    stage.sts = sts("enforce");
    stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
    const peer = await stage.exchanger(MX1, { tls: GOOD, script: { mail: () => ({ drop: true }) } });
    assert.equal(reasonOf(await stage.attempt()), "connection_lost");
    assert.equal(peer.connections, 1, "no second, plain connection");
  });

  it("uses only hosts that the policy names", async (t) => {
    const stage = await setStage(t);
    const first = await stage.exchanger(MX1, { tls: GOOD });
    const second = await stage.exchanger(MX2, { tls: ROOT.issue(MX2) });
    stage.sts = sts("enforce", [MX2]);
    const outcome = await stage.attempt();
    assert.equal(reasonOf(outcome), "delivered");
    assert.deepEqual(triesOf(outcome), [`${MX1} mta-sts enforce dns`, `${MX2} mta-sts enforce final_dot`]);
    assert.deepEqual([first.connections, second.transactions.length], [0, 1]);
  });

  it("defers with mta_sts_mx_mismatch when it names no host, and with the host's own error when it names one", async (t) => {
    const stage = await setStage(t);
    const first = await stage.exchanger(MX1, { tls: GOOD });
    stage.zone.set(MX2, "A", [freeAddress()]);
    stage.sts = sts("enforce", ["*.other.example"]);
    const none = await stage.attempt();
    assert.deepEqual([none.type, reasonOf(none)], ["deferred", "mta_sts_mx_mismatch"]);
    assert.equal(none.tries.length, 2);
    for (const order of [
      [MX1, MX2],
      [MX2, MX1],
    ]) {
      stage.zone.set(
        DOMAIN,
        "MX",
        order.map((name, at) => `${at + 1}0 ${name}`),
      );
      stage.sts = sts("enforce", [MX2]);
      assert.equal(reasonOf(await stage.attempt()), "connection_failed");
    }
    assert.equal(first.connections, 0);
  });

  it("uses a pooled session only if it would have opened it", async (t) => {
    const stage = await setStage(t);
    const bad = await stage.exchanger(MX1, { tls: selfSigned(MX1) });
    const good = await stage.exchanger(MX2, { tls: ROOT.issue(MX2) });
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    stage.sts = sts("enforce", [MX2]);
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    assert.deepEqual([bad.connections, good.connections, stage.parts.pool.size], [1, 1, 2]);
    stage.sts = sts("enforce");
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    assert.deepEqual([bad.transactions.length, good.transactions.length, good.connections], [1, 2, 1]);
  });

  it("uses no session opened under a weaker policy, even with a valid certificate; its own sessions serve all", async (t) => {
    const stage = await setStage(t);
    const peer = await stage.exchanger(MX1, { tls: GOOD });
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    stage.sts = sts("enforce");
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    assert.equal(peer.connections, 2);
    for (const policy of [null, sts("enforce")]) {
      stage.sts = policy;
      assert.equal(reasonOf(await stage.attempt()), "delivered");
    }
    assert.deepEqual([peer.connections, peer.transactions.length], [2, 4]);
  });
});

describe("mta-sts testing", () => {
  for (const [name, peer] of unfit) {
    it(`delivers to a host with ${name}, and notes that enforce would not`, async (t) => {
      const stage = await setStage(t);
      stage.sts = sts("testing");
      await stage.exchanger(MX1, peer);
      const outcome = await stage.attempt();
      assert.equal(reasonOf(outcome), "delivered");
      assert.equal(outcome.tries[0]?.policy, "mta-sts testing");
      assert.match(outcome.tries[0]?.note ?? "", /MTA-STS would forbid/);
    });
  }

  it("notes a host that the policy does not name, and nothing without a fault", async (t) => {
    const stage = await setStage(t);
    await stage.exchanger(MX1, { tls: GOOD });
    stage.sts = sts("testing");
    assert.equal((await stage.attempt()).tries[0]?.note, null);
    stage.sts = sts("testing", [MX2]);
    const outcome = await stage.attempt();
    assert.equal(reasonOf(outcome), "delivered");
    assert.match(outcome.tries[0]?.note ?? "", /does not name it/);
    stage.sts = null;
    assert.equal((await stage.attempt()).tries[0]?.note, null, "the pooled session does not carry another's note");
  });
});

describe("no policy", () => {
  for (const policy of [null, sts("none", [])]) {
    for (const [name, peer] of unfit) {
      it(`${policy === null ? "none" : "mode none"}: delivers to a host with ${name}`, async (t) => {
        const stage = await setStage(t);
        stage.sts = policy;
        await stage.exchanger(MX1, peer);
        const outcome = await stage.attempt();
        assert.deepEqual([reasonOf(outcome), outcome.tries[0]?.policy], ["delivered", "none"]);
        assert.doesNotMatch(outcome.tries[0]?.note ?? "", /MTA-STS/);
      });
    }
  }
});

const hashOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

function tlsa(usage: number, { cert }: Pick<KeyAndCertificate, "cert">): string {
  const spki = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
  return `${usage} 1 1 ${hashOf(spki)}`;
}

describe("dane", () => {
  it("delivers to the key of a TLSA record, whatever its issuer and name", async (t) => {
    const stage = await setStage(t);
    stage.dane = validating(stage);
    const certificate = selfSigned("whatever.test");
    const peer = await stage.exchanger(MX1, { tls: certificate });
    stage.publishTlsa(MX1, tlsa(3, certificate));
    const outcome = await stage.attempt();
    assert.equal(reasonOf(outcome), "delivered");
    assert.deepEqual(triesOf(outcome), [`${MX1} dane final_dot`]);
    assert.equal(outcome.tries[0]?.tls?.verified, true);
    assert.equal(peer.states[0]?.serverName, MX1);
  });

  it("delivers to a host whose certificate the named authority issued", async (t) => {
    const stage = await setStage(t);
    stage.dane = validating(stage);
    const authority = certificateAuthority("Test Other Root");
    await stage.exchanger(MX1, { tls: authority.issue(DOMAIN) });
    stage.publishTlsa(MX1, tlsa(2, authority));
    assert.equal(reasonOf(await stage.attempt()), "delivered");
  });

  it("sends nothing to another key, another authority's certificate, or without TLS", async (t) => {
    for (const [usage, peer] of [
      [3, { tls: GOOD }],
      [2, { tls: GOOD }],
      [3, {}],
      [3, { tls: GOOD, script: { starttls: () => "454 no" } }],
    ] as const) {
      const stage = await setStage(t);
      stage.dane = validating(stage);
      stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
      const refused = await stage.exchanger(MX1, peer);
      stage.publishTlsa(MX1, tlsa(usage, selfSigned(MX1)));
      const outcome = await stage.attempt();
      assert.deepEqual([outcome.type, reasonOf(outcome)], ["deferred", "tls_policy_failed"]);
      assertUnused(refused);
      assert.equal(outcome.tries[0]?.policy, "dane");
    }
  });

  it("sends nothing over TLS older than 1.2, whatever its key", async (t) => {
    const stage = await setStage(t);
    stage.dane = validating(stage);
    stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
    const old = await stage.exchanger(MX1, { tls: GOOD, tlsOptions: onlyTls("TLSv1.1") });
    for (const record of [tlsa(3, GOOD), `1 1 1 ${"ab".repeat(32)}`]) {
      stage.publishTlsa(MX1, record);
      assert.equal(reasonOf(await stage.attempt()), "tls_policy_failed", record);
      assertUnused(old);
    }
  });

  it("requires TLS of any kind when all records are unusable", async (t) => {
    const stage = await setStage(t);
    stage.dane = validating(stage);
    stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
    await stage.exchanger(MX1, { tls: selfSigned("whatever.test") });
    stage.publishTlsa(MX1, `1 1 1 ${"ab".repeat(32)}`);
    const outcome = await stage.attempt();
    assert.equal(reasonOf(outcome), "delivered");
    assert.deepEqual([outcome.tries[0]?.policy, outcome.tries[0]?.tls?.verified], ["dane", false]);
    stage.zone.set(DOMAIN, "MX", [`10 ${MX2}`]);
    const plain = await stage.exchanger(MX2, {});
    stage.publishTlsa(MX2, `0 1 1 ${"ab".repeat(32)}`);
    assert.equal(reasonOf(await stage.attempt()), "tls_policy_failed");
    assertUnused(plain);
  });

  it("skips a host whose records cannot be looked up, and defers when that is every host", async (t) => {
    const stage = await setStage(t);
    stage.dane = validating(stage);
    const first = await stage.exchanger(MX1, { tls: GOOD });
    const second = await stage.exchanger(MX2, {});
    const port = stage.parts.routing.smtpPort;
    stage.zone.fault(`_${port}._tcp.${MX1}`, "servfail");
    const outcome = await stage.attempt();
    assert.equal(reasonOf(outcome), "delivered");
    assert.deepEqual(triesOf(outcome), [`${MX1} dane dns`, `${MX2} none final_dot`]);
    stage.zone.fault(`_${port}._tcp.${MX2}`, "servfail");
    const deferred = await stage.attempt();
    assert.deepEqual([deferred.type, reasonOf(deferred)], ["deferred", "dns_trouble"]);
    assert.deepEqual([first.connections, second.transactions.length], [0, 1]);
  });

  it("requests the name that an alias points to", async (t) => {
    const stage = await setStage(t);
    stage.dane = validating(stage);
    const certificate = selfSigned("whatever.test");
    const peer = await stage.exchanger(`real.${DOMAIN}`, { tls: certificate });
    stage.zone.set(MX1, "CNAME", [`real.${DOMAIN}`]);
    stage.publishTlsa(`real.${DOMAIN}`, tlsa(3, certificate));
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    assert.equal(peer.states[0]?.serverName, `real.${DOMAIN}`);
  });

  it("overrides MTA-STS, for and against a host", async (t) => {
    const stage = await setStage(t);
    stage.dane = validating(stage);
    const certificate = selfSigned(MX1);
    await stage.exchanger(MX1, { tls: certificate });
    stage.publishTlsa(MX1, tlsa(3, certificate));
    stage.sts = sts("enforce", [MX2]);
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    stage.zone.set(DOMAIN, "MX", [`10 ${MX2}`]);
    const second = await stage.exchanger(MX2, { tls: ROOT.issue(MX2) });
    stage.publishTlsa(MX2, tlsa(3, certificate));
    assert.equal(reasonOf(await stage.attempt()), "tls_policy_failed");
    assertUnused(second);
    stage.publishTlsa(MX2, `1 1 1 ${"ab".repeat(32)}`);
    const outcome = await stage.attempt();
    assert.deepEqual([reasonOf(outcome), outcome.tries[0]?.policy], ["delivered", "mta-sts enforce"]);
  });

  it("ignores a resolver that is not trusted, and records of an unsigned zone", async (t) => {
    const stage = await setStage(t);
    await stage.exchanger(MX1, { tls: selfSigned(MX1) });
    stage.publishTlsa(MX1, tlsa(3, GOOD));
    const port = stage.zone.address.split(":")[1];
    // 0.0.0.0 reaches the zone server and is not in the loopback range.
    stage.dane = createSecureResolver({ servers: [`0.0.0.0:${port}`], trustAd: false });
    const outcome = await stage.attempt();
    assert.deepEqual([reasonOf(outcome), outcome.tries[0]?.policy], ["delivered", "none"]);

    const unsigned = await startZoneServer();
    t.after(() => unsigned.close());
    unsigned.set(DOMAIN, "MX", [`10 ${MX1}`]);
    unsigned.set(MX1, "A", ["192.0.2.1"]);
    unsigned.set(`_${stage.parts.routing.smtpPort}._tcp.${MX1}`, "TLSA", [tlsa(3, GOOD)]);
    stage.dane = createSecureResolver({ servers: [unsigned.address], trustAd: false });
    assert.equal(reasonOf(await stage.attempt()), "delivered");
  });

  it("does not override MTA-STS because of an AD bit that a forwarder on loopback passes on", async (t) => {
    const stage = await setStage(t);
    const forger = selfSigned(MX1);
    const forged = await startZoneServer({ host: "127.0.0.11", authenticated: [DOMAIN] });
    t.after(() => forged.close());
    const peer = await stage.exchanger(MX1, { tls: forger });
    stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
    forged.set(DOMAIN, "MX", [`10 ${MX1}`]);
    forged.set(MX1, "A", [peer.host]);
    forged.set(`_${stage.parts.routing.smtpPort}._tcp.${MX1}`, "TLSA", [tlsa(3, forger)]);
    stage.dane = createSecureResolver({ servers: [forged.address], trustAd: false });
    stage.sts = sts("enforce");
    const outcome = await stage.attempt();
    assert.deepEqual([reasonOf(outcome), outcome.tries[0]?.policy], ["tls_policy_failed", "mta-sts enforce"]);
    assertUnused(peer);
  });

  it("uses no host when signed MX records cannot be looked up, or do not name it", async (t) => {
    const stage = await setStage(t);
    const peer = await stage.exchanger(MX1, { tls: GOOD });
    const signed = await startZoneServer({ authenticated: [DOMAIN] });
    t.after(() => signed.close());
    stage.dane = createSecureResolver({ servers: [signed.address], trustAd: false });
    signed.fault(DOMAIN, "servfail");
    assert.equal(reasonOf(await stage.attempt()), "dns_trouble");
    signed.fault(DOMAIN, null);
    signed.set(DOMAIN, "MX", ["10 mx.true.example"]);
    assert.equal(reasonOf(await stage.attempt()), "dns_trouble");
    assert.equal(peer.connections, 0);
  });
});

describe("an operator's rule", () => {
  const setRule = (stage: Stage): ((rule: TlsRule) => void) => {
    const rules = new OperatorRules(new Map());
    stage.policiesOf = rules.appliedTo(stage.policiesOf);
    return (rule) => rules.set(new Map([[DOMAIN, rule]]));
  };

  it("require delivers over TLS with a certificate that is valid for the host, and records it", async (t) => {
    const stage = await setStage(t);
    setRule(stage)("require");
    const peer = await stage.exchanger(MX1, { tls: GOOD });
    const outcome = await stage.attempt();
    assert.deepEqual([reasonOf(outcome), triesOf(outcome)], ["delivered", [`${MX1} operator require final_dot`]]);
    assert.equal(outcome.tries[0]?.tls?.verified, true);
    assert.equal(peer.transactions[0]?.secure, true);
  });

  for (const [name, peer] of unfit) {
    it(`require sends nothing to a host with ${name}`, async (t) => {
      const stage = await setStage(t);
      setRule(stage)("require");
      stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
      const refused = await stage.exchanger(MX1, peer);
      assert.equal(reasonOf(await stage.attempt()), "tls_policy_failed");
      assertUnused(refused);
      assert.equal(refused.connections, 1, "no second, plain connection");
    });
  }

  it("encrypt sends nothing in plain text to a host whose TLS broke in earlier attempts", async (t) => {
    const stage = await setStage(t);
    const rule = setRule(stage);
    stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
    const peer = await stage.exchanger(MX1, { tls: GOOD, script: { starttls: () => "454 4.7.0 not now" } });
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    rule("encrypt");
    assert.equal(reasonOf(await stage.attempt()), "tls_policy_failed");
    assert.equal(peer.transactions.length, 1, "the one without a rule");
    rule("default");
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    assert.equal(peer.transactions[1]?.secure, false);
  });

  it("uses a pooled session only if the rule would have opened it", async (t) => {
    const stage = await setStage(t);
    const rule = setRule(stage);
    stage.zone.set(DOMAIN, "MX", [`10 ${MX1}`]);
    const peer = await stage.exchanger(MX1, { tls: selfSigned(MX1) });
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    rule("encrypt");
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    assert.equal(peer.connections, 2, "the first session was opened without a rule");
    rule("require");
    assert.equal(reasonOf(await stage.attempt()), "tls_policy_failed");
    assert.deepEqual([peer.connections, peer.transactions.length], [3, 2]);
    rule("encrypt");
    assert.equal(reasonOf(await stage.attempt()), "delivered");
    assert.deepEqual([peer.connections, peer.transactions.length], [3, 3], "its own session serves again");
  });
});

it("enforces a policy that was fetched before a restart, with DNS and HTTPS gone", async (t) => {
  const stage = await setStage(t);
  const host = await startStsHost(t);
  stage.zone.set(`_mta-sts.${DOMAIN}`, "TXT", ["v=STSv1; id=1;"]);
  stage.zone.set(`mta-sts.${DOMAIN}`, "A", [host.address]);
  host.answer = stsFile("enforce", [MX1]);
  const dataDir = tempDir(t);
  const rulingFrom = async (): Promise<PolicyLookup> => {
    const onFatal = (error: Error): void => {
      throw error;
    };
    const spool = await openSqliteSpool({ dataDir, role: "client", onFatal });
    t.after(() => spool.close());
    const { resolver } = stage.parts.routing;
    const { port, authority } = host;
    const web = { resolver, clock: systemClock, log: silentLog, allowPrivate: true, port, ca: authority.cert };
    const policies = new StsPolicies({ spool, ...web });
    return createPolicies({ sts: policies, dane: null, clock: systemClock });
  };
  await stage.exchanger(MX1, { tls: GOOD });
  stage.policiesOf = await rulingFrom();
  const before = await stage.attempt();
  assert.deepEqual([reasonOf(before), before.tries[0]?.policy], ["delivered", "mta-sts enforce"]);
  assert.equal(host.requests.length, 1);

  await host.stop();
  stage.zone.fault(`_mta-sts.${DOMAIN}`, "silent");
  const impostor = await stage.exchanger(MX1, { tls: selfSigned(MX1) });
  stage.policiesOf = await rulingFrom();
  assert.equal((await stage.attempt()).tries[0]?.policy, "mta-sts enforce");
  assertUnused(impostor);
});

/** How long a message waits for an MTA-STS policy while DNS or the policy host is slow, and what happens beside it. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { it, type TestContext } from "node:test";
import { type StsLookup, StsPolicies } from "../../../src/delivery/tls/mta-sts.ts";
import type { DnsAnswer } from "../../../src/dns/resolver.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import type { StsPolicy } from "../../../src/spool/port/sts-policies.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";
import { fakeResolver } from "../../support/fake-resolver.ts";
import { startStsHost, stsFile } from "../../support/sts-host.ts";

const DOMAIN = "customers.example";
const MINUTE_MS = 60_000;
const RECORDS: DnsAnswer<string> = { type: "found", records: ["v=STSv1; id=1;"] };

/** A policy host and a DNS server for TXT that answer when the test has them do so. */
async function setStage(t: TestContext) {
  const host = await startStsHost(t);
  const clock = fakeClock();
  const pending: ServerResponse[] = [];
  let onRequest = (): void => {};
  host.answer = (_, response) => {
    pending.push(response);
    onRequest();
  };
  const zone = { [`mta-sts.${DOMAIN}`]: { A: [host.address] } };
  const dns = { asked: 0, answer: Promise.resolve(RECORDS) };
  const txt = () => {
    dns.asked += 1;
    return dns.answer;
  };
  const stored = new Map<string, StsPolicy>();
  const spool: Partial<Spool> = {
    stsPolicy: async (domain) => stored.get(domain) ?? null,
    beginStsFetch: async () => "begun",
    failStsFetch: async () => {},
    storeStsPolicy: async (policy) => void stored.set(policy.domain, policy),
  };
  const policies = new StsPolicies({
    spool: spool as Spool,
    resolver: { ...fakeResolver(zone), txt },
    clock,
    log: silentLog,
    allowPrivate: true,
    port: host.port,
    ca: host.authority.cert,
  });
  const requested = () =>
    new Promise<void>((resolve) => {
      onRequest = resolve;
    });
  /** Waits as a message does; `text()` is the policy that it is delivered under, "waiting" before that. */
  const message = (limitMs?: number) => {
    let text = "waiting";
    const inWords = ({ policy }: StsLookup) => (policy === null ? "none" : `${policy.mode} ${policy.id}`);
    const waited = policies.lookUp(DOMAIN).then(async (lookup) => {
      await lookup.wait(limitMs);
      text = inWords(lookup);
      return lookup;
    });
    return { text: () => text, waited };
  };
  /** The policy host answers, and the look-up ends. */
  const respond = async (text: string) => {
    const lookup = await policies.lookUp(DOMAIN);
    for (const response of pending.splice(0)) response.end(text);
    await lookup.ended;
  };
  return { host, clock, dns, stored, policies, pending, requested, message, respond };
}

it("waits five seconds for a host that hangs; the fetch continues, and later messages have its policy", async (t) => {
  const { host, clock, requested, message, respond } = await setStage(t);
  const reached = requested();
  const first = message();
  await reached;
  await clock.advance(3000);
  const second = message();
  await clock.advance(1999);
  assert.deepEqual([first.text(), second.text()], ["waiting", "waiting"]);
  await clock.advance(1);
  assert.deepEqual([first.text(), second.text()], ["none", "none"], "messages share the fetch and its five seconds");
  await clock.advance(30_000);
  const third = message();
  await quiet();
  assert.equal(third.text(), "none", "no message waits for a fetch that has taken longer");
  await respond(stsFile("enforce", ["mx.customers.example"]));
  const fourth = message();
  await fourth.waited;
  assert.equal(fourth.text(), "enforce 1");
  assert.equal((await first.waited).policy?.id, "1", "a delivery that has not reached a host applies it too");
  assert.equal(host.requests.length, 1);
});

it("waits no longer than the message's own limit", async (t) => {
  const { clock, requested, message } = await setStage(t);
  const reached = requested();
  const [urgent, other] = [message(800), message()];
  await reached;
  await clock.advance(800);
  assert.deepEqual([urgent.text(), other.text()], ["none", "waiting"]);
});

it("counts the look-up in DNS, and does not repeat one that fails after five seconds for five minutes", async (t) => {
  const { clock, dns, message } = await setStage(t);
  let fail = (_: DnsAnswer<string>): void => {};
  dns.answer = new Promise((resolve) => {
    fail = resolve;
  });
  const first = message();
  await clock.advance(5000);
  assert.equal(first.text(), "none");
  await clock.advance(25_000);
  fail({ type: "failure", code: "ETIMEOUT" });
  await clock.advance(5 * MINUTE_MS - 1);
  const second = message();
  await quiet();
  assert.deepEqual([second.text(), dns.asked], ["none", 1]);
  dns.answer = new Promise(() => {});
  await clock.advance(1);
  const third = message();
  await quiet();
  assert.deepEqual([third.text(), dns.asked], ["waiting", 2]);
});

it("never waits with a policy in force: a new one is fetched beside the delivery", async (t) => {
  const { clock, dns, stored, requested, message, respond } = await setStage(t);
  const [fetchedAtMs, expiresAtMs] = [clock.now(), clock.now() + 7 * 24 * 60 * MINUTE_MS];
  stored.set(DOMAIN, { domain: DOMAIN, id: "0", mode: "enforce", mx: ["mx.example"], fetchedAtMs, expiresAtMs });
  const reached = requested();
  const first = message();
  await quiet();
  assert.equal(first.text(), "enforce 0");
  await reached;
  await respond(stsFile("testing", ["mx.customers.example"]));
  assert.equal(stored.get(DOMAIN)?.id, "1");
  dns.answer = new Promise(() => {});
  const second = message();
  await quiet();
  assert.equal(second.text(), "testing 1");
});

it("does not repeat a fetch that failed after its messages had left", async (t) => {
  const { host, clock, requested, message } = await setStage(t);
  const reached = requested();
  const first = message();
  await reached;
  await clock.advance(MINUTE_MS);
  assert.equal(first.text(), "none");
  const second = message();
  await quiet();
  assert.deepEqual([second.text(), host.requests.length], ["none", 1]);
});

/** MTA-STS policies with real HTTPS and a real spool: which policy is in force when, and which files are invalid. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { namesHost, type StsParts, StsPolicies } from "../../../src/delivery/tls/mta-sts.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import type { StsPolicy } from "../../../src/spool/port/sts-policies.ts";
import { type FakeClock, fakeClock } from "../../support/fake-clock.ts";
import { type FakeResolver, type FakeZone, fakeResolver } from "../../support/fake-resolver.ts";
import { selfSigned } from "../../support/self-signed.ts";
import { type StsHost, startStsHost, stsFile } from "../../support/sts-host.ts";
import { tempDir } from "../../support/temp-dir.ts";

const DOMAIN = "customers.example";
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const ENFORCE = stsFile("enforce", ["mx.customers.example", "*.backup.example"]);

interface Stage {
  host: StsHost;
  zone: FakeZone;
  resolver: FakeResolver;
  clock: FakeClock;
  spool: Spool;
  dataDir: string;
  policies: StsPolicies;
  parts: StsParts;
  /** What holds now: mode and id, or none. */
  held(): Promise<string>;
  publish(id: string, file?: string): void;
}

async function setStage(t: TestContext, options: Partial<StsParts> = {}): Promise<Stage> {
  const host = await startStsHost(t);
  const zone: FakeZone = { [`mta-sts.${DOMAIN}`]: { A: [host.address] } };
  const [resolver, clock, dataDir] = [fakeResolver(zone), fakeClock(), tempDir(t)];
  const spool = await openSpool(t, dataDir);
  const { port, authority } = host;
  const parts: StsParts = {
    spool,
    resolver,
    clock,
    log: silentLog,
    allowPrivate: true,
    port,
    ca: authority.cert,
    ...options,
  };
  const policies = new StsPolicies(parts);
  const publish = (id: string, file?: string): void => {
    zone[`_mta-sts.${DOMAIN}`] = { TXT: [`v=STSv1; id=${id};`] };
    if (file !== undefined) host.answer = file;
  };
  const held = () => inWords(policies);
  return { host, zone, resolver, clock, spool, dataDir, policies, parts, held, publish };
}

async function openSpool(t: TestContext, dataDir: string): Promise<Spool> {
  const onFatal = (error: Error): void => {
    throw error;
  };
  const spool = await openSqliteSpool({ dataDir, role: "client", onFatal });
  t.after(() => spool.close());
  return spool;
}

/** The policy after DNS and the policy host have answered. */
async function policyOf(policies: StsPolicies): Promise<StsPolicy | null> {
  const lookup = await policies.lookUp(DOMAIN);
  await lookup.ended;
  return lookup.policy;
}

async function inWords(policies: StsPolicies): Promise<string> {
  const policy = await policyOf(policies);
  return policy === null ? "none" : `${policy.mode} ${policy.id}`;
}

it("fetches the policy that DNS announces, from the host that RFC 8461 names", async (t) => {
  const { policies, host, clock, publish } = await setStage(t);
  publish("20240101", ENFORCE);
  assert.deepEqual(await policyOf(policies), {
    domain: DOMAIN,
    id: "20240101",
    mode: "enforce",
    mx: ["mx.customers.example", "*.backup.example"],
    fetchedAtMs: clock.now(),
    expiresAtMs: clock.now() + DAY_MS,
  });
  assert.deepEqual(host.requests, [`mta-sts.${DOMAIN}/.well-known/mta-sts.txt`]);
});

it("fetches nothing for a domain without a record", async (t) => {
  const { held, host, zone } = await setStage(t);
  host.answer = ENFORCE;
  assert.equal(await held(), "none");
  const records = [
    ["v=spf1 -all"],
    ["v=STSv1;"],
    ["v=STSv1; id=;"],
    ["v=STSv1; id=not-alphanumeric;"],
    [`v=STSv1; id=${"1".repeat(33)};`],
    ["v=STSv2; id=1;"],
    ["v=STSv1; id=1;", "v=STSv1; id=2;"],
  ];
  for (const TXT of records) {
    zone[`_mta-sts.${DOMAIN}`] = { TXT };
    assert.equal(await held(), "none", TXT.join(" | "));
  }
  assert.equal(host.requests.length, 0);
});

it("fetches again only for a new id", async (t) => {
  const { held, host, publish } = await setStage(t);
  publish("1", ENFORCE);
  assert.equal(await held(), "enforce 1");
  publish("1", stsFile("testing", ["mx.customers.example"]));
  assert.equal(await held(), "enforce 1");
  assert.equal(host.requests.length, 1);
  publish("2");
  assert.equal(await held(), "testing 2");
  publish("3", stsFile("none", []));
  assert.equal(await held(), "none 3");
  assert.equal(host.requests.length, 3);
});

it("keeps a policy while DNS and HTTPS fail, across a restart, until max_age is over", async (t) => {
  const { held, host, zone, clock, publish, parts, dataDir } = await setStage(t);
  publish("1", ENFORCE);
  assert.equal(await held(), "enforce 1");
  await host.stop();
  zone[`_mta-sts.${DOMAIN}`] = { TXT: { failure: "ETIMEOUT" } };
  assert.equal(await held(), "enforce 1");
  delete zone[`_mta-sts.${DOMAIN}`];
  assert.equal(await held(), "enforce 1");
  publish("2");
  assert.equal(await held(), "enforce 1", "the new policy cannot be fetched");

  const restarted = new StsPolicies({ ...parts, spool: await openSpool(t, dataDir) });
  zone[`_mta-sts.${DOMAIN}`] = { TXT: { failure: "ESERVFAIL" } };
  await clock.advance(DAY_MS - 1 - (clock.now() - 1_000_000));
  assert.equal(await inWords(restarted), "enforce 1");
  await clock.advance(1);
  assert.equal(await inWords(restarted), "none");
});

it("renews a policy that was fetched while the clock was ahead, and keeps it no longer than twice its max_age", async (t) => {
  const { held, host, clock, zone, publish } = await setStage(t);
  publish("1", ENFORCE);
  await held();
  clock.step(-DAY_MS);
  assert.equal(await held(), "enforce 1");
  assert.equal(host.requests.length, 2, "its date says nothing");
  delete zone[`_mta-sts.${DOMAIN}`];
  assert.equal(await held(), "enforce 1");
  clock.step(-DAY_MS);
  assert.equal(await held(), "enforce 1");
  clock.step(-1);
  assert.equal(await held(), "none");
});

it("retries a fetch in time, even after the clock was set back", async (t) => {
  const { held, host, clock, publish } = await setStage(t);
  publish("1", "no policy");
  await held();
  clock.step(-DAY_MS);
  await clock.advance(5 * MINUTE_MS - 1);
  await held();
  assert.equal(host.requests.length, 1);
  await clock.advance(1);
  await held();
  assert.equal(host.requests.length, 2);
});

it("renews a policy daily, so that it does not expire under the same id", async (t) => {
  const { policies, held, host, clock, publish } = await setStage(t);
  publish("1", stsFile("enforce", ["mx.customers.example"], 7 * 86_400));
  await held();
  await clock.advance(DAY_MS - 1);
  await held();
  assert.equal(host.requests.length, 1);
  await clock.advance(1);
  const renewed = await policyOf(policies);
  assert.equal(host.requests.length, 2);
  assert.equal(renewed?.expiresAtMs, clock.now() + 7 * DAY_MS);
});

it("does not repeat a failed fetch for five minutes", async (t) => {
  const { held, host, clock, publish } = await setStage(t);
  publish("1", "no policy");
  assert.equal(await held(), "none");
  publish("1", ENFORCE);
  await clock.advance(5 * MINUTE_MS - 1);
  assert.equal(await held(), "none");
  assert.equal(host.requests.length, 1);
  await clock.advance(1);
  assert.equal(await held(), "enforce 1");
});

it("shares one fetch among concurrent calls", async (t) => {
  const { host, policies, publish } = await setStage(t);
  publish("1", ENFORCE);
  const found = await Promise.all(Array.from({ length: 50 }, () => policyOf(policies)));
  assert.ok(found.every((policy) => policy?.id === "1"));
  assert.equal(host.requests.length, 1);
});

it("waits no longer than the limit for an endless body or a silent server", async (t) => {
  const { held, host, clock, publish } = await setStage(t, { limitMs: 1000 });
  for (const start of [true, false]) {
    publish("1");
    const reached = new Promise<void>((resolve) => {
      host.answer = (_, response) => {
        if (start) response.write("version: STSv1\n");
        resolve();
      };
    });
    const asked = held();
    await reached;
    await clock.advance(1000);
    assert.equal(await asked, "none");
    await clock.advance(5 * MINUTE_MS);
  }
});

const notTheFile: [name: string, prepare: (stage: Stage) => void][] = [
  [
    "a redirect, which is not followed",
    ({ host }) => {
      host.answer = (request, response) => {
        if (request.url === "/there") return response.end(ENFORCE);
        return response.writeHead(301, { Location: "/there" }).end();
      };
    },
  ],
  [
    "an error with a policy as its body",
    ({ host }) => {
      host.answer = (_, response) => response.writeHead(404).end(ENFORCE);
    },
  ],
  [
    "another media type",
    ({ host }) => {
      host.answer = (_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end(ENFORCE);
    },
  ],
  [
    "more than 64 KiB",
    ({ host }) => {
      host.answer = `${ENFORCE}${"x: y\r\n".repeat(11_000)}`;
    },
  ],
  [
    "a certificate for another name",
    ({ host }) => {
      host.certificate = host.authority.issue("other.example");
    },
  ],
  [
    "an expired certificate",
    ({ host }) => {
      const untilMs = Date.now() - DAY_MS;
      host.certificate = host.authority.issue(`mta-sts.${DOMAIN}`, { fromMs: untilMs - DAY_MS, untilMs });
    },
  ],
  [
    "an untrusted certificate",
    ({ host }) => {
      host.certificate = selfSigned(`mta-sts.${DOMAIN}`);
    },
  ],
  [
    "no address",
    ({ zone }) => {
      delete zone[`mta-sts.${DOMAIN}`];
    },
  ],
  [
    "a policy without its version",
    ({ host }) => {
      host.answer = ENFORCE.replace("STSv1", "STSv9");
    },
  ],
  [
    "a policy without max_age",
    ({ host }) => {
      host.answer = ENFORCE.replace(/max_age.*/, "");
    },
  ],
  [
    "a policy without a host",
    ({ host }) => {
      host.answer = ENFORCE.replace(/mx: .*\r\n/g, "");
    },
  ],
];

for (const [name, prepare] of notTheFile) {
  it(`rejects as a policy: ${name}`, async (t) => {
    const stage = await setStage(t);
    stage.publish("1", ENFORCE);
    prepare(stage);
    assert.equal(await stage.held(), "none");
    assert.ok(stage.host.requests.every((request) => !request.includes("/there")));
  });
}

it("connects to private addresses only when that is allowed", async (t) => {
  const { held, host, publish } = await setStage(t, { allowPrivate: false });
  publish("1", ENFORCE);
  assert.equal(await held(), "none");
  assert.equal(host.requests.length, 0);
});

it("accepts a file with other line ends and an unknown field, and uses the first of repeated fields", async (t) => {
  const { policies, publish } = await setStage(t);
  publish(
    "1",
    "version: STSv1\nmode: enforce\nmode: none\nfoo: bar\nmx: A.example\nmx: b.example\nmax_age: 60\nmax_age: 0\n",
  );
  const policy = await policyOf(policies);
  assert.deepEqual([policy?.mode, policy?.mx], ["enforce", ["a.example", "b.example"]]);
  assert.equal((policy?.expiresAtMs ?? 0) - (policy?.fetchedAtMs ?? 0), 60_000);
});

it("matches hosts exactly, and * with one label only", () => {
  const policy = { mx: ["mx.customers.example", "*.backup.example"] } as StsPolicy;
  const named = ["mx.customers.example", "a.backup.example", "xn--bcher-kva.backup.example"];
  const unnamed = ["customers.example", "mx2.customers.example", "a.b.backup.example", "backup.example", "example", ""];
  for (const host of named) assert.equal(namesHost(policy, host), true, host);
  for (const host of unnamed) assert.equal(namesHost(policy, host), false, host);
});

interface OthersFetches {
  /** What the spool replies to the begin of a fetch, one after the other; the last one from then on. */
  begun: (Awaited<ReturnType<Spool["beginStsFetch"]>> | Error)[];
}

/** As other processes leave it in a spool that several share. */
function othersFetches({ begun }: OthersFetches) {
  const calls: { begun: number; failedForMs: number[] } = { begun: 0, failedForMs: [] };
  return {
    calls,
    async beginStsFetch() {
      const reply = begun[Math.min(calls.begun, begun.length - 1)] ?? assert.fail();
      calls.begun += 1;
      if (reply instanceof Error) throw reply;
      return reply;
    },
    async failStsFetch(_domain: string, forMs: number) {
      calls.failedForMs.push(forMs);
    },
  };
}

/** A stage whose spool has these replies. */
async function setSharedStage(t: TestContext, begun: OthersFetches["begun"]) {
  const stage = await setStage(t);
  const { spool, parts, clock } = stage;
  const { calls, ...fetches } = othersFetches({ begun });
  const policies = new StsPolicies({ ...parts, spool: Object.assign(Object.create(spool), fetches) });
  /** Another process stores a policy. */
  const storeOther = (id: string, ageMs = 0) => {
    const fetchedAtMs = clock.now() - ageMs;
    const times = { fetchedAtMs, expiresAtMs: fetchedAtMs + 7 * DAY_MS };
    return spool.storeStsPolicy({ domain: DOMAIN, id, mode: "testing", mx: ["mx.customers.example"], ...times });
  };
  return { ...stage, calls, storeOther, held: () => inWords(policies) };
}

it("waits for the policy that another process fetches", async (t) => {
  const { held, calls, host, clock, publish, storeOther } = await setSharedStage(t, ["under_way"]);
  publish("1", ENFORCE);
  const asked = held();
  await clock.advance(1000);
  assert.ok(calls.begun > 1);
  await storeOther("1");
  await clock.advance(250);
  assert.equal(await asked, "testing 1");
  assert.equal(host.requests.length, 0);
});

it("uses the policy in force while another process fetches the next one", async (t) => {
  const { held, host, publish, storeOther } = await setSharedStage(t, ["under_way"]);
  await storeOther("0");
  publish("1", ENFORCE);
  assert.equal(await held(), "testing 0");
  assert.equal(host.requests.length, 0);
});

it("fetches the policy itself when the process that fetched it has died", async (t) => {
  const { held, clock, host, publish } = await setSharedStage(t, ["under_way", "begun"]);
  publish("1", ENFORCE);
  const asked = held();
  await clock.advance(250);
  assert.equal(await asked, "enforce 1");
  assert.equal(host.requests.length, 1);
});

it("does not fetch a policy that another process has stored since it was read", async (t) => {
  const { held, host, publish, spool, storeOther } = await setSharedStage(t, ["begun"]);
  await storeOther("1", DAY_MS);
  publish("1", ENFORCE);
  const read = spool.stsPolicy.bind(spool);
  spool.stsPolicy = async (domain) => {
    spool.stsPolicy = read;
    const stored = await read(domain);
    await storeOther("1");
    return stored;
  };
  assert.equal(await held(), "testing 1");
  assert.equal(host.requests.length, 0);
});

it("does not repeat a fetch that has failed at another process, and reports its own failures", async (t) => {
  const { held, calls, clock, host, publish } = await setSharedStage(t, ["failed", "begun"]);
  publish("1", "no policy");
  assert.equal(await held(), "none");
  await clock.advance(5 * MINUTE_MS - 1);
  assert.equal(await held(), "none");
  assert.deepEqual([calls.begun, host.requests.length], [1, 0]);
  await clock.advance(1);
  assert.equal(await held(), "none");
  assert.deepEqual([host.requests.length, calls.failedForMs], [1, [5 * MINUTE_MS]]);
});

it("fetches a policy although the spool cannot store that it does", async (t) => {
  const { held, publish } = await setSharedStage(t, [new SpoolUnavailable("read-only")]);
  publish("1", ENFORCE);
  assert.equal(await held(), "enforce 1");
});

it("a policy that the spool does not store is in force all the same until its max_age is over, and is stored later", async (t) => {
  const { parts, spool, host, zone, clock, publish } = await setStage(t);
  const [fetchedAtMs, expiresAtMs] = [clock.now(), clock.now() + DAY_MS];
  await spool.storeStsPolicy({ domain: DOMAIN, id: "0", mode: "none", mx: [], fetchedAtMs, expiresAtMs });
  let isBroken = true;
  const storeStsPolicy: Spool["storeStsPolicy"] = async (policy) => {
    if (isBroken) throw new SpoolUnavailable("database disk image is malformed");
    await spool.storeStsPolicy(policy);
  };
  const stsPolicy: Spool["stsPolicy"] = (domain) => spool.stsPolicy(domain);
  const { beginStsFetch, failStsFetch } = othersFetches({ begun: ["begun"] });
  const policies = new StsPolicies({ ...parts, spool: { stsPolicy, storeStsPolicy, beginStsFetch, failStsFetch } });
  publish("1", ENFORCE);
  assert.equal(await inWords(policies), "enforce 1");
  await host.stop();
  zone[`_mta-sts.${DOMAIN}`] = { TXT: { failure: "ETIMEOUT" } };
  assert.equal(await inWords(policies), "enforce 1", "not the older one that is stored");
  assert.equal((await spool.stsPolicy(DOMAIN))?.id, "0");
  isBroken = false;
  assert.equal(await inWords(policies), "enforce 1");
  assert.equal((await spool.stsPolicy(DOMAIN))?.id, "1");
  await clock.advance(DAY_MS);
  assert.equal(await inWords(policies), "none");
});

it("rejects when the spool cannot be read, rather than sending without a policy", async (t) => {
  const { policies, spool, publish } = await setStage(t);
  publish("1", ENFORCE);
  await spool.close();
  await assert.rejects(policies.lookUp(DOMAIN));
});

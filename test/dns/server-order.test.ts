/** The order of DNS servers, the answers after which the next one is queried, and the cost of a failing one. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import * as packet from "dns-packet";
import { createSecureResolver } from "../../src/dns/secure-resolver.ts";
import { queryServers, ServerOrder } from "../../src/dns/server-order.ts";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { startZoneServer, type ZoneFault, type ZoneServer } from "../../src/testing/zone-server.ts";

const RECORDS = [
  { name: "mail.test", type: "MX" as const, values: ["10 mx.mail.test"] },
  { name: "host.test", type: "A" as const, values: ["192.0.2.1"] },
];

async function startZone(t: TestContext): Promise<ZoneServer> {
  const zone = await startZoneServer({ records: RECORDS });
  t.after(() => zone.close());
  return zone;
}

/** A closed UDP port, which answers with ICMP port unreachable. */
async function closedPort(): Promise<string> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  await new Promise<void>((closed) => socket.close(closed));
  return `127.0.0.1:${port}`;
}

/** A UDP-only server that truncates every answer. */
async function startTruncating(t: TestContext): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (bytes, peer) => {
    const { id = 0, questions = [] } = packet.decode(bytes);
    const reply = packet.encode({ type: "response", id, flags: packet.TRUNCATED_RESPONSE, questions });
    socket.send(reply, peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

/** With what the client waits for a reply of each. */
const FAULTS: [fault: ZoneFault, timeoutMs: number | undefined][] = [
  ["servfail", undefined],
  ["refused", undefined],
  ["notimp", undefined],
  ["formerr", undefined],
  ["silent", 300],
  ["malformed", 300],
  ["mismatched", 300],
  ["truncate_silent", 300],
];

/** For servers that answer. */
const PATIENT_MS = 10_000;

const RESOLVERS = {
  "the resolver": (servers: string[], timeoutMs = PATIENT_MS) => createResolver({ servers, timeoutMs, tries: 1 }),
  "the secure resolver": (servers: string[], timeoutMs = PATIENT_MS) =>
    createSecureResolver({ servers, trustAd: false, timeoutMs }),
};

for (const [name, resolverAt] of Object.entries(RESOLVERS)) {
  describe(name, () => {
    for (const [fault, timeoutMs] of FAULTS) {
      it(`queries the next server where the first is ${fault}, and fails where all are`, async (t) => {
        const [broken, good] = [await startZone(t), await startZone(t)];
        broken.fault("*", fault);
        const resolver = resolverAt([broken.address, good.address], timeoutMs);
        for (let count = 0; count < 3; count += 1) assert.equal((await resolver.mx("mail.test")).type, "found");
        assert.equal((await resolver.mx("absent.test")).type, "nxdomain");
        good.fault("*", fault);
        assert.equal((await resolver.mx("mail.test")).type, "failure");
      });
    }

    it("queries the next server where the first is unreachable", async (t) => {
      const good = await startZone(t);
      const resolver = resolverAt([await closedPort(), good.address]);
      assert.equal((await resolver.mx("mail.test")).type, "found");
      assert.equal((await resolverAt([await closedPort(), await closedPort()]).mx("mail.test")).type, "failure");
    });

    it("queries the next server where the first truncates and does not accept TCP", async (t) => {
      const good = await startZone(t);
      const resolver = resolverAt([await startTruncating(t), good.address]);
      assert.equal((await resolver.mx("mail.test")).type, "found");
    });

    it("accepts NXDOMAIN and NODATA as answers and does not query the next server", async (t) => {
      const [first, second] = [await startZone(t), await startZone(t)];
      second.set("absent.test", "MX", ["10 mx.mail.test"]);
      second.set("host.test", "MX", ["10 mx.mail.test"]);
      const resolver = resolverAt([first.address, second.address]);
      assert.equal((await resolver.mx("absent.test")).type, "nxdomain");
      assert.equal((await resolver.mx("host.test")).type, "nodata");
      assert.deepEqual(second.queries, []);
    });

    it("queries a failing server twice, then the others first", async (t) => {
      const [broken, good] = [await startZone(t), await startZone(t)];
      broken.fault("*", "refused");
      const resolver = resolverAt([broken.address, good.address]);
      for (let count = 0; count < 10; count += 1) assert.equal((await resolver.mx("mail.test")).type, "found");
      assert.equal(broken.queries.length, 2);
      good.fault("*", "servfail");
      broken.fault("*", null);
      assert.equal((await resolver.mx("mail.test")).type, "found", "a demoted server is still queried last");
    });
  });
}

describe("the system's servers", () => {
  it("are queried in order, and read again when none has an answer", async (t) => {
    const [broken, good] = [await startZone(t), await startZone(t)];
    broken.fault("*", "refused");
    let servers = [broken.address];
    const resolver = createResolver({ servers: [], timeoutMs: PATIENT_MS, tries: 1, readSystem: () => servers });
    assert.deepEqual(await resolver.mx("mail.test"), { type: "failure", code: "EREFUSED" });
    servers = [broken.address, good.address];
    assert.deepEqual(await resolver.mx("mail.test"), { type: "failure", code: "EREFUSED" });
    assert.equal((await resolver.mx("mail.test")).type, "found");
  });
});

describe("the order of servers", () => {
  it("demotes a server after two consecutive failures, for half a minute", () => {
    let nowMs = 0;
    const order = new ServerOrder(["a", "b", "c"], () => nowMs);
    order.recordFailure("a");
    assert.deepEqual(order.ranked(), ["a", "b", "c"]);
    order.recordAnswer("a");
    order.recordFailure("a");
    assert.deepEqual(order.ranked(), ["a", "b", "c"], "an answer between two failures resets the count");
    order.recordFailure("a");
    assert.deepEqual(order.ranked(), ["b", "c", "a"]);
    nowMs = 29_999;
    assert.deepEqual(order.ranked(), ["b", "c", "a"]);
    nowMs = 30_000;
    assert.deepEqual(order.ranked(), ["a", "b", "c"], "one lookup probes it");
    assert.deepEqual(order.ranked(), ["b", "c", "a"], "and concurrent lookups do not wait for it");
    order.recordAnswer("a");
    assert.deepEqual(order.ranked(), ["a", "b", "c"]);
  });

  it("is the configured order where all fail", () => {
    const order = new ServerOrder(["a", "b"], () => 0);
    for (const server of ["b", "b", "a", "a"]) order.recordFailure(server);
    assert.deepEqual(order.ranked(), ["a", "b"]);
  });
});

describe("a query to several servers", () => {
  const failure = (code: string) => ({ type: "failure" as const, code });
  const endsMs = () => performance.now() + 60_000;

  it("is repeated only for silent servers", async () => {
    const asked: string[] = [];
    const ask = async (server: string) => {
      asked.push(server);
      return failure(server === "silent" ? "ETIMEOUT" : "ESERVFAIL");
    };
    const order = new ServerOrder(["broken", "silent"]);
    assert.deepEqual(await queryServers({ order, rounds: 3, endsMs: endsMs(), query: ask }), failure("ESERVFAIL"));
    assert.deepEqual(asked, ["broken", "silent", "silent", "silent"]);
  });

  it("ends at its time limit, however many servers are left", async () => {
    const asked: string[] = [];
    const soonMs = performance.now() + 5;
    const ask = async (server: string) => {
      asked.push(server);
      while (performance.now() < soonMs) await delay(5);
      return failure("ETIMEOUT");
    };
    const order = new ServerOrder(["a", "b", "c"]);
    assert.deepEqual(await queryServers({ order, rounds: 3, endsMs: soonMs, query: ask }), failure("ETIMEOUT"));
    assert.deepEqual(asked, ["a"]);
  });

  it("ends at once when it is cancelled", async () => {
    const order = new ServerOrder(["a", "b"]);
    const ask = async (server: string) => failure(server === "a" ? "ECANCELLED" : "ESERVFAIL");
    assert.deepEqual(await queryServers({ order, rounds: 2, endsMs: endsMs(), query: ask }), failure("ECANCELLED"));
  });
});

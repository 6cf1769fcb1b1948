/** Signals between nodes: heard by the others and not by the sender, few in number, and replaced by polling while cut off. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { silentLog } from "../../../../../src/lib/log.ts";
import { type Names, SIGNAL_KINDS } from "../../../../../src/spool/engine/postgres/cluster/signal-batch.ts";
import { Signals } from "../../../../../src/spool/engine/postgres/cluster/signals.ts";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { parseDatabaseUrl } from "../../../../../src/spool/engine/postgres/connection/database-url.ts";
import { statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { type FakeClock, fakeClock, quiet } from "../../../../support/fake-clock.ts";
import { until } from "../../../../support/peers.ts";
import { emptyDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { startProxy } from "../../../../support/postgres/proxy.ts";

type Heard = [kind: string, names: Names];

const ALL: Heard[] = SIGNAL_KINDS.map((kind) => [kind, "any"]);

interface Peer {
  signals: Signals;
  clock: FakeClock;
  /** All calls of the listeners so far. */
  heard: Heard[];
  /** Resolves at the next call of a listener. */
  next(): Promise<unknown>;
}

function peer(t: TestContext, url: string): Peer {
  const clock = fakeClock();
  const signals = new Signals({ config: parseDatabaseUrl(url).config, clock, log: silentLog });
  t.after(() => signals.stop());
  const heard: Heard[] = [];
  const calls = new EventEmitter();
  for (const kind of SIGNAL_KINDS) {
    signals.on(kind, (names) => {
      heard.push([kind, names]);
      calls.emit("call");
    });
  }
  return { signals, clock, heard, next: () => once(calls, "call") };
}

/** Starts it, and waits until it listens. */
async function listening(t: TestContext, url: string): Promise<Peer> {
  const started = peer(t, url);
  started.signals.start();
  const connected = started.next();
  await started.clock.advance(0);
  await connected;
  await quiet();
  assert.deepEqual(started.heard.splice(0), ALL);
  return started;
}

const terminate = statement(
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'postrider' AND datname = current_database()`,
);

describe("signals between nodes", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("reach the other nodes, and not their sender", async (t) => {
    const { url } = await emptyDatabase(t);
    const [a, b, c] = [await listening(t, url), await listening(t, url), await listening(t, url)];
    a.signals.send("events", ["acc_1"]);
    a.signals.send("changed", ["msg_1"]);
    a.signals.send("events", ["acc_2"]);
    const [heardByB, heardByC] = [b.next(), c.next()];
    await a.clock.advance(0);
    await Promise.all([heardByB, heardByC]);
    const expected: Heard[] = [
      ["events", new Set(["acc_1", "acc_2"])],
      ["changed", new Set(["msg_1"])],
    ];
    assert.deepEqual([b.heard, c.heard], [expected, expected]);

    b.signals.send("due", "any");
    const heardByA = a.next();
    await b.clock.advance(0);
    await heardByA;
    assert.deepEqual(a.heard, [["due", "any"]]);
  });

  it("stop at a listener that was removed", async (t) => {
    const { url } = await emptyDatabase(t);
    const [a, b] = [await listening(t, url), await listening(t, url)];
    const remove = b.signals.on("due", () => assert.fail("removed"));
    remove();
    a.signals.send("due", "any");
    const heard = b.next();
    await a.clock.advance(0);
    await heard;
    assert.deepEqual(b.heard, [["due", "any"]]);
  });

  it("are sent at most ten times a second, with all names", async (t) => {
    const { url, connect } = await emptyDatabase(t);
    const listener = await connect();
    await listener.query("LISTEN postrider");
    const payloads: string[] = [];
    listener.on("notification", ({ payload = "" }) => void payloads.push(payload));
    const { signals, clock } = await listening(t, url);
    for (let n = 0; n < 100; n += 1) {
      signals.send("changed", [`msg_${n}`]);
      await clock.advance(10);
    }
    await until("what was sent in this second", () => payloads.length > 0);
    assert.ok(payloads.length <= 11, `${payloads.length} in a second`);
    // The reply to the last NOTIFY may take a while.
    await until("all names", () => {
      void clock.advance(10);
      return payloads.join().includes('"msg_99"');
    });
    const names = payloads.flatMap((payload) => JSON.parse(payload).changed as string[]);
    assert.equal(new Set(names).size, 100);
  });

  it("that wait are sent at the stop", async (t) => {
    const { url } = await emptyDatabase(t);
    const [a, b] = [await listening(t, url), await listening(t, url)];
    const heard = b.next();
    a.signals.send("changed", ["keys"]);
    await a.signals.stop();
    await heard;
    assert.deepEqual(b.heard, [["changed", new Set(["keys"])]]);
    a.signals.send("due", "any");
    assert.deepEqual(a.clock.dueMs, []);
  });
});

describe("signals without a connection", { skip: missingPostgresOrTime(), timeout: 60_000 }, () => {
  it("are replaced by a call of all listeners every second", async (t) => {
    const { url } = await emptyDatabase(t);
    const proxy = await startProxy(t, url);
    proxy.cut();
    const { signals, clock, heard } = peer(t, proxy.url);
    signals.start();
    await clock.advance(3000);
    assert.deepEqual(heard, [...ALL, ...ALL, ...ALL]);
  });

  it("are heard again after the backend was terminated, and what was missed may be anything", async (t) => {
    const { url } = await emptyDatabase(t);
    const database = new Database({ ...parseDatabaseUrl(url).config, application_name: "test" });
    t.after(() => database.close());
    const [a, b] = [await listening(t, url), await listening(t, url)];
    while ((await database.run(terminate)).count > 0);
    for (const { clock } of [a, b]) await until("the loss", () => clock.dueMs[0] === clock.monotonicMs());
    a.signals.send("due", "any");
    for (const { clock, heard } of [a, b]) {
      await clock.advance(0);
      await until("the connection", () => heard.length > 0);
      assert.deepEqual(heard.splice(0), ALL);
    }
    const heardByB = b.next();
    await a.clock.advance(100);
    await heardByB;
    assert.deepEqual(b.heard, [["due", "any"]]);
  });

  it("are noticed to be missing when the network is cut, and heard again when it is restored", async (t) => {
    const { url } = await emptyDatabase(t);
    const proxy = await startProxy(t, url);
    const { clock, heard } = await listening(t, proxy.url);
    proxy.cut();
    await clock.advance(2000 + 1500);
    assert.deepEqual(heard, []);
    await clock.advance(1000);
    assert.deepEqual(heard.splice(0), ALL);
    proxy.restore();
    const sender = await listening(t, url);
    // The attempt that began while the network was cut fails, and the next one succeeds.
    await clock.advance(750);
    await clock.advance(500);
    await until("the connection", () => isListening(clock));
    heard.splice(0);
    sender.signals.send("due", "any");
    await sender.clock.advance(0);
    await until("the signal", () => heard.length > 0);
    assert.deepEqual(heard, [["due", "any"]]);
  });

  /** Only the next probe is scheduled: neither polling nor the time limit of a statement. */
  const isListening = (clock: FakeClock): boolean => clock.dueMs.length === 1;
});

/** When the database counts as lost, what fails then, and how an outage ends. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NoReply } from "../../../../../src/spool/engine/postgres/connection/database-error.ts";
import { Outage } from "../../../../../src/spool/engine/postgres/connection/outage.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { type FakeClock, fakeClock } from "../../../../support/fake-clock.ts";

const refused = Object.assign(new Error("connect ECONNREFUSED 192.0.2.1:5432"), { code: "ECONNREFUSED" });
const broken = new Error("Connection terminated unexpectedly");
const unanswered = new Error("Query read timeout");
const fromServer = Object.assign(new Error("division by zero"), { code: "22012", severity: "ERROR" });
const discard = (): void => assert.fail("the connection is discarded");

interface Observed {
  clock: FakeClock;
  outage: Outage;
  /** The faults with which outages have begun. */
  begun: string[];
}

function observed(): Observed {
  const clock = fakeClock();
  const outage = new Outage(clock);
  const begun: string[] = [];
  outage.onBegin(({ message }) => begun.push(message));
  return { clock, outage, begun };
}

const connectTo =
  (outage: Outage) =>
  (open: () => Promise<string>): Promise<string> =>
    outage.connect(open, discard);

/** An outage that has begun. */
async function lost(): Promise<Observed> {
  const all = observed();
  await assert.rejects(connectTo(all.outage)(() => Promise.reject(refused)));
  assert.deepEqual(all.begun, ["the database is unavailable: ECONNREFUSED"]);
  return all;
}

/** A call that ends when the test decides. */
function pending<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve: (value: T) => resolve(value), reject: (error: unknown) => reject(error) };
}

describe("an outage of the database", () => {
  it("begins when no connection can be opened", async () => {
    await lost();
  });

  it("begins when a statement gets no reply, and nothing else gets one meanwhile", async () => {
    const { clock, outage, begun } = observed();
    const [first, second] = [pending<void>(), pending<void>()];
    const calls = [outage.observe(() => first.promise), outage.observe(() => second.promise)];
    await clock.advance(5000);
    await outage.observe(async () => {});
    first.reject(unanswered);
    await assert.rejects(calls[0] as Promise<void>, unanswered);
    assert.deepEqual(begun, []);
    const third = pending<void>();
    const late = outage.observe(() => third.promise);
    await clock.advance(5000);
    third.reject(unanswered);
    await assert.rejects(late, unanswered);
    assert.deepEqual(begun, ["the database is unavailable: Query read timeout"]);
    second.resolve();
    await calls[1];
  });

  it("does not begin with a connection that breaks, or with an error of a statement", async () => {
    const { clock, outage, begun } = observed();
    for (const error of [broken, fromServer, new Error("not of the database")]) {
      await clock.advance(1);
      await assert.rejects(
        outage.observe(() => Promise.reject(error)),
        error,
      );
    }
    assert.deepEqual(begun, []);
    assert.equal(await connectTo(outage)(async () => "open"), "open");
  });

  it("does not begin with an error that is none of the connection", async () => {
    const { outage, begun } = observed();
    const missing = Object.assign(new Error('database "x" does not exist'), { code: "3D000", severity: "FATAL" });
    await assert.rejects(
      connectTo(outage)(() => Promise.reject(missing)),
      missing,
    );
    assert.deepEqual(begun, []);
  });

  it("begins with late heartbeats only after some seconds in which nothing got a reply", async () => {
    const { clock, outage, begun } = observed();
    for (let failed = 0; failed < 3; failed += 1) {
      await clock.advance(1700);
      if (failed === 0) await assert.rejects(outage.observe(() => Promise.reject(fromServer)));
      outage.heartbeatFailed(new NoReply("the database has not replied within 1400 ms"));
    }
    assert.deepEqual(begun, []);
    await clock.advance(1700);
    outage.heartbeatFailed(new SpoolUnavailable("the database is unavailable: ECONNREFUSED"));
    assert.deepEqual(begun, []);
    outage.heartbeatFailed(new NoReply("the database has not replied within 1400 ms"));
    assert.deepEqual(begun, ["the database has not replied within 1400 ms"]);
  });

  it("rejects the calls that wait for a connection, and discards one that is opened later", async () => {
    const { outage, begun } = observed();
    const opening = pending<string>();
    const discarded: string[] = [];
    const waiting = outage.connect(
      () => opening.promise,
      (connection) => discarded.push(connection),
    );
    const rejected = assert.rejects(waiting, /ECONNREFUSED/);
    await assert.rejects(connectTo(outage)(() => Promise.reject(refused)));
    await rejected;
    opening.resolve("late");
    await opening.promise;
    assert.deepEqual([discarded, begun.length], [["late"], 1]);
  });

  it("lets one call at a time try to connect, four times a second, and rejects the others at once", async () => {
    const { clock, outage, begun } = await lost();
    let tries = 0;
    const call = () =>
      connectTo(outage)(() => {
        tries += 1;
        return Promise.reject(refused);
      });
    for (let ms = 0; ms < 2000; ms += 10) {
      await Promise.all([call(), call()].map((each) => assert.rejects(each, /ECONNREFUSED/)));
      await clock.advance(10);
    }
    assert.deepEqual([tries, begun.length], [8, 1]);
    const opening = pending<string>();
    const trying = connectTo(outage)(() => opening.promise);
    await assert.rejects(call(), SpoolUnavailable);
    assert.equal(tries, 8);
    opening.resolve("open");
    assert.equal(await trying, "open");
  });

  it("abandons a try that takes long, and does not begin again with one that fails after a reply", async () => {
    const { clock, outage, begun } = await lost();
    const opening = pending<string>();
    const discarded: string[] = [];
    const trying = outage.connect(
      () => opening.promise,
      (connection) => discarded.push(connection),
    );
    const rejected = assert.rejects(trying, { message: "no connection to the database could be opened" });
    await clock.advance(1000);
    outage.replied();
    assert.equal(await connectTo(outage)(async () => "open"), "open");
    await clock.advance(1000);
    await rejected;
    opening.resolve("late");
    await opening.promise;
    assert.deepEqual([discarded, begun.length], [["late"], 1]);
    assert.equal(await connectTo(outage)(async () => "open"), "open");
  });

  it("shows the newest fault", async () => {
    const { outage } = await lost();
    const starting = Object.assign(new Error("the database system is starting up"), {
      code: "57P03",
      severity: "FATAL",
    });
    await assert.rejects(connectTo(outage)(() => Promise.reject(starting)));
    await assert.rejects(
      connectTo(outage)(async () => "unused"),
      {
        name: "SpoolUnavailable",
        message: "the database is unavailable: the database system is starting up (57P03)",
      },
    );
  });

  for (const [reply, receive] of Object.entries({
    "a connection": ({ outage }: Observed) => connectTo(outage)(async () => "open"),
    "a heartbeat": async ({ outage }: Observed) => outage.replied(),
  })) {
    it(`ends with ${reply}, and may begin again`, async () => {
      const all = await lost();
      await receive(all);
      const { clock, outage, begun } = all;
      assert.deepEqual(await Promise.all(["a", "b"].map((name) => connectTo(outage)(async () => name))), ["a", "b"]);
      await clock.advance(1);
      await assert.rejects(connectTo(outage)(() => Promise.reject(refused)));
      assert.equal(begun.length, 2);
    });
  }
});

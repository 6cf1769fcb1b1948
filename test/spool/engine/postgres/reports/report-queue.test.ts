/** The order of reports: how many run at one time, whose is next, and what a step may do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import { type Session, statement } from "../../../../../src/spool/engine/postgres/connection/statement.ts";
import { ReportQueue } from "../../../../../src/spool/engine/postgres/reports/report-queue.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";
import { TooManyReports } from "../../../../../src/spool/port/reports.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";

const noSession: Session = { run: async () => ({ rows: [], count: 0 }) };

/** A queue without a database. `running` has the steps that run, in the order in which they began; each ends when it is called. */
function fakeQueue() {
  const running = new Map<string, () => void>();
  const begun: string[] = [];
  const queue = new ReportQueue({ snapshot: (work) => work(noSession) });
  const step = (name: string) => (): Promise<string> => {
    begun.push(name);
    return new Promise((resolve) => {
      running.set(name, () => {
        running.delete(name);
        resolve(name);
      });
    });
  };
  const end = async (name: string): Promise<void> => {
    running.get(name)?.();
    await settled();
  };
  return { queue, begun, step, end, running: () => [...running.keys()] };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("reports", () => {
  it("run two at a time, one of each account, and the accounts take turns", async () => {
    const { queue, begun, step, end, running } = fakeQueue();
    const names = ["a1", "a2", "a3", "b1", "b2", "c1", "*1"];
    const all = names.map((name) => queue.runStep(name.startsWith("*") ? null : (name[0] ?? ""), step(name)));
    await settled();
    assert.deepEqual(running(), ["a1", "b1"]);
    await end("b1");
    assert.deepEqual(running(), ["a1", "b2"]);
    for (const name of ["b2", "c1", "a1", "*1", "a2", "a3"]) {
      assert.ok(running().includes(name) && running().length <= 2, `${name} of ${running()}`);
      await end(name);
    }
    assert.deepEqual(await Promise.all(all), names);
    assert.deepEqual(begun, ["a1", "b1", "b2", "c1", "*1", "a2", "a3"]);
  });

  it("of many steps let those of other accounts run in between", async () => {
    const { queue, begun, step, end } = fakeQueue();
    const long = queue.run("a", async (read) => [await read(step("a1")), await read(step("a2"))]);
    const others = ["b", "c", "d"].map((name) => queue.runStep(name, step(name)));
    await settled();
    for (const name of ["a1", "b", "c", "a2", "d"]) await end(name);
    assert.deepEqual(begun, ["a1", "b", "c", "d", "a2"]);
    await end("a2");
    assert.deepEqual(await long, ["a1", "a2"]);
    assert.deepEqual(await Promise.all(others), ["b", "c", "d"]);
  });

  it("are rejected beyond ten of an account that wait, and 200 in all, but not once they have begun", async () => {
    const { queue, begun, step, end } = fakeQueue();
    const rejected: string[] = [];
    const ask = (owner: string, name: string): void => {
      queue.runStep(owner, step(name)).catch((error: unknown) => {
        assert.ok(error instanceof TooManyReports);
        rejected.push(name);
      });
    };
    const long = queue.run("a", async (read) => [await read(step("first")), await read(step("second"))]);
    for (let i = 0; i < 12; i += 1) ask("a", `a${i}`);
    await settled();
    assert.deepEqual(rejected, ["a10", "a11"]);
    await end("first");
    await end("a0");
    assert.deepEqual(begun, ["first", "a0", "second"]);
    for (let i = 0; i < 200; i += 1) ask(`b${i}`, `b${i}`);
    await settled();
    // One of them runs. Each of the last eight took the place of one of a's.
    assert.deepEqual(rejected.slice(2), ["a9", "a8", "a7", "a6", "a5", "a4", "a3", "a2"]);
    await end("second");
    assert.deepEqual(await long, ["first", "second"]);
  });

  it("free their place if they fail, and those that wait are rejected when the spool closes", async () => {
    const { queue, step, end } = fakeQueue();
    await assert.rejects(
      queue.runStep("a", () => Promise.reject(new RangeError("own"))),
      RangeError,
    );
    const first = queue.runStep("a", step("a1"));
    const waiting = queue.runStep("a", step("a2"));
    queue.close();
    await assert.rejects(waiting, SpoolUnavailable);
    await assert.rejects(queue.runStep("b", step("b")), SpoolUnavailable);
    await end("a1");
    assert.equal(await first, "a1");
  });
});

describe("the step of a report", { skip: missingPostgresOrTime() }, () => {
  it("reads one snapshot, writes nothing, and has a time limit that ends with it", async (t) => {
    const { url, connect } = await freshDatabase(t);
    const database = new Database({ connectionString: url }, { connectionsMax: 1 });
    t.after(() => database.close());
    const client = await connect();
    const setting = statement<{ limit: string }>("SELECT current_setting('statement_timeout') AS limit");
    const accounts = statement<{ count: number }>("SELECT count(*) FROM accounts");
    const queue = new ReportQueue(database);
    const [before, after, limit] = await queue.runStep(null, async (session) => {
      const first = await session.run(accounts);
      await client.query("DELETE FROM accounts");
      return [
        first.rows[0]?.count,
        (await session.run(accounts)).rows[0]?.count,
        (await session.run(setting)).rows[0]?.limit,
      ];
    });
    assert.deepEqual([before, after, limit], [1, 1, "5s"]);
    assert.equal((await database.run(setting)).rows[0]?.limit, "10s");
    const write = statement("DELETE FROM users");
    await assert.rejects(
      queue.runStep(null, (session) => session.run(write)),
      /read-only transaction/,
    );
  });
});

/** When workers are started, replaced and stopped, and with which exit code the program ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "../../src/lib/log.ts";
import { Supervisor, type WorkerEnd, workersWarning } from "../../src/workers/supervisor.ts";
import { fakeClock, quiet } from "../support/fake-clock.ts";

class FakeWorker {
  readonly number: number;
  readonly signals: string[] = [];
  readonly ready: Promise<void>;
  readonly ended: Promise<WorkerEnd>;
  listen: () => void = () => {};
  #end: (end: WorkerEnd) => void = () => {};

  constructor(number: number) {
    this.number = number;
    this.ready = new Promise((resolve) => {
      this.listen = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  kill(signal: string): void {
    this.signals.push(signal);
  }

  end(code: number | null, signal: string | null = null): void {
    this.#end({ code, signal });
  }
}

function setUp(workers: number) {
  const clock = fakeClock();
  const started: FakeWorker[] = [];
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line).msg) });
  const supervisor = new Supervisor({
    workers,
    clock,
    log,
    start(number) {
      const worker = new FakeWorker(number);
      started.push(worker);
      return worker;
    },
  });
  const state = { exitCode: null as number | null };
  const run = (): void =>
    void supervisor.run().then((exitCode) => {
      state.exitCode = exitCode;
    });
  run();
  const numbers = (): number[] => started.map(({ number }) => number);
  /** The newest process of a worker. */
  const newest = (number: number): FakeWorker =>
    started.findLast((worker) => worker.number === number) ?? assert.fail(`worker ${number} was not started`);
  return { clock, lines, supervisor, state, started, numbers, newest };
}

/** All workers listen. */
async function begun(workers: number) {
  const all = setUp(workers);
  all.newest(1).listen();
  await quiet();
  for (const worker of all.started) worker.listen();
  await quiet();
  return all;
}

test("the first worker starts alone, and the others once it listens", async () => {
  const { numbers, newest } = setUp(3);
  await quiet();
  assert.deepEqual(numbers(), [1]);
  newest(1).listen();
  await quiet();
  assert.deepEqual(numbers(), [1, 2, 3]);
});

test("the program ends with the exit code of a first worker that does not start", async () => {
  for (const [code, exitCode] of [
    [2, 2],
    [1, 1],
    [0, 0],
    [null, 1],
  ] as const) {
    const { clock, numbers, newest, state, lines } = setUp(3);
    newest(1).end(code, code === null ? "SIGKILL" : null);
    await quiet();
    assert.equal(state.exitCode, exitCode);
    await clock.advance(60_000);
    assert.deepEqual([numbers(), lines], [[1], []]);
  }
});

test("a worker that ends is replaced, later each time that it ends soon, and at once after it was stable", async () => {
  const { clock, numbers, newest, lines } = await begun(2);
  for (const delayMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    const before = numbers().length;
    newest(2).end(null, "SIGSEGV");
    await clock.advance(delayMs - 1);
    assert.equal(numbers().length, before);
    await clock.advance(1);
    assert.equal(numbers().length, before + 1);
    newest(2).listen();
    await quiet();
  }
  await clock.advance(60_000);
  newest(2).end(70);
  await clock.advance(1000);
  assert.equal(numbers().filter((number) => number === 2).length, 9);
  assert.equal(numbers().filter((number) => number === 1).length, 1);
  assert.deepEqual(new Set(lines), new Set(["worker ended"]));
});

test("starts that fail end the program only when no worker runs", async () => {
  const { clock, numbers, newest, state, lines } = await begun(2);
  newest(2).end(1);
  for (let starts = 0; starts < 20; starts += 1) {
    await clock.advance(30_000);
    newest(2).end(1);
  }
  await quiet();
  assert.equal(state.exitCode, null);
  newest(1).end(70);
  for (let starts = 0; starts < 5; starts += 1) {
    assert.equal(state.exitCode, null);
    await clock.advance(30_000);
    newest(starts < 3 ? 1 : 2).end(3);
    await quiet();
  }
  newest(1).end(null, "SIGTERM");
  await quiet();
  assert.equal(state.exitCode, 3);
  assert.equal(lines.at(-1), "no worker starts");
  const count = numbers().length;
  await clock.advance(60_000);
  assert.equal(numbers().length, count);
});

test("a start that succeeds ends the series of failed ones", async () => {
  const { clock, newest, state } = await begun(2);
  for (const number of [1, 2]) newest(number).end(70);
  for (let starts = 0; starts < 4; starts += 1) {
    await clock.advance(30_000);
    newest(1).end(1);
    await quiet();
    newest(2).listen();
    await quiet();
    newest(2).end(70);
  }
  await clock.advance(30_000);
  assert.equal(state.exitCode, null);
});

test("a stop sends its signal to all workers and ends the program when they have ended", async () => {
  const { clock, supervisor, newest, state, numbers, started } = await begun(3);
  newest(3).end(70);
  await quiet();
  supervisor.stop("SIGINT");
  assert.deepEqual(
    started.map(({ signals }) => signals),
    [["SIGINT"], ["SIGINT"], []],
  );
  newest(1).end(0);
  await clock.advance(60_000);
  assert.equal(state.exitCode, null);
  newest(2).end(0);
  await quiet();
  assert.equal(state.exitCode, 0);
  assert.equal(numbers().length, 3);
});

test("a worker that does not stop well gives the program its exit code", async () => {
  const { supervisor, newest, state } = await begun(3);
  supervisor.stop("SIGTERM");
  supervisor.stop("SIGTERM");
  assert.deepEqual(newest(1).signals, ["SIGTERM", "SIGTERM"]);
  newest(1).end(0);
  newest(2).end(null, "SIGKILL");
  newest(3).end(0);
  await quiet();
  assert.equal(state.exitCode, 1);
});

test("a stop while the first worker starts ends with it", async () => {
  const { supervisor, newest, state, numbers } = setUp(2);
  supervisor.stop("SIGTERM");
  newest(1).listen();
  await quiet();
  assert.deepEqual(numbers(), [1]);
  newest(1).end(0);
  await quiet();
  assert.equal(state.exitCode, 0);
});

test("a stop while no worker runs ends the program at once", async () => {
  const { clock, supervisor, newest, state } = await begun(2);
  for (const number of [1, 2]) newest(number).end(70);
  await quiet();
  supervisor.stop("SIGTERM");
  await quiet();
  assert.equal(state.exitCode, 0);
  assert.deepEqual(clock.dueMs, []);
});

test("more workers than half of the cores are a warning that says how many to use", () => {
  assert.equal(workersWarning(4, 8), null);
  assert.equal(workersWarning(2, 4), null);
  assert.match(workersWarning(5, 8) ?? "", /^WORKERS=5 is more than half of this server's 8 cores, .*: use at most 4$/);
  assert.match(workersWarning(2, 1) ?? "", /use at most 1$/);
});

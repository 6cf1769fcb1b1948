/** Long reads in slices: one that is a generator of steps, and one of the store, whose session pauses before each statement. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Session, sessionWith } from "../../../../../src/spool/engine/session.ts";
import { type Pause, runSteps, SlicedRead } from "../../../../../src/spool/engine/sqlite/connection/read-steps.ts";
import { unlistedStatement } from "../../../../support/unlisted-statement.ts";

const QUERY = unlistedStatement("SELECT 1");

/** Runs slices that end at the first pause. Returns the value, and what was done at the end of each slice. */
async function inSlices<T>(read: SlicedRead<T>, done: readonly unknown[]): Promise<{ value: T; slices: number[] }> {
  for (const slices: number[] = []; ; ) {
    const progress = await read.advance(0);
    slices.push(done.length);
    if (progress.done) return { value: progress.value, slices };
  }
}

test("a slice ends after a step, and the next one goes on from there", async () => {
  const done: number[] = [];
  function* steps() {
    for (const step of [1, 2]) {
      done.push(step);
      yield;
    }
    return "end";
  }
  const read = (pause: Pause) => runSteps(steps(), pause);
  assert.deepEqual(await inSlices(new SlicedRead(read), done), { value: "end", slices: [1, 2, 2] });
  const whole = await new SlicedRead(read).advance(Number.POSITIVE_INFINITY);
  assert.deepEqual([whole, done.length], [{ done: true, value: "end" }, 4]);
});

test("a slice ends before a statement of the session", async () => {
  const done: unknown[] = [];
  const run: Session["run"] = async (_query, values) => ({ rows: [], count: done.push(values) });
  const session = { run } as Partial<Session> as Session;
  const operation = async ({ run }: Session) => (await run(QUERY, ["a"])).count + (await run(QUERY, ["b"])).count;
  const read = new SlicedRead((pause) => operation(sessionWith(session, pause)));
  assert.deepEqual(await inSlices(read, done), { value: 3, slices: [0, 1, 2] });
});

test("a slice rejects as the read does", async () => {
  const read = new SlicedRead(async (pause) => {
    await pause();
    throw new Error("damaged");
  });
  assert.deepEqual(await read.advance(0), { done: false });
  await assert.rejects(read.advance(0), /^Error: damaged$/);
});

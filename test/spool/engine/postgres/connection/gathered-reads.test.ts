import assert from "node:assert/strict";
import { it } from "node:test";
import { GatheredReads } from "../../../../../src/spool/engine/postgres/connection/gathered-reads.ts";

/** Reads whose statements end when the test says so. */
function setUp() {
  const statements: { keys: string[]; end: (values: Map<string, number>) => void; fail: (error: Error) => void }[] = [];
  const reads = new GatheredReads<string, number>({
    nameOf: (key) => key,
    readAll: (keys) => new Promise((end, fail) => void statements.push({ keys, end, fail })),
  });
  const sent = () => statements.map(({ keys }) => keys.join());
  const iteration = () => new Promise((resolve) => setImmediate(resolve));
  return { statements, reads, sent, iteration };
}

it("calls of one iteration share a statement, and calls with one key a value", async () => {
  const { statements, reads, sent, iteration } = setUp();
  const values = ["a", "b", "a", "none"].map((key) => reads.read(key));
  await iteration();
  assert.deepEqual(sent(), ["a,b,none"]);
  statements[0]?.end(
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
  );
  assert.deepEqual(await Promise.all(values), [1, 2, 1, null]);
});

it("a call is never answered by a statement that was sent before it", async () => {
  const { statements, reads, sent, iteration } = setUp();
  const earlier = reads.read("a");
  await iteration();
  const later = reads.read("a");
  await iteration();
  assert.deepEqual(sent(), ["a", "a"]);
  statements[1]?.end(new Map());
  statements[0]?.end(new Map([["a", 1]]));
  assert.deepEqual([await earlier, await later], [1, null]);
});

it("calls wait while two statements are under way, and an error rejects only the calls of its statement", async () => {
  const { statements, reads, sent, iteration } = setUp();
  const [first, second] = [reads.read("a"), iteration().then(() => reads.read("b"))];
  await iteration();
  await iteration();
  const third = ["c", "d"].map((key) => reads.read(key));
  await iteration();
  assert.deepEqual(sent(), ["a", "b"]);
  statements[0]?.fail(new Error("down"));
  await assert.rejects(first, /down/);
  await iteration();
  assert.deepEqual(sent(), ["a", "b", "c,d"]);
  statements[1]?.end(new Map([["b", 2]]));
  statements[2]?.end(new Map([["d", 4]]));
  assert.deepEqual([await second, ...(await Promise.all(third))], [2, null, 4]);
});

it("a statement has at most 500 keys", async () => {
  const { statements, reads, iteration } = setUp();
  for (let key = 0; key < 501; key += 1) void reads.read(`${key}`);
  await iteration();
  await iteration();
  assert.deepEqual(
    statements.map(({ keys }) => keys.length),
    [500, 1],
  );
});

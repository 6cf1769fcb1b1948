/** Concurrency and queues of password hashing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BoundedExecutor } from "../../../src/dashboard/auth/bounded-executor.ts";

describe("BoundedExecutor", () => {
  it("runs one task at a time, bounds its queues, and alternates between them", async () => {
    const executor = new BoundedExecutor({ concurrency: 1, queueMax: 3, callerQueueMax: 2 });
    const order: string[] = [];
    let running = 0;
    const run = (queue: "known" | "anonymous", name: string) =>
      executor.run({ queue, name }, async () => {
        running += 1;
        assert.equal(running, 1);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        order.push(name);
        return name;
      });
    const all = [
      run("anonymous", "a"),
      run("anonymous", "b"),
      run("anonymous", "b"),
      run("anonymous", "b"),
      run("anonymous", "c"),
      run("anonymous", "d"),
      run("known", "ann"),
      run("known", "bob"),
    ];
    // The queue is full when d arrives: the last task of b, which has the most in it, is displaced.
    assert.deepEqual(await Promise.all(all), ["a", "b", null, null, "c", "d", "ann", "bob"]);
    assert.deepEqual(order, ["a", "ann", "b", "bob", "c", "d"]);
    await assert.rejects(() =>
      executor.run({ queue: "known", name: "ann" }, () => Promise.reject(new Error("broken"))),
    );
    assert.equal(await run("known", "ann"), "ann", "a failed task frees its slot");
  });
});

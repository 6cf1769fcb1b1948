/** The order in which known queues are claimed from, and what is forgotten of too many. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DueQueues, type QueueName } from "../../../../../src/spool/engine/postgres/mail/due-queues.ts";

const all = () => true;

/** Queues named as `account/domain`. */
function known(names: readonly string[], max?: number): DueQueues {
  const queues = new DueQueues(max);
  for (const [fromMs, name] of names.entries()) queues.add({ ...parsed(name), fromMs });
  return queues;
}

function parsed(name: string): { accountId: string; domain: string } {
  const [accountId = "", domain = ""] = name.split("/");
  return { accountId, domain };
}

const next = (queues: DueQueues, limit: number, allows: (queue: QueueName) => boolean = all): string[] =>
  queues.next(limit, allows).map(({ accountId, domain }) => `${accountId}/${domain}`);

describe("the known queues", () => {
  it("are returned one of each account, then the second of each", () => {
    assert.deepEqual(next(known(["a/1", "a/2", "a/3", "b/1", "c/1", "c/2"]), 5), ["a/1", "b/1", "c/1", "a/2", "c/2"]);
  });

  it("take turns, accounts as well as the domains of each", () => {
    const queues = known(["a/1", "a/2", "b/1", "b/2"]);
    assert.deepEqual(
      [1, 1, 1, 1, 1].flatMap((limit) => next(queues, limit)),
      ["a/1", "b/1", "a/2", "b/2", "a/1"],
    );
  });

  it("leave out domains that are not allowed, whose turn is still to come", () => {
    const queues = known(["a/1", "a/2", "b/1"]);
    assert.deepEqual(
      next(queues, 9, ({ domain }) => domain === "2"),
      ["a/2"],
    );
    assert.equal(
      queues.hasAllowed(({ domain }) => domain === "3"),
      false,
    );
    assert.equal(
      queues.hasAllowed(({ domain }) => domain === "1"),
      true,
    );
    assert.deepEqual(next(queues, 2), ["b/1", "a/1"]);
  });

  it("are returned no more once they are removed", () => {
    const queues = known(["a/1", "b/1"]);
    queues.remove(parsed("a/1"));
    queues.remove(parsed("a/9"));
    assert.deepEqual(next(queues, 9), ["b/1"]);
    queues.remove(parsed("b/1"));
    assert.equal(queues.hasAllowed(all), false);
  });

  it("are known from their earliest work on", () => {
    const queues = new DueQueues();
    for (const fromMs of [5, 3, 4]) queues.add({ ...parsed("a/1"), fromMs });
    assert.deepEqual(queues.next(9, all), [{ accountId: "a", domain: "1", fromMs: 3 }]);
  });

  it("that are too many displace a queue of the same account, or of another one if it has none", () => {
    const queues = known(["a/1", "b/1", "b/2", "b/3"], 3);
    assert.deepEqual(next(queues, 9), ["a/1", "b/2", "b/3"]);
    queues.add({ ...parsed("c/1"), fromMs: 0 });
    assert.equal(queues.next(9, all).length, 3);
    assert.deepEqual(next(queues, 9).includes("c/1"), true);
  });

  it("that are too many are displaced in the order of their turns", () => {
    const queues = known(["a/1", "a/2", "a/3"], 3);
    next(queues, 1);
    queues.add({ ...parsed("a/4"), fromMs: 0 });
    assert.deepEqual(next(queues, 9), ["a/3", "a/1", "a/4"]);
  });
});

/** Which waiting requests hear of new events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventWaiters } from "../../src/http/event-waiters.ts";
import type { EventListener } from "../../src/spool/port/events.ts";

test("the waiters of the accounts with new events are called, and all where any account may have some", () => {
  const listeners: EventListener[] = [];
  const waiters = new EventWaiters({
    onEvents(listener) {
      listeners.push(listener);
      return () => {};
    },
  });
  const called: string[] = [];
  const wait = (accountId: string, name: string) => waiters.add(accountId, () => called.push(name));
  const [leave] = [wait("acc_a", "a1"), wait("acc_a", "a2"), wait("acc_b", "b1")];
  const [listener] = listeners;
  assert.ok(listener && listeners.length === 1, "one registration");

  const calledBy = (accountIds: ReadonlySet<string> | null): string[] => {
    listener(accountIds);
    return called.splice(0);
  };
  assert.deepEqual(calledBy(new Set(["acc_a", "acc_c"])), ["a1", "a2"]);
  assert.deepEqual(calledBy(null), ["a1", "a2", "b1"]);
  assert.deepEqual([waiters.countOf("acc_a"), waiters.countOf("acc_c")], [2, 0]);
  leave?.();
  assert.deepEqual(calledBy(null), ["a2", "b1"]);
  assert.equal(waiters.countOf("acc_a"), 1);
});

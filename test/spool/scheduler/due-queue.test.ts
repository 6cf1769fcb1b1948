/** The heap of due items against a sorted list, and that no item is in it twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Due, DueQueue } from "../../../src/spool/scheduler/due-queue.ts";

interface Item extends Due {
  name: number;
}

const newItem = (name: number): Item => ({ name, dueMs: Number.POSITIVE_INFINITY, heapIndex: -1 });

/** Of one of five items: put at a time, or taken out. */
const step = fc.tuple(fc.nat(4), fc.option(fc.nat(20), { nil: null }));

test("whatever is put, moved and removed, the earliest is at the top and each item is in the heap once", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = new DueQueue<Item>();
      const items = Array.from({ length: 5 }, (_, name) => newItem(name));
      const expected = new Map<Item, number>();
      for (const [name, dueMs] of steps) {
        const item = items[name] as Item;
        if (dueMs === null) {
          heap.remove(item);
          expected.delete(item);
        } else {
          heap.put(item, dueMs);
          expected.set(item, dueMs);
        }
        assert.equal(heap.size, expected.size);
        assert.equal(heap.top?.dueMs, expected.size === 0 ? undefined : Math.min(...expected.values()));
      }
      const left: number[] = [];
      for (let top = heap.top; top !== undefined; top = heap.top) {
        left.push(top.dueMs);
        heap.remove(top);
      }
      assert.deepEqual(
        left,
        [...expected.values()].sort((a, b) => a - b),
      );
      assert.ok(items.every(({ heapIndex }) => heapIndex === -1));
    }),
  );
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PostSlots } from "../../src/webhooks/post-slots.ts";

function requested(slots: PostSlots, accountId: string, count: number): { started: number } {
  const use = { started: 0 };
  for (let i = 0; i < count; i += 1) {
    slots.request(accountId, () => {
      use.started += 1;
    });
  }
  return use;
}

const startedOf = (uses: { started: number }[]) => uses.map(({ started }) => started);

describe("post slots", () => {
  it("starts at most 16 posts of an account, and the next when one ends", () => {
    const slots = new PostSlots();
    const own = requested(slots, "a", 100);
    assert.equal(own.started, 16);
    slots.release("a");
    assert.equal(own.started, 17);
  });

  it("starts as many posts of an account as remain free, so a newcomer always finds a free slot", () => {
    const slots = new PostSlots();
    const uses = ["a", "b", "c", "d", "e", "f", "g"].map((accountId) => requested(slots, accountId, 100));
    assert.deepEqual(startedOf(uses), [16, 16, 16, 8, 4, 2, 1]);
    const late = requested(slots, "h", 100);
    assert.equal(late.started, 1);
  });

  it("gives free slots to the accounts in turn", () => {
    const slots = new PostSlots();
    const uses = ["a", "b", "c", "d"].map((accountId) => requested(slots, accountId, 100));
    for (let i = 0; i < 12; i += 1) slots.release("a");
    const [a = 0, b = 0, c = 0, d = 0] = startedOf(uses);
    assert.ok(a > 16 && d > 8, `${a} and ${d}`);
    assert.deepEqual([b, c], [16, 16]);
  });
});

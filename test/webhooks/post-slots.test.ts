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

describe("post slots", () => {
  it("starts at most 16 posts of an account, and the next when one ends", () => {
    const slots = new PostSlots();
    const own = requested(slots, "a", 100);
    assert.equal(own.started, 16);
    slots.release("a");
    assert.equal(own.started, 17);
  });

  it("starts at most 64 posts, and gives free slots to the accounts in turn", () => {
    const slots = new PostSlots();
    const uses = ["a", "b", "c", "d", "e", "f"].map((accountId) => requested(slots, accountId, 100));
    assert.deepEqual(
      uses.map(({ started }) => started),
      [16, 16, 16, 16, 0, 0],
    );
    for (const accountId of ["a", "a", "b", "b"]) slots.release(accountId);
    assert.deepEqual(
      uses.map(({ started }) => started),
      [17, 17, 16, 16, 1, 1],
    );
  });
});

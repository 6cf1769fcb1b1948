/** What counts as lost, and what as doubled. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compare, type Found } from "../../src/prove/comparison.ts";

/** Message 1 with the id `msg_1`, as it is found, and as often as it arrived. */
const one = (result: Found, arrivals: number) =>
  compare({
    accepted: new Map([[1, new Set(["msg_1"])]]),
    found: new Map([["msg_1", result]]),
    arrivals: new Map(arrivals === 0 ? [] : [[1, arrivals]]),
  });

describe("a message answered with 202", () => {
  it("is neither lost nor doubled if it was delivered once", () => {
    assert.deepEqual(one("delivered", 1), { accepted: 1, delivered: 1, unknown: 0, pending: 0, lost: [], doubled: [] });
  });

  it("is lost if the service does not know it, also if it arrived", () => {
    for (const arrivals of [0, 1])
      assert.deepEqual(one("missing", arrivals).lost, [{ id: "msg_1", reason: "the service does not know it" }]);
  });

  it("is lost if it was not looked up", () => {
    const { lost } = compare({ accepted: new Map([[1, new Set(["msg_1"])]]), found: new Map(), arrivals: new Map() });
    assert.equal(lost.length, 1);
  });

  it("is lost if it is reported as delivered and has not arrived, or as failed", () => {
    assert.deepEqual(one("delivered", 0).lost, [{ id: "msg_1", reason: "reported as delivered, not at the sink" }]);
    assert.deepEqual(one("failed", 0).lost, [{ id: "msg_1", reason: "reported as failed" }]);
  });

  it("is not lost while it is pending or unknown", () => {
    assert.deepEqual([one("pending", 0).pending, one("pending", 0).lost.length], [1, 0]);
    assert.deepEqual([one("unknown", 0).unknown, one("unknown", 0).lost.length], [1, 0]);
  });

  it("is doubled if it arrived twice, unless it is unknown", () => {
    assert.deepEqual(one("delivered", 2).doubled, [{ number: 1, ids: ["msg_1"], arrivals: 2 }]);
    assert.deepEqual(one("unknown", 2).doubled, []);
  });

  it("is doubled if a retry got an id of its own and both were delivered", () => {
    const { doubled } = compare({
      accepted: new Map([[1, new Set(["msg_1", "msg_2"])]]),
      found: new Map([
        ["msg_1", "delivered"],
        ["msg_2", "delivered"],
      ]),
      arrivals: new Map([[1, 2]]),
    });
    assert.deepEqual(doubled, [{ number: 1, ids: ["msg_1", "msg_2"], arrivals: 2 }]);
  });
});

it("a message without a 202 is doubled if it arrived twice", () => {
  const { accepted, doubled } = compare({ accepted: new Map(), found: new Map(), arrivals: new Map([[7, 2]]) });
  assert.deepEqual([accepted, doubled], [0, [{ number: 7, ids: [], arrivals: 2 }]]);
});

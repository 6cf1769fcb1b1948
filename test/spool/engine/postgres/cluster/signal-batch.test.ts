/** Batches of signals and their payloads: nothing is left out, and no payload is too long. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  decodeSignals,
  SIGNAL_KINDS,
  SignalBatch,
} from "../../../../../src/spool/engine/postgres/cluster/signal-batch.ts";

const decoded = (batch: SignalBatch) => decodeSignals(batch.encode("one"), "two");

describe("a batch of signals", () => {
  it("is read as it was written, each name once", () => {
    const batch = new SignalBatch();
    assert.equal(batch.isEmpty, true);
    batch.add("changed", ["msg_1", "msg_2"]);
    batch.add("due", "any");
    batch.add("changed", ["msg_2", "msg_3"]);
    assert.equal(batch.isEmpty, false);
    assert.deepEqual(decoded(batch), [
      ["due", "any"],
      ["changed", new Set(["msg_1", "msg_2", "msg_3"])],
    ]);
  });

  it("says more, and never less, than what was added to it", () => {
    const name = fc.string({ maxLength: 40, unit: "grapheme" });
    const added = fc.record({
      kind: fc.constantFrom(...SIGNAL_KINDS),
      names: fc.oneof(fc.constant("any" as const), fc.array(name, { maxLength: 120 })),
    });
    fc.assert(
      fc.property(fc.array(added, { maxLength: 6 }), (all) => {
        const [batch, second] = [new SignalBatch(), new SignalBatch()];
        for (const [index, { kind, names }] of all.entries()) (index % 2 === 0 ? batch : second).add(kind, names);
        batch.merge(second);
        assert.ok(Buffer.byteLength(batch.encode("a sender of 20 bytes")) < 8000);
        const signals = new Map(decoded(batch));
        for (const { kind, names } of all) {
          const heard = signals.get(kind);
          if (heard !== "any") for (const each of names) assert.ok(heard?.has(each));
          if (names === "any") assert.equal(heard, "any");
        }
      }),
    );
  });

  it("says any beyond a hundred names, and where the payload would be too long", () => {
    const names = (count: number, length: number) =>
      Array.from({ length: count }, (_, n) => `${n}`.padStart(length, "0"));
    const [many, long] = [new SignalBatch(), new SignalBatch()];
    many.add("events", names(100, 30));
    assert.deepEqual(decoded(many), [["events", new Set(names(100, 30))]]);
    many.add("events", ["another"]);
    assert.deepEqual(decoded(many), [["events", "any"]]);
    long.add("events", names(100, 30));
    long.add("changed", names(100, 60));
    assert.deepEqual(decoded(long), [
      ["events", "any"],
      ["changed", "any"],
    ]);
  });
});

describe("a payload", () => {
  it("of this node, or of no node, is nothing", () => {
    const batch = new SignalBatch();
    batch.add("due", "any");
    assert.equal(decodeSignals(batch.encode("one"), "one"), null);
    for (const payload of ["", "x", "1", "null", "[]", "{}", '{"sender":1,"due":"any"}']) {
      assert.equal(decodeSignals(payload, "two"), null, payload);
    }
  });

  it("of another version is read as far as it is known", () => {
    const payload = JSON.stringify({ sender: "one", later: ["x"], events: [1], changed: { a: 1 }, due: ["msg_1"] });
    assert.deepEqual(decodeSignals(payload, "two"), [
      ["due", new Set(["msg_1"])],
      ["events", "any"],
      ["changed", "any"],
    ]);
  });
});

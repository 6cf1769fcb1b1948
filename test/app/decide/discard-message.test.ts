import assert from "node:assert/strict";
import { test } from "node:test";
import { quarantinedName } from "../../../src/app/decide/discard-message.ts";

test("a message is named by its id, or by its row", () => {
  assert.deepEqual(["msg_1", "row 12", "row-12", "row12", "row", "row 1x"].map(quarantinedName), [
    "msg_1",
    12,
    12,
    12,
    "row",
    "row 1x",
  ]);
});

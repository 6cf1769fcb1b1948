import assert from "node:assert/strict";
import { it } from "node:test";
import { tagColumns } from "../../../../../src/spool/engine/postgres/reports/tag-columns.ts";

it("the rows of tags are those that acceptance has stored", () => {
  const messages = [
    { seq: 1, accountId: "acc_a", tags: '["x","y\\u0000"]' },
    { seq: 2, accountId: "acc_b", tags: null },
    { seq: 3, accountId: "acc_b", tags: "damaged" },
    { seq: 4, accountId: "acc_b", tags: '["x"]' },
  ];
  assert.deepEqual(tagColumns(messages), [
    [1, 1, 4],
    ["acc_a", "acc_a", "acc_b"],
    ["x", "y\uFFFD", "x"],
  ]);
});

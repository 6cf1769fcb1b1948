/** What commands share. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { pluralize } from "../../src/cli/command.ts";

it("pluralizes nouns", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => pluralize(count, "recipient")),
    ["0 recipients", "1 recipient", "2 recipients"],
  );
});

/** Mutation test: a node that accepts a promoted database because its own last transaction is there is detected. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { type Break, breakCopy } from "../../../../support/broken-copy.ts";
import { missingPostgresOrTime, NAMED_ONLY } from "../../../../support/postgres/installation.ts";

const PARTS = ["src", "test", "bench", "ops", "package.json", "tsconfig.json"];

const OWN_WITNESS: Break = {
  name: "a node's own witness",
  file: "src/spool/engine/postgres/cluster/failover-review.ts",
  changes: [
    // It waits for no other node, and what these lease ends as after any crash.
    ["  if (missing.length > 0 && !force) return null;\n", ""],
    [
      "  else if (mayLackMarks(testimonies, end)) {",
      "  else if (mayLackMarks(testimonies, end) && missing.length === 0) {",
    ],
  ],
  violation: /not ok \d+ - makes the leases of a node unknown that ended with the primary/,
};

test(`detects: ${OWN_WITNESS.name}`, { skip: missingPostgresOrTime(), timeout: 300_000 }, (t) => {
  const cwd = breakCopy(t, OWN_WITNESS, PARTS);
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      "--import",
      "tsx",
      "--test",
      "--test-reporter",
      "tap",
      "test/spool/engine/postgres/cluster/failover-review.test.ts",
    ],
    {
      cwd,
      encoding: "utf8",
      env: { PATH: process.env.PATH, POSTRIDER_POSTGRES: process.env.POSTRIDER_POSTGRES, [NAMED_ONLY]: "1" },
    },
  );
  assert.notEqual(status, 0, stdout);
  assert.match(stdout, OWN_WITNESS.violation);
});

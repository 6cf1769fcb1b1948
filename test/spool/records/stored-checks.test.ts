import assert from "node:assert/strict";
import { it } from "node:test";
import { changedChecks, storedChecks, unreadableChecks } from "../../../src/spool/records/stored-checks.ts";
import { checksAt } from "../port/conformance/store-suite.ts";

it("decodes checks, and none of which one is missing", () => {
  const checks = checksAt(5, "verified");
  assert.deepEqual(storedChecks(JSON.stringify(checks)), checks);
  for (const json of [JSON.stringify({ ...checks, mx: undefined }), "[]", "{"]) assert.equal(storedChecks(json), null);
});

it("returns the checks whose state has changed, all if the former ones are lost, and none that has not run", () => {
  const before = checksAt(5, "verified");
  const mx = { ...checksAt(6, "failed").mx, detail: "no MX" };
  const spf = { ...checksAt(6, "failed").spf, checkedAtMs: null };
  const change = { check: "mx", state: "failed", detail: "no MX", atMs: 6 };
  assert.deepEqual(changedChecks(before, { ...before, mx, spf }), [change]);
  assert.deepEqual(
    changedChecks(null, before).map(({ check }) => check),
    ["ownership", "mx", "spf", "dkim", "dmarc"],
  );
});

it("leaves a domain with lost checks its standing", () => {
  const standings = [true, false].map((standing) => Object.values(unreadableChecks(standing)));
  for (const [i, checks] of standings.entries()) assert.ok(checks.every(({ standing }) => standing === (i === 0)));
});

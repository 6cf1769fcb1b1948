import assert from "node:assert/strict";
import { it } from "node:test";
import {
  changedChecks,
  changedReturnPathChecks,
  isProven,
  storedChecks,
  storedReturnPathChecks,
  uncheckedReturnPath,
  unreadableChecks,
  unreadableReturnPathChecks,
} from "../../../src/spool/records/stored-checks.ts";
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

it("decodes the checks of a return path, and none of which one is missing", () => {
  const checks = uncheckedReturnPath();
  assert.deepEqual(storedReturnPathChecks(JSON.stringify(checks)), checks);
  for (const json of [JSON.stringify({ ...checks, return_path_spf: undefined }), "{}", "["])
    assert.equal(storedReturnPathChecks(json), null);
});

it("returns the checks of a return path whose state has changed", () => {
  const before = uncheckedReturnPath();
  const mx = { ...before.return_path_mx, state: "verified", detail: "found", checkedAtMs: 7 } as const;
  const change = { check: "return_path_mx", state: "verified", detail: "found", atMs: 7 };
  assert.deepEqual(changedReturnPathChecks(before, { ...before, return_path_mx: mx }), [change]);
  assert.deepEqual(changedReturnPathChecks(null, { ...before, return_path_mx: mx }), [change]);
  assert.deepEqual(changedReturnPathChecks(before, before), []);
});

it("leaves a return path with lost checks its standing", () => {
  for (const active of [true, false]) {
    const checks = Object.values(unreadableReturnPathChecks(active));
    assert.ok(checks.every(({ standing }) => standing === active));
  }
});

it("regards control of a domain as proven by its verification, or else by the check of ownership alone", () => {
  const checks = checksAt(5, "verified");
  const owned = { ...checks, ownership: { ...checks.ownership, standing: true } };
  const proven = (verified: boolean, stored: unknown) => isProven({ verified, checks: JSON.stringify(stored) });
  assert.deepEqual(
    [proven(false, owned), proven(true, checks), proven(false, checks), isProven({ verified: false, checks: "{" })],
    [true, true, false, false],
  );
});

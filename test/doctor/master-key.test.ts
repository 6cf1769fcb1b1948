/** What the doctor says of a master key that does not fit the spool. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonsNotToDeliver } from "../../src/doctor/checks.ts";
import { checkMasterKey, masterKeyFinding } from "../../src/doctor/master-key.ts";
import { patient } from "./doctor-input.ts";

const found = (
  opened: number,
  unopened: string[],
  { seconds = { opened: 0, unopened: 0 }, isBetweenKeys = false } = {},
) => masterKeyFinding({ domains: { opened, unopened }, secondFactors: seconds, isBetweenKeys });

test("a key that opens no DKIM key, or none at all, is a problem and a reason not to deliver", () => {
  for (const finding of [masterKeyFinding(null), found(0, ["a.example"])]) {
    assert.equal(finding.state, "problem");
    assert.equal(reasonsNotToDeliver([finding]).length, 1);
  }
});

test("a key that opens some, or every DKIM key but no second factor, is a warning that says whose do not open", () => {
  const some = found(1, ["a.example", "b.example", "c.example", "d.example", "e.example"]);
  assert.equal(some.state, "warning");
  assert.match(some.detail, /^It does not open the DKIM keys of a\.example, b\.example, c\.example and 2 more: /);
  const seconds = found(1, [], { seconds: { opened: 1, unopened: 2 } });
  assert.equal(seconds.state, "warning");
  assert.match(seconds.detail, /^It does not open the second factors of 2 users, /);
  assert.deepEqual(reasonsNotToDeliver([some, seconds]), []);
});

test("a key that opens all is well, as is a spool in which nothing is sealed", async () => {
  assert.equal(found(0, []).state, "ok");
  assert.equal(found(2, [], { seconds: { opened: 1, unopened: 0 } }).state, "ok");
  assert.equal((await checkMasterKey(patient({}))).state, "unclear");
});

test("an unfinished exchange is a warning, which waits for secrets that do not open: with them it cannot be finished", () => {
  for (const finding of [found(1, [], { isBetweenKeys: true }), found(0, [], { isBetweenKeys: true })]) {
    assert.equal(finding.state, "warning");
    assert.match(finding.detail, /^CERTS_DIR\/master\.key holds more than one key: .* master-key rotate/);
    assert.deepEqual(reasonsNotToDeliver([finding]), []);
  }
  const lost = found(0, ["a.example"], { isBetweenKeys: true });
  assert.equal(lost.state, "problem");
  assert.doesNotMatch(lost.detail, /master-key rotate/);
});

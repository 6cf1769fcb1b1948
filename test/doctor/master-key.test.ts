import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonsNotToDeliver } from "../../src/doctor/checks.ts";
import { checkMasterKey, masterKeyFinding } from "../../src/doctor/master-key.ts";
import { doctorInput } from "./doctor-input.ts";

const found = (
  opened: number,
  unopened: string[],
  { seconds = { opened: 0, unopened: 0 }, webhooks = { opened: 0, unopened: 0 }, isBetweenKeys = false } = {},
) =>
  masterKeyFinding({
    domains: { opened, unopened },
    secondFactors: seconds,
    webhooks,
    isRotationUnfinished: isBetweenKeys,
  });

test("a missing key, or one that opens no DKIM key, is a problem and stops delivery", () => {
  for (const finding of [masterKeyFinding(null), found(0, ["a.example"])]) {
    assert.equal(finding.state, "problem");
    assert.equal(reasonsNotToDeliver([finding]).length, 1);
  }
});

test("a key that opens only some secrets is a warning that names the others", () => {
  const some = found(1, ["a.example", "b.example", "c.example", "d.example", "e.example"]);
  assert.equal(some.state, "warning");
  assert.match(
    some.detail,
    /^The master key does not open the DKIM keys of a\.example, b\.example, c\.example and 2 more\. /,
  );
  const seconds = found(1, [], { seconds: { opened: 1, unopened: 2 } });
  assert.equal(seconds.state, "warning");
  assert.match(seconds.detail, /^The master key does not open the second factors of 2 users, /);
  const webhooks = found(1, [], { webhooks: { opened: 0, unopened: 1 } });
  assert.equal(webhooks.state, "warning");
  assert.match(webhooks.detail, /^The master key does not open the secrets of 1 webhook endpoint, /);
  assert.deepEqual(reasonsNotToDeliver([some, seconds, webhooks]), []);
});

test("a key that opens every secret is ok, as is a spool without sealed secrets", async () => {
  assert.equal(found(0, []).state, "ok");
  assert.equal(found(2, [], { seconds: { opened: 1, unopened: 0 } }).state, "ok");
  const webhooks = found(0, [], { webhooks: { opened: 1, unopened: 0 } });
  assert.deepEqual([webhooks.state, webhooks.detail.includes("webhook secrets")], ["ok", true]);
  assert.equal((await checkMasterKey(doctorInput({}))).state, "unclear");
});

test("an unfinished rotation is a warning, unless secrets do not open: with those it cannot be finished", () => {
  for (const finding of [found(1, [], { isBetweenKeys: true }), found(0, [], { isBetweenKeys: true })]) {
    assert.equal(finding.state, "warning");
    assert.match(finding.detail, /^CERTS_DIR\/master\.key contains more than one key: .* master-key rotate/);
    assert.deepEqual(reasonsNotToDeliver([finding]), []);
  }
  const lost = found(0, ["a.example"], { isBetweenKeys: true });
  assert.equal(lost.state, "problem");
  assert.doesNotMatch(lost.detail, /master-key rotate/);
});

/** The row of an endpoint: its secrets, and filters that cannot be decoded. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type EndpointRow, endpointOf, filterOf, storedList } from "../../../src/spool/records/endpoint-row.ts";

const row: EndpointRow = {
  id: "end_a",
  account_id: "acc_a",
  url: "https://hooks.example/",
  types: '["recipient.failed"]',
  keys: null,
  domains: storedList(["shop.example"]),
  created_at_ms: 5,
  sealed_secret: Buffer.from("present"),
  former_sealed_secret: null,
  former_until_ms: null,
  paused_at_ms: null,
  disabled_at_ms: null,
  disabled_reason: null,
  notified_at_ms: 3,
  failing_since_ms: 4,
  position: 7,
  version: 2,
};

it("decodes a row", () => {
  assert.deepEqual(endpointOf(row), {
    id: "end_a",
    accountId: "acc_a",
    url: "https://hooks.example/",
    types: ["recipient.failed"],
    keys: null,
    domains: ["shop.example"],
    createdAtMs: 5,
    secrets: [{ bytes: Buffer.from("present"), untilMs: null }],
    pausedAtMs: null,
    disabled: null,
    failingSinceMs: 4,
    position: 7,
    version: 2,
  });
});

it("shows the former secret until its end, and why the endpoint is disabled", () => {
  const former = { former_sealed_secret: Buffer.from("former"), former_until_ms: 9 };
  const { secrets, disabled } = endpointOf({ ...row, ...former, disabled_at_ms: 8, disabled_reason: "gone" });
  assert.deepEqual(secrets[1], { bytes: Buffer.from("former"), untilMs: 9 });
  assert.deepEqual(disabled, { atMs: 8, reason: "gone", notifiedAtMs: 3 });
});

it("reads as paused, and selects nothing, with a filter that cannot be decoded", () => {
  for (const keys of ["{", "{}", "[1]", "null"]) {
    assert.equal(filterOf({ ...row, keys }), null);
    const { pausedAtMs, types, keys: selected, domains } = endpointOf({ ...row, keys });
    assert.deepEqual([pausedAtMs, types, selected, domains], [5, [], [], []]);
    assert.equal(endpointOf({ ...row, keys, paused_at_ms: 6 }).pausedAtMs, 6);
  }
});

/** The notice of a certificate by ACME that could not be renewed. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { renewalNotices } from "../../../src/app/notices/certificate-renewal.ts";
import type { CertificateState } from "../../../src/spool/port/certificate-state.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 20_000 * DAY_MS;

const noticesOf = (state: Partial<CertificateState>, nowMs = NOW_MS) =>
  renewalNotices({ readValue: async () => JSON.stringify(state) }, nowMs);

const failure = (count: number, detail: string) => ({ count, atMs: NOW_MS, nextAtMs: NOW_MS + 1, detail });

it("notices the third failure in succession of a name or of the order, once a day", async () => {
  assert.deepEqual(await renewalNotices({ readValue: async () => null }, NOW_MS), []);
  assert.deepEqual(await noticesOf({ refused: { "a.example": failure(2, "no") }, order: failure(2, "no") }), []);
  const state = {
    certificate: { names: ["b.example"], untilMs: NOW_MS },
    refused: { "a.example": failure(3, "points to 192.0.2.7"), "b.example": failure(1, "too early") },
    order: failure(4, "no reply from acme.example"),
  };
  const [notice, ...others] = await noticesOf(state);
  assert.deepEqual([notice?.kind, notice?.accountId, others], ["certificate_not_renewed", null, []]);
  const text = notice?.paragraphs.join("\n") ?? "";
  assert.match(text, /^a\.example: points to 192\.0\.2\.7$/m);
  assert.match(text, /^The order: no reply from acme\.example$/m);
  assert.match(text, /for b\.example, is served until 2024-10-04T00:00:00/);
  assert.doesNotMatch(text, /too early/);
  const [later] = await noticesOf(state, NOW_MS + DAY_MS - 1);
  const [nextDay] = await noticesOf({ ...state, certificate: null }, NOW_MS + DAY_MS);
  assert.equal(later?.occurrence, notice?.occurrence);
  assert.notEqual(nextDay?.occurrence, notice?.occurrence);
  assert.match(nextDay?.paragraphs.at(-1) ?? "", /^There is no certificate yet\./);
});

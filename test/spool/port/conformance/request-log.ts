/** The request log: filters, pages and bounds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type ApiRequest,
  REQUESTS_KEPT_MAX,
  REQUESTS_KEPT_MS,
  type RequestFilter,
} from "../../../../src/spool/port/request-log.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { apiRequest, faultyRequest, rejectedRequest } from "../../../support/api-requests.ts";

import { NOW_MS, type OpenSpool } from "./suite.ts";

export function requestLogConformance(name: string, open: OpenSpool): void {
  describe(`${name}: request log`, () => {
    const ALL: RequestFilter = { accountId: "acc_default", limit: 100_000 };

    const idsOf = (requests: readonly ApiRequest[]): string[] => requests.map(({ id }) => id);

    async function found(spool: Spool, parts: Partial<RequestFilter> = {}): Promise<string[]> {
      const { requests, cursor } = await spool.requests({ ...ALL, ...parts });
      assert.equal(cursor, null);
      return idsOf(requests);
    }

    const many = (count: number, make: () => ApiRequest): ApiRequest[] => Array.from({ length: count }, make);

    it("returns what was recorded, the newest first, also after a crash", async (t) => {
      const first = await open(t);
      const requests = [apiRequest(), rejectedRequest(), apiRequest({ messageId: null, durationMs: 0 })];
      await first.spool.recordRequests(requests.slice(0, 2), NOW_MS);
      await first.spool.recordRequests(requests.slice(2), NOW_MS);
      const { spool } = await first.reopen();
      assert.deepEqual(await spool.requests(ALL), { requests: requests.toReversed(), cursor: null });
    });

    it("filters by account, request id, key and failure, and by several of them", async (t) => {
      const { spool } = await open(t);
      const own = [
        apiRequest(),
        apiRequest({ keyId: "key_2" }),
        rejectedRequest(),
        rejectedRequest({ keyId: "key_2" }),
      ];
      const other = rejectedRequest({ accountId: "acc_other" });
      const keyless = rejectedRequest({ accountId: null, keyId: null, method: "", path: "" });
      await spool.recordRequests([...own, other, keyless], NOW_MS);
      const [success = "", success2, failure = "", failure2] = idsOf(own);
      assert.deepEqual(await found(spool), [failure2, failure, success2, success]);
      assert.deepEqual(await found(spool, { failedOnly: true }), [failure2, failure]);
      assert.deepEqual(await found(spool, { keyId: "key_2" }), [failure2, success2]);
      assert.deepEqual(await found(spool, { keyId: "key_2", failedOnly: true }), [failure2]);
      assert.deepEqual(await found(spool, { id: failure }), [failure]);
      assert.deepEqual(await found(spool, { id: failure, keyId: "key_2" }), []);
      assert.deepEqual(await found(spool, { id: success, failedOnly: true }), []);
      assert.deepEqual(await found(spool, { id: other.id }), []);
      assert.deepEqual(await found(spool, { id: keyless.id }), []);
      assert.deepEqual((await spool.requests({ ...ALL, accountId: null })).requests, [keyless]);
    });

    it("returns one request of an account with its fault, and leaves faults out of lists", async (t) => {
      const { spool } = await open(t);
      const hostile = { detail: '\u{1F4E7} "’<b>\\', errors: [{ field: "to[3]", detail: "x" }], others: 7 };
      const [success, failure] = [apiRequest(), faultyRequest({ fault: hostile })];
      const keyless = faultyRequest({ accountId: null, keyId: null, method: "", path: "" });
      await spool.recordRequests([success, failure, keyless], NOW_MS);
      assert.deepEqual(await spool.recordedRequest("acc_default", success.id), success);
      assert.deepEqual(await spool.recordedRequest("acc_default", failure.id), failure);
      assert.deepEqual(await spool.recordedRequest(null, keyless.id), keyless);
      for (const id of [keyless.id, "req_none", ""]) assert.equal(await spool.recordedRequest("acc_default", id), null);
      assert.equal(await spool.recordedRequest("acc_other", failure.id), null);
      const { fault: _, ...listed } = failure;
      assert.deepEqual((await spool.requests(ALL)).requests, [listed, success]);
    });

    it("returns pages that together hold each request once, while others are recorded", async (t) => {
      const { spool } = await open(t);
      // More than are read in one step, so that a filter continues across steps.
      const make = (i: number): ApiRequest => (i % 3 === 0 ? rejectedRequest({ keyId: "key_2" }) : apiRequest());
      const requests = Array.from({ length: 1600 }, (_, i) => make(i));
      await spool.recordRequests(requests, NOW_MS);
      const wanted: [Partial<RequestFilter>, ApiRequest[]][] = [
        [{}, requests],
        [{ failedOnly: true }, requests.filter(({ status }) => status === 400)],
        [{ keyId: "key_2" }, requests.filter(({ keyId }) => keyId === "key_2")],
      ];
      for (const [parts, expected] of wanted) {
        const ids: string[] = [];
        for (let cursor: number | null | undefined; cursor !== null; ) {
          const page = await spool.requests({
            ...ALL,
            ...parts,
            ...(cursor === undefined ? {} : { cursor }),
            limit: 150,
          });
          assert.ok(page.requests.length <= 150);
          ids.push(...idsOf(page.requests));
          cursor = page.cursor;
          await spool.recordRequests([rejectedRequest({ accountId: "acc_other", keyId: "key_2" })], NOW_MS);
        }
        assert.deepEqual(ids, idsOf(expected).reverse());
      }
    });

    it("keeps requests for 7 days", async (t) => {
      const { spool } = await open(t);
      const old = many(1500, () => rejectedRequest({ atMs: NOW_MS, accountId: null }));
      const later = rejectedRequest({ atMs: NOW_MS + 1 });
      await spool.recordRequests([...old, later], NOW_MS + 1);
      await spool.recordRequests([], NOW_MS + REQUESTS_KEPT_MS);
      assert.equal((await found(spool, { accountId: null })).length, 1500);
      for (let writes = 0; writes < 3; writes += 1) await spool.recordRequests([], NOW_MS + REQUESTS_KEPT_MS + 1);
      assert.deepEqual(await found(spool, { accountId: null }), []);
      assert.deepEqual(await found(spool), [later.id]);
      await spool.recordRequests([], NOW_MS + REQUESTS_KEPT_MS + 2);
      assert.deepEqual(await found(spool), []);
    });

    it("loses requests of a clock that was far ahead", async (t) => {
      const { spool } = await open(t);
      const aheadMs = NOW_MS + 2 * REQUESTS_KEPT_MS;
      await spool.recordRequests([rejectedRequest({ atMs: aheadMs })], aheadMs);
      const now = rejectedRequest({ atMs: NOW_MS });
      await spool.recordRequests([now], NOW_MS);
      assert.deepEqual(await found(spool), [now.id]);
    });

    it("keeps the newest successes and failures of each account, however many others follow", async (t) => {
      const { spool } = await open(t);
      const kept = [
        apiRequest(),
        rejectedRequest(),
        apiRequest({ accountId: "acc_other" }),
        rejectedRequest({ accountId: null }),
      ];
      await spool.recordRequests(kept, NOW_MS);
      const [success = "", failure = "", other, keyless] = idsOf(kept);
      const flood = many(REQUESTS_KEPT_MAX + 50, rejectedRequest);
      for (let i = 0; i < flood.length; i += 700) await spool.recordRequests(flood.slice(i, i + 700), NOW_MS);
      const newest = flood.slice(-REQUESTS_KEPT_MAX);
      assert.deepEqual(await found(spool, { failedOnly: true }), idsOf(newest).reverse());
      assert.deepEqual(await found(spool, { id: success }), [success]);
      assert.deepEqual(await found(spool, { id: failure }), []);
      assert.deepEqual(await found(spool, { accountId: "acc_other" }), [other]);
      assert.deepEqual(await found(spool, { accountId: null }), [keyless]);
    });
  });
}

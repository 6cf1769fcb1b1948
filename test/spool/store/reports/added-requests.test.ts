/** When a process deletes the requests beyond the bound. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { REQUESTS_KEPT_MAX } from "../../../../src/spool/port/request-log.ts";
import { AddedRequests } from "../../../../src/spool/store/reports/added-requests.ts";
import { apiRequest, rejectedRequest } from "../../../support/api-requests.ts";

it("a kind is bounded at its first request, and whenever a tenth of the bound was added, in one order with others", () => {
  const added = new AddedRequests();
  const first = added.add([rejectedRequest(), apiRequest(), rejectedRequest({ accountId: null }), apiRequest()]);
  assert.deepEqual(first, [
    { accountId: "acc_default", failed: false },
    { accountId: null, failed: true },
    { accountId: "acc_default", failed: true },
  ]);
  const tenth = REQUESTS_KEPT_MAX / 10;
  assert.deepEqual(added.add(Array.from({ length: tenth - 1 }, () => apiRequest())), []);
  assert.deepEqual(added.add([apiRequest(), rejectedRequest()]), [{ accountId: "acc_default", failed: false }]);
  assert.deepEqual(added.add([]), []);
});

/** Entries of the request log. */
import type { ApiRequest, RecordedRequest, RequestFault } from "../../src/spool/port/request-log.ts";

let count = 0;

/** A successful send of the default account, unless `parts` say otherwise. */
export function apiRequest(parts: Partial<ApiRequest> = {}): ApiRequest {
  count += 1;
  return {
    id: `req_${count}`,
    atMs: 1_000_000,
    accountId: "acc_default",
    keyId: "key_1",
    method: "POST",
    path: "/api/sending/send",
    status: 202,
    code: null,
    durationMs: 3,
    messageId: `msg_${count}`,
    ...parts,
  };
}

const FAULT: RequestFault = {
  detail: "to: This field is required.",
  errors: [{ field: "to", detail: "This field is required." }],
  others: 0,
};

/** As rejectedRequest, with what was wrong. */
export const faultyRequest = (parts: Partial<RecordedRequest> = {}): RecordedRequest => ({
  ...rejectedRequest(),
  fault: FAULT,
  ...parts,
});

/** A send that was rejected with 400. */
export const rejectedRequest = (parts: Partial<ApiRequest> = {}): ApiRequest =>
  apiRequest({ status: 400, code: "invalid_request", messageId: null, ...parts });

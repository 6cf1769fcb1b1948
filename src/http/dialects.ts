/** Decides by a request's path which API it is for. */
import { isResendPath, RESEND } from "../compat/resend/dialect.ts";
import { rateHeaders } from "./rate-headers.ts";
import type { Dialect } from "./response/dialect.ts";
import { Problem, problemDetails } from "./response/problems.ts";

export const SEND_PATH = "/api/sending/send";
export const BATCH_PATH = "/api/sending/batch";

const POSTRIDER: Dialect = {
  sendPaths: new Set([SEND_PATH, BATCH_PATH]),
  errors: problemDetails,
  rateHeaders,
  noSuchPath: () => new Problem("not_found", "Nothing is at this path."),
};

/** All responses to a valid key have the own API's rate headers. */
const RESEND_HERE: Dialect = {
  ...RESEND,
  rateHeaders: (state) => ({ ...rateHeaders(state), ...RESEND.rateHeaders(state) }),
};

/** `target` is a path, or a request target with a query. */
export function dialectOf(target: string): Dialect {
  return isResendPath(target) ? RESEND_HERE : POSTRIDER;
}

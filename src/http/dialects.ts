/** Decides by a request's path which API it is for. */
import { isResendPath, RESEND } from "../compat/resend/dialect.ts";
import { rateHeaders } from "./rate-headers.ts";
import type { Dialect, DialectOf } from "./response/dialect.ts";
import { Problem, problemDetails } from "./response/problems.ts";

export const SEND_PATH = "/api/sending/send";
export const BATCH_PATH = "/api/sending/batch";

const POSTRIDER: Omit<Dialect, "errors"> = {
  sendPaths: new Set([SEND_PATH, BATCH_PATH]),
  rateHeaders,
  noSuchPath: () => new Problem("not_found", "Nothing is at this path."),
};

/** All responses to a valid key have Postrider's API's rate headers. */
const RESEND_HERE: Dialect = {
  ...RESEND,
  rateHeaders: (state) => ({ ...rateHeaders(state), ...RESEND.rateHeaders(state) }),
};

/** `publicUrl`: where clients reach this service; empty where it is not known. */
export function createDialects(publicUrl: () => string): DialectOf {
  const own: Dialect = { ...POSTRIDER, errors: problemDetails(publicUrl) };
  return (target) => (isResendPath(target) ? RESEND_HERE : own);
}

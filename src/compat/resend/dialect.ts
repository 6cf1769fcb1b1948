/** Resend's API under /compat/resend: its paths, its form of errors, and the header fields that its clients read. */
import type { SendRateState } from "../../app/send/send-rate.ts";
import type { Dialect } from "../../http/response/dialect.ts";
import { Problem } from "../../http/response/problems.ts";
import { ENDPOINTS, endpointsText, PREFIX, pathsOf } from "./endpoints.ts";
import { resendError } from "./errors.ts";

const UNDER_PREFIX = new RegExp(`^${PREFIX}(?:[/?]|$)`);

/** Whether a path, or a request target, is this API's. */
export const isResendPath = (target: string): boolean => UNDER_PREFIX.test(target);

export const RESEND: Dialect = {
  sendPaths: new Set([ENDPOINTS.sendEmail.path, ENDPOINTS.sendEmails.path].flatMap(pathsOf)),
  errors: resendError,
  rateHeaders,
  noSuchPath(method, path) {
    return new Problem(
      "not_found",
      `Postrider does not serve ${method} ${templateOf(path)} of Resend's API. It serves ${endpointsText()}.`,
    );
  },
};

/** The header fields of draft-ietf-httpapi-ratelimit-headers-06. None if the rate is not limited. */
function rateHeaders(state: SendRateState | null): Record<string, string> {
  if (state === null) return {};
  return {
    "RateLimit-Limit": String(state.burst),
    "RateLimit-Remaining": String(Math.max(0, Math.floor(state.tokens))),
    "RateLimit-Reset": String(state.fullInS),
  };
}

/** More segments than a path of Resend's API has. */
const SEGMENTS_MAX = 6;

/** Returns the path with all but plain words as `{id}`, so that a response repeats nothing else of a request. */
function templateOf(path: string): string {
  const segments = path
    .slice(PREFIX.length)
    .split("/")
    .filter((segment) => segment !== "");
  const shown = segments.slice(0, SEGMENTS_MAX).map((segment) => (/^[a-z-]{1,30}$/.test(segment) ? segment : "{id}"));
  return `/${shown.join("/")}`;
}

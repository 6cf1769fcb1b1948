/**
 * The RateLimit header fields (draft-ietf-httpapi-ratelimit-headers) of a response to a valid API key.
 */
import type { SendRateState } from "../app/send/send-rate.ts";

/** It means "no limit". It stands for "no limit". */
const NO_LIMIT = 999_999_999_999_999;

export type RateHeaders = { "RateLimit-Policy": string; RateLimit: string };

export function rateHeaders(state: SendRateState | null): RateHeaders {
  if (state === null) {
    return { "RateLimit-Policy": `"send";q=${NO_LIMIT};w=1`, RateLimit: `"send";r=${NO_LIMIT};t=1` };
  }
  const { perSecond, burst, tokens, fullInS } = state;
  const windowS = Math.max(1, Math.ceil(burst / perSecond));
  return {
    "RateLimit-Policy": `"send";q=${burst};w=${windowS}`,
    RateLimit: `"send";r=${Math.max(0, Math.floor(tokens))};t=${fullInS}`,
  };
}

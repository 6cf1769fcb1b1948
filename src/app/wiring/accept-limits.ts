/** The limits of accepted messages, as they are configured. */
import type { Config } from "../../config.ts";
import type { AcceptLimits } from "../accept-message.ts";

export const acceptLimits = (config: Config): AcceptLimits => ({
  messageBytesMax: config.messageBytesMax,
  quotaDaily: config.quotaDaily,
  suppressAfter: config.suppressAfter,
  maxAgeMs: config.retryMaxAgeMs,
});

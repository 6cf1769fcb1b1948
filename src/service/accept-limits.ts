/** The limits of accepted messages, as they are configured. */

import type { AcceptLimits } from "../app/send/accept-message.ts";
import type { Config } from "../config.ts";

export const acceptLimits = (config: Config): AcceptLimits => ({
  messageBytesMax: config.messageBytesMax,
  quotaDaily: config.quotaDaily,
  suppressAfter: config.suppressAfter,
  maxAgeMs: config.retryMaxAgeMs,
});

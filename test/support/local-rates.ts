/** Token buckets in memory by the clock of a test. */
import type { Clock } from "../../src/lib/clock.ts";
import type { RateLimits } from "../../src/spool/port/token-buckets.ts";
import { LocalBuckets } from "../../src/spool/records/local-buckets.ts";

export const localRates = (clock: Pick<Clock, "monotonicMs">): RateLimits => ({
  tokenBuckets: (_kind, rate) => new LocalBuckets(rate, clock),
});

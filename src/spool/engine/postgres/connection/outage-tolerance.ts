/** Calls that may fail in an outage of the database, because a later call does the same work. */
import { errorText } from "../../../../lib/error-text.ts";
import type { Logger } from "../../../../lib/log.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";

/** Resolves when `run` has ended, also if it rejects with SpoolUnavailable, which is logged. Other errors reject. */
export type TolerateOutage = (run: () => Promise<unknown>) => Promise<void>;

export const outageTolerance =
  (log: Pick<Logger, "debug">): TolerateOutage =>
  async (run) => {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof SpoolUnavailable)) throw error;
      log.debug({ error: errorText(error) }, "the database is unavailable");
    }
  };

/** The limits of reports that wait, and whose they are. */
import type { FairQueueLimits } from "../../lib/fair-queue.ts";

/** The most reports that wait for one account, and in all. Reports over all accounts have their own queue. */
export const REPORTS_WAITING_MAX: Required<FairQueueLimits> = { ownerMax: 10, totalMax: 200 };

/** The owner of a report; of one over all accounts, and over requests without a valid key, if `accountId` is null. */
export const reportOwner = (accountId: string | null): string => accountId ?? "";

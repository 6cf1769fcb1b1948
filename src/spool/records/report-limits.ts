/** The limits of reports that wait, and whose they are. */
import type { FairQueueLimits } from "../../lib/fair-queue.ts";

/** The most reports that wait for one account, and in all. Reports over all accounts have their own queue. */
export const REPORTS_WAITING_MAX: Required<FairQueueLimits> = { ownerMax: 10, totalMax: 200 };

/** The owner of a report; of one over all accounts, and over requests without a valid key, if `accountId` is null. */
export const reportOwner = (accountId: string | null): string => accountId ?? "";

/** Recipients that a report of the queue reads to find the most common reason: of a domain in an account, and in all. */
const REASONS_READ = { ofDomain: 50, inAll: 1000 };

/** Recipients that are read for each of so many domains: at least the newest. */
export const reasonsReadOf = (domains: number): number =>
  Math.max(1, Math.min(REASONS_READ.ofDomain, Math.floor(REASONS_READ.inAll / Math.max(1, domains))));

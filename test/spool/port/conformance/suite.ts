import type { TestContext } from "node:test";
import type { ClaimRequest, DeliveryJob } from "../../../../src/spool/port/mail.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";

export interface SpoolUnderTest {
  spool: Spool;
  /** Abandons this instance and opens the same store again, as after SIGKILL. */
  reopen(): Promise<SpoolUnderTest>;
}

export type OpenSpool = (t: TestContext) => Promise<SpoolUnderTest>;

export const NOW_MS = 1_000_000;

export const claimAll = (nowMs = NOW_MS, parts: Partial<ClaimRequest> = {}): ClaimRequest => ({
  nowMs,
  limit: 1000,
  perDomain: 1000,
  allowance: {},
  ...parts,
});

export const emails = (jobs: DeliveryJob[]): string[] => jobs.flatMap((job) => job.recipients.map((r) => r.email));

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Acceptance, Claimant, ClaimRequest, DeliveryJob, NewMessage } from "../../../../src/spool/port/mail.ts";
import type { RetentionStep } from "../../../../src/spool/port/operations.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import { HOUR_MS } from "../../../support/messages.ts";

export interface SpoolUnderTest {
  spool: Spool;
  /** Abandons this instance and opens the same store again, as after SIGKILL, when the leases of the dead have expired. */
  reopen(): Promise<SpoolUnderTest>;
  /** Accepts a message that any claimant may claim. What `spool` accepts may be leased to it at once. */
  acceptForAny(message: NewMessage): Promise<Acceptance>;
  /** Returns another claimant that works on the same store, at the same time. */
  other(): Promise<Claimant>;
  /**
   * Lets the leases of `spool` or of another claimant expire, as if its process had been suspended for that long. It goes on
   * calling afterwards, and may claim anew.
   */
  lapse(claimant: Claimant): Promise<void>;
}

export type OpenSpool = (t: TestContext) => Promise<SpoolUnderTest>;

export const NOW_MS = 1_000_000;

export const DAY_MS = 24 * HOUR_MS;

export const claimAll = (nowMs = NOW_MS, parts: Partial<ClaimRequest> = {}): ClaimRequest => ({
  nowMs,
  limit: 1000,
  perDomain: 1000,
  allowance: {},
  ...parts,
});

export const emails = (jobs: DeliveryJob[]): string[] => jobs.flatMap((job) => job.recipients.map((r) => r.email));

/** The only element of a list, or the one at an index. */
export function at<T>(list: readonly T[], index = 0): T {
  const found = list[index];
  assert.ok(found !== undefined, `there is no element ${index}`);
  return found;
}

/** Applies retention in as many steps as it takes. */
export async function applyRetention(spool: Spool, limits: Omit<RetentionStep, "limit">): Promise<void> {
  for (let isMore = true; isMore; ) ({ isMore } = await spool.applyRetention({ ...limits, limit: 100 }));
}

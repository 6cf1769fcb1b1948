/** Messages of 4 KB through an opened spool without a network: accepted, claimed, marked and settled. */
import type { DeliveryJob } from "../../src/spool/port/mail.ts";
import type { Store } from "../../src/spool/port/store.ts";
import { ADDRESSES } from "../sides/side.ts";
import { deliveredTo, type FillerAccount, fillerContent, newFillerMessage } from "../spool-filler.ts";

/** Messages that are being accepted at one time, and jobs that are attempted at one time. */
const AT_ONCE = 256;

const RECIPIENT_DOMAINS = 10;

/**
 * Runs so many messages through one spool, which is opened several times for several nodes: each accepts, and attempts what it
 * claims. Resolves with the milliseconds until the last was settled.
 */
export async function runCycle(stores: readonly Store[], account: FillerAccount, messages: number): Promise<number> {
  const content = await fillerContent();
  const atOnce = Math.ceil(AT_ONCE / stores.length);
  const beganMs = performance.now();
  let [next, settled] = [0, 0];
  const accept = async (store: Store): Promise<void> => {
    while (next < messages) {
      const domain = `${next % RECIPIENT_DOMAINS}.${ADDRESSES.recipientDomain}`;
      const email = `person${next}@${domain}`;
      next += 1;
      const nowMs = Date.now();
      const accepted = await store.accept(newFillerMessage(account, { createdAtMs: nowMs, email, domain, content }));
      if (accepted.type !== "accepted") throw new Error(`a message was not accepted: ${accepted.type}`);
    }
  };
  await new Promise<void>((resolve, reject) => {
    const onSettled = (): void => {
      settled += 1;
      if (settled === messages) resolve();
    };
    for (const store of stores) {
      attemptDue(store, { atOnce, onSettled, onError: reject });
      Promise.all(Array.from({ length: atOnce }, () => accept(store))).catch(reject);
    }
  });
  for (const store of stores) store.onDue(() => {});
  return performance.now() - beganMs;
}

interface Attempting {
  atOnce: number;
  onSettled: () => void;
  onError: (error: unknown) => void;
}

/** Claims and attempts what becomes due. */
function attemptDue(store: Store, { atOnce, onSettled, onError }: Attempting): void {
  const attempts = new Set<DeliveryJob>();
  let isClaiming = false;
  const attempt = async (job: DeliveryJob): Promise<void> => {
    attempts.add(job);
    await attemptJob(store, job);
    attempts.delete(job);
    onSettled();
    claim();
  };
  const claim = (): void => {
    if (isClaiming || attempts.size >= atOnce) return;
    isClaiming = true;
    const limit = atOnce - attempts.size;
    store
      .claim({ nowMs: Date.now(), limit, perDomain: atOnce, allowance: {} })
      .then(({ jobs }) => {
        isClaiming = false;
        for (const job of jobs) attempt(job).catch(onError);
        if (jobs.length === limit) claim();
      })
      .catch(onError);
  };
  store.onDue(claim);
}

async function attemptJob(store: Store, { messageId, domain, recipients, lease }: DeliveryJob): Promise<void> {
  const positions = recipients.map(({ position }) => position);
  const [mx, ip] = [`mx.${domain}`, ADDRESSES.sink.host];
  const marked = await store.mark({ messageId, positions, lease, atMs: Date.now(), mx, ip });
  const result = await store.settle(messageId, Date.now(), [deliveredTo(domain)], lease);
  if (marked !== "marked" || result !== "settled") throw new Error(`the lease of ${messageId} was lost`);
}

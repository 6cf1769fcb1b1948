/**
 * Which messages have an envelope sender for each recipient: those of domains with an active return path, and all test messages,
 * since the bounces that the sink in the service plays come back without DNS. Others are sent from their From address.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { TtlCache } from "../../lib/ttl-cache.ts";
import { fitsReturnPath, returnPathAddress } from "../../message/return-path.ts";
import { isTestRoute } from "../../message/test-route.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";

/** Returns the envelope sender for a recipient of a message, by the recipient's position. */
export type EnvelopeSenders = (messageId: string, position: number) => string;

export interface ReturnPaths {
  /** Returns the envelope senders of a job's recipients; null if it is sent from the From address. Never rejects. */
  of(job: Pick<DeliveryJob, "domainId" | "domain">): Promise<EnvelopeSenders | null>;
}

export const NO_RETURN_PATHS: ReturnPaths = { of: async () => null };

export interface ReturnPathParts {
  store: {
    /** The name of the sender domain if its return path is active; otherwise null. */
    returnPath(domainId: string): Promise<string | null>;
    /** Rejects if there is no such domain; knows removed ones. */
    signingKey(domainId: string): Promise<{ domain: string }>;
  };
  /** Makes the tags of addresses. */
  key: Buffer;
  clock: Clock;
  log: Logger;
}

/** A return path takes effect, or ends, so much later at most. */
const KEPT_MS = 10_000;
const KEPT_MAX = 10_000;

export class StoredReturnPaths implements ReturnPaths {
  readonly #parts: ReturnPathParts;
  readonly #kept: TtlCache<EnvelopeSenders | null>;
  #isFailing = false;

  constructor(parts: ReturnPathParts) {
    this.#parts = parts;
    this.#kept = new TtlCache({ clock: parts.clock, keptMs: KEPT_MS, max: KEPT_MAX, worthKeeping: () => true });
  }

  of({ domainId, domain: route }: Pick<DeliveryJob, "domainId" | "domain">): Promise<EnvelopeSenders | null> {
    const isTest = isTestRoute(route);
    return this.#kept.get(`${isTest ? "test" : "live"} ${domainId}`, () => this.#lookUp(domainId, isTest));
  }

  /** A return path that cannot be read is none: the message is more important than its bounce. */
  async #lookUp(domainId: string, isTest: boolean): Promise<EnvelopeSenders | null> {
    const { store, key, log } = this.#parts;
    try {
      const domain = isTest ? (await store.signingKey(domainId)).domain : await store.returnPath(domainId);
      this.#isFailing = false;
      if (domain === null || !fitsReturnPath(domain)) return null;
      return (messageId, position) => returnPathAddress({ messageId, position, domain }, key);
    } catch (error) {
      const { message } = error as Error;
      if (!this.#isFailing)
        log.warn({ domainId, error: message }, "return path not read: sending from the From address");
      this.#isFailing = true;
      return null;
    }
  }
}

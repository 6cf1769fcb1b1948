/**
 * The recipients of a scheduled message whose addresses were suppressed after it was accepted. Acceptance looks at the addresses of all
 * messages; weeks may pass until a scheduled one is sent. Recipients that were attempted before are left out, as those of other messages
 * are.
 */
import { errorText } from "../../lib/error-text.ts";
import type { Logger } from "../../lib/log.ts";
import type { Suppression } from "../../message/result/suppression.ts";
import { isTestRoute } from "../../message/test-route.ts";
import { SpoolUnavailable } from "../../spool/port/errors.ts";
import type { DeliveryJob } from "../../spool/port/mail.ts";
import type { Spool } from "../../spool/port/spool.ts";

export interface ScheduledSuppressionsParts {
  spool: Pick<Spool, "suppression">;
  /** As NewMessage's. */
  suppressAfter: number;
  log: Pick<Logger, "warn">;
}

/** By the position of the recipient. */
export type SuppressedRecipients = ReadonlyMap<number, Suppression>;

const NONE: SuppressedRecipients = new Map();

export class ScheduledSuppressions {
  readonly #parts: ScheduledSuppressionsParts;

  constructor(parts: ScheduledSuppressionsParts) {
    this.#parts = parts;
  }

  /** Of the job of a scheduled message. Rejects only with SpoolUnavailable. An address whose suppression cannot be read counts as not suppressed, as at acceptance. */
  async of(job: DeliveryJob, nowMs: number): Promise<SuppressedRecipients> {
    if (isTestRoute(job.domain)) return NONE;
    const found = new Map<number, Suppression>();
    for (const { position, email, attempts } of job.recipients) {
      const suppression = attempts > 0 ? null : await this.#suppressionOf(job, email, nowMs);
      if (suppression !== null) found.set(position, suppression);
    }
    return found;
  }

  async #suppressionOf(
    { accountId, messageId }: DeliveryJob,
    email: string,
    nowMs: number,
  ): Promise<Suppression | null> {
    const { spool, suppressAfter: after, log } = this.#parts;
    try {
      return await spool.suppression({ accountId, email, after, nowMs });
    } catch (error) {
      if (error instanceof SpoolUnavailable) throw error;
      log.warn({ messageId, error: errorText(error) }, "suppression not read");
      return null;
    }
  }
}

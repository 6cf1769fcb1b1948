/** The log lines of attempts. They carry the message's id, which connects them to the line of the accepted request. */
import type { Logger } from "../../lib/log.ts";
import type { DeliveryJob, Settlement } from "../../spool/port/mail.ts";

/** Writes one line for each recipient, in the job's order. */
export function logAttempt(
  log: Logger,
  job: DeliveryJob,
  { settlements, durationMs }: { settlements: Settlement[]; durationMs: number },
): void {
  for (const [index, settlement] of settlements.entries()) {
    const last = settlement.tries.at(-1);
    log.info(
      {
        messageId: job.messageId,
        recipient: settlement.position,
        domain: job.domain,
        attempt: settlement.untried ? undefined : (job.recipients[index]?.attempts ?? 0) + 1,
        durationMs,
        outcome: settlement.outcome,
        result: settlement.result,
        reason: settlement.attemptReason ?? settlement.reason ?? undefined,
        category: settlement.category ?? undefined,
        mx: last?.mx,
        ip: last?.ip ?? undefined,
        tls: last?.tls?.protocol,
        stage: last?.stage,
        code: last?.reply?.code,
        enhancedCode: last?.reply?.enhanced_code ?? undefined,
        error: last?.error ?? undefined,
      },
      "attempt",
    );
  }
}

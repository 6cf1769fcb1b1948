/**
 * Interventions in the queue and in the quarantine that are not operations of the store: shortened waits, the end of the pause after a
 * restore, and rechecks. Each has its own file; what follows its commit is decided here.
 */
import type { Operations } from "../../../port/operations.ts";
import type { QuarantineOperations } from "../../../port/quarantine.ts";
import type { discardOperations } from "../../../store/quarantine/discards.ts";
import type { PortOf } from "../../operations.ts";
import { resumeDelivery } from "../accounts/restore-hold.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { shortenWaits } from "../mail/overlong-waits.ts";
import { discardWithoutEvents } from "../quarantine/discards.ts";
import { quarantineReport } from "../quarantine/quarantine.ts";
import { recheckQuarantined } from "../quarantine/quarantine-rechecks.ts";

export interface OperationParts {
  /** Called after a commit that made recipients due at this moment. */
  onDue: (dueMs: number) => void;
  /** Called after a commit with the accounts that have new events. */
  onEvents: (accountIds: ReadonlySet<string>) => void;
  /** Called after a commit that has changed a result of the message. */
  onChanged: (messageId: string) => void;
}

export function queueOperations(
  database: Database,
  { onDue, onEvents }: Pick<OperationParts, "onDue" | "onEvents">,
): Pick<Operations, "shortenWaits" | "resumeDelivery"> {
  const written = (events: readonly { accountId: string }[]): void => {
    if (events.length > 0) onEvents(new Set(events.map(({ accountId }) => accountId)));
  };
  return {
    async shortenWaits(step) {
      const { nextDueMs, ...result } = await shortenWaits(database, step);
      if (nextDueMs !== null) onDue(nextDueMs);
      return result;
    },
    async resumeDelivery(request) {
      const resumed = await resumeDelivery(database, request, written);
      if (resumed !== null) onDue(request.nowMs);
      return resumed;
    },
  };
}

export function quarantineOperations(
  database: Database,
  {
    onDue,
    onChanged,
    discards,
  }: Pick<OperationParts, "onDue" | "onChanged"> & { discards: PortOf<typeof discardOperations> },
): QuarantineOperations {
  return {
    quarantined: (limit) => quarantineReport(database, limit),
    async discardQuarantined(request) {
      const discarded = await discards.discardQuarantined(request).catch((error) => {
        if (!isDamaged(error)) throw error;
        return discardWithoutEvents(database, request);
      });
      if (discarded !== null && discarded.messageId !== null) onChanged(discarded.messageId);
      return discarded;
    },
    async recheckQuarantined(step) {
      const checked = await recheckQuarantined(database, step);
      if (checked.released.length > 0) onDue(step.nowMs);
      return checked;
    },
  };
}

/**
 * Interventions in the queue and in the quarantine, as the port offers them: retries, decisions, shortened waits, the end of the pause after
 * a restore, and rechecks. Each has a file of its own; what follows its commit is decided here.
 */
import { MessageDamaged } from "../../../port/errors.ts";
import type { Operations, RetryFailedStep } from "../../../port/operations.ts";
import type { QuarantineOperations } from "../../../port/quarantine.ts";
import type { discardOperations } from "../../../store/quarantine/discards.ts";
import type { PortOf } from "../../operations.ts";
import { resumeDelivery } from "../accounts/restore-hold.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { shortenWaits } from "../mail/overlong-waits.ts";
import { discardWithoutEvents } from "../quarantine/discards.ts";
import { checkMessage } from "../quarantine/message-check.ts";
import { isQuarantined, quarantineReport } from "../quarantine/quarantine.ts";
import { recheckQuarantined } from "../quarantine/quarantine-rechecks.ts";
import type { ActivityCounts } from "../reports/activity.ts";
import { retryDomain } from "./retry-domain.ts";
import { retryFailed } from "./retry-failed.ts";
import { retryMessage } from "./retry-message.ts";

export interface OperationParts {
  /** Called after a commit that made recipients due at this moment. */
  onDue: (dueMs: number) => void;
  /** Called after a commit with the accounts that have new events. */
  onEvents: (accountIds: ReadonlySet<string>) => void;
  /** Called after a commit that has changed a result of the message. */
  onChanged: (messageId: string) => void;
  activity: Pick<ActivityCounts, "retried">;
}

const findMessage = statement<{ seq: number }>("SELECT seq FROM messages WHERE id = $1 AND account_id = $2");

interface QueueParts extends OperationParts {
  /** For what may change many rows. */
  longCalls: Database;
}

type QueueOperations = Pick<Operations, "retry" | "retryFailed" | "retryDomain" | "shortenWaits" | "resumeDelivery">;

export function queueOperations(database: Database, parts: QueueParts): QueueOperations {
  const { longCalls, onDue, onEvents, activity } = parts;
  const written = (events: readonly { accountId: string }[]): void => {
    if (events.length > 0) onEvents(new Set(events.map(({ accountId }) => accountId)));
  };
  return {
    async retry(filter) {
      const [message] = (await database.run(findMessage, [storedText(filter.messageId), filter.accountId])).rows;
      if (message === undefined) return 0;
      const { seq } = message;
      if (await isQuarantined(database, seq)) await checkMessage(database, seq);
      const { events, unknownAtMs } = await database.transaction((session) => retryMessage(session, seq, filter));
      written(events);
      for (const countedAtMs of unknownAtMs)
        activity.retried({ accountId: filter.accountId, result: "unknown", countedAtMs });
      onDue(filter.nowMs);
      return events.length;
    },
    async retryFailed(step) {
      const isReadable = await isReadableAgain(database, step);
      const retried = await longCalls.transaction((session) => retryFailed(session, step, isReadable));
      const { result, events, failedAtMs } = retried;
      written(events);
      for (const countedAtMs of failedAtMs)
        activity.retried({ accountId: step.accountId, result: "failed", countedAtMs });
      if (events.length > 0) onDue(step.nowMs);
      return result;
    },
    async retryDomain(request) {
      const count = await longCalls.transaction((session) => retryDomain(session, request));
      if (count > 0) onDue(request.nowMs);
      return count;
    },
    async shortenWaits(step) {
      const { nextDueMs, ...result } = await shortenWaits(longCalls, step);
      if (nextDueMs !== null) onDue(nextDueMs);
      return result;
    },
    async resumeDelivery(request) {
      const resumed = await resumeDelivery(longCalls, request, written);
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

/** Whether a step of retryFailed is about one quarantined message that can be read again. */
async function isReadableAgain(
  database: Database,
  { messageId, accountId }: Pick<RetryFailedStep, "messageId" | "accountId">,
): Promise<boolean> {
  if (messageId === undefined) return false;
  const [message] = (await database.run(findMessage, [storedText(messageId), accountId])).rows;
  if (message === undefined || !(await isQuarantined(database, message.seq))) return false;
  try {
    await checkMessage(database, message.seq);
    return true;
  } catch (error) {
    if (error instanceof MessageDamaged) return false;
    throw error;
  }
}

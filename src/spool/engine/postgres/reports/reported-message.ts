/** The report of one message, in a snapshot. store/reports/message-report.ts reads it. */
import { MessageDamaged } from "../../../port/errors.ts";
import type { MessageReport } from "../../../port/results.ts";
import type { MessageReportLimits } from "../../../records/message-report.ts";
import { reportMessage } from "../../../store/reports/message-report.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { PostgresSession } from "../connection/postgres-session.ts";

/** As Results.report. */
export async function reportOf(
  database: Database,
  messageId: string,
  limits?: MessageReportLimits,
): Promise<MessageReport | null> {
  try {
    return await database.snapshot((session) => reportMessage(new PostgresSession(session), messageId, limits));
  } catch (error) {
    if (isDamaged(error)) throw new MessageDamaged((error as Error).message, { cause: error });
    throw error;
  }
}

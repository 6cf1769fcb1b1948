/** The report of one message, in a snapshot. store/reports/message-report.ts reads it. */
import { MessageDamaged } from "../../../port/errors.ts";
import type { MessageReport } from "../../../port/results.ts";
import { type AskedReport, reportMessage } from "../../../store/reports/message-report.ts";
import type { Database } from "../connection/database.ts";
import { isDamaged } from "../connection/database-error.ts";
import { PostgresSession } from "../connection/postgres-session.ts";

/** As Results.report. */
export async function reportOf(
  database: Database,
  messageId: string,
  asked: AskedReport = {},
): Promise<MessageReport | null> {
  try {
    return await database.snapshot((session) => reportMessage(new PostgresSession(session), messageId, asked));
  } catch (error) {
    if (isDamaged(error)) throw new MessageDamaged((error as Error).message, { cause: error });
    throw error;
  }
}

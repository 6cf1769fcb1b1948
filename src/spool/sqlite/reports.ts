/**
 * The questions of the reports port, each in steps. Runs on a connection and a thread of its own (reports-thread.ts).
 */
import type { Database } from "better-sqlite3";
import { htmlDocumentOf, readContent } from "../../message/readable-content.ts";
import { prepareActivityReport } from "./activity-report.ts";
import { readable } from "./damage.ts";
import { FIND_LIMITS, prepareFind } from "./find.ts";
import type { Steps } from "./steps.ts";
import { prepareSuppressionsReport } from "./suppressions-report.ts";
import { prepareWaitingReport } from "./waiting-report.ts";

interface ContentFilter {
  accountId: string;
  messageId: string;
}

export function prepareReports(db: Database) {
  return {
    ...prepareContentReports(db),
    find: prepareFind(db, FIND_LIMITS),
    activity: prepareActivityReport(db),
    waiting: prepareWaitingReport(db),
    suppressions: prepareSuppressionsReport(db),
  };
}

function prepareContentReports(db: Database) {
  const content = db
    .prepare<[string, string], Buffer>(
      "SELECT content FROM contents WHERE seq = (SELECT seq FROM messages WHERE id = ? AND account_id = ?)",
    )
    .pluck();
  const readAs = <T>(read: (stored: Buffer) => T) =>
    function* ({ accountId, messageId }: ContentFilter): Steps<T | null> {
      // One that is damaged is not shown; the message says that it is.
      const stored = readable(() => content.get(messageId, accountId));
      yield;
      return stored === undefined ? null : read(stored);
    };
  return { contentOf: readAs((stored) => stored), viewOf: readAs(readContent), htmlOf: readAs(htmlDocumentOf) };
}

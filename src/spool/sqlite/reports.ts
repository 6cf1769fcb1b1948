/**
 * The queries of the reports port, each in steps. They run in their own thread with its own connection; see reports-thread.ts.
 */

import type { Database } from "better-sqlite3";
import { htmlDocumentOf, readContent } from "../../message/readable-content.ts";
import type { MessageFilter, WaitingFilter } from "../port/reports.ts";
import { prepareActivityReport } from "./activity-report.ts";
import { readable } from "./damage.ts";
import { MessageFinder } from "./find.ts";
import type { Steps } from "./steps.ts";
import { prepareSuppressionsReport } from "./suppressions-report.ts";
import { WaitingReport } from "./waiting-report.ts";

interface ContentKey {
  accountId: string;
  messageId: string;
}

export function prepareReports(db: Database) {
  const finder = new MessageFinder(db);
  const waiting = new WaitingReport(db);
  return {
    ...prepareContentReports(db),
    find: (filter: MessageFilter) => finder.find(filter),
    activity: prepareActivityReport(db),
    waiting: (filter: WaitingFilter) => waiting.waiting(filter),
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
    function* ({ accountId, messageId }: ContentKey): Steps<T | null> {
      // Damaged content is not shown; the message reports the damage.
      const stored = readable(() => content.get(messageId, accountId));
      yield;
      return stored === undefined ? null : read(stored);
    };
  return { contentOf: readAs((stored) => stored), viewOf: readAs(readContent), htmlOf: readAs(htmlDocumentOf) };
}

/**
 * The queries of the reports port, each in steps. They run in their own thread with its own connection; see reports-thread.ts.
 */

import type { Database } from "better-sqlite3";
import { CONTENT_VIEWS } from "../../../../message/reading/content-views.ts";
import type { ActedFilter, MessageFilter } from "../../../port/reports.ts";
import type { Steps } from "../connection/read-steps.ts";
import { readable } from "../files/damage.ts";
import { Soundness } from "../files/soundness.ts";
import { prepareActivityReport } from "./activity-report.ts";
import { prepareFailuresReport } from "./failures-report.ts";
import { MessageFinder } from "./message-search.ts";

interface ContentKey {
  accountId: string;
  messageId: string;
  /** See CONTENT_VIEWS. */
  part?: number;
}

export function prepareReports(db: Database) {
  const finder = new MessageFinder(db);
  return {
    ...prepareContentReports(db),
    find: (filter: MessageFilter) => finder.find(filter),
    findRecipients: (filter: MessageFilter) => finder.findRecipients(filter),
    findActed: (filter: ActedFilter) => finder.findActed(filter),
    count: (filter: MessageFilter) => finder.count(filter),
    activity: prepareActivityReport(db),
    failures: prepareFailuresReport(db),
  };
}

function prepareContentReports(db: Database) {
  const wholeOf = prepareWholeContent(db);
  const readAs = <T>(read: (stored: Buffer, part: number) => T) =>
    function* (key: ContentKey): Steps<T | null> {
      const stored = yield* wholeOf(key);
      return stored === null ? null : read(stored, key.part ?? 0);
    };
  return {
    contentOf: readAs((stored) => stored),
    viewOf: readAs(CONTENT_VIEWS.viewOf),
    htmlOf: readAs(CONTENT_VIEWS.htmlOf),
    bodiesOf: readAs(CONTENT_VIEWS.bodiesOf),
    attachmentOf: readAs(CONTENT_VIEWS.attachmentOf),
  };
}

/** Reads a content part by part. Damaged content is not shown; the message reports the damage. */
function prepareWholeContent(db: Database) {
  const soundness = new Soundness(db);
  const seqOf = db
    .prepare<[string, string], number>("SELECT seq FROM messages WHERE id = ? AND account_id = ?")
    .pluck();
  return function* wholeOf({ accountId, messageId }: ContentKey): Steps<Buffer | null> {
    const seq = readable(() => seqOf.get(messageId, accountId));
    if (seq === undefined) return null;
    const content = readable(() => soundness.firstPart(seq));
    yield;
    if (content === undefined) return null;
    const { first, laterParts, sizeBytes } = content;
    if (laterParts === 0) return first;
    const whole = Buffer.allocUnsafeSlow(sizeBytes);
    let end = first.copy(whole);
    for (let number = 1; number <= laterParts; number += 1) {
      const part = readable(() => soundness.part(seq, number));
      yield;
      if (part === undefined) return null;
      end += part.copy(whole, end);
    }
    return end === sizeBytes ? whole : null;
  };
}

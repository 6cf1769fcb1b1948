/** The reports of the port, and the contents of messages for pages. */
import type { Clock } from "../../../../lib/clock.ts";
import type { ContentView, ContentViewName } from "../../../../message/reading/content-views.ts";
import { MessageDamaged } from "../../../port/errors.ts";
import type { Reports } from "../../../port/reports.ts";
import { MAIL_REPORT_OPERATIONS } from "../../../store/operations.ts";
import { bind, type Runner } from "../../operations.ts";
import { type Session, statement } from "../connection/statement.ts";
import { storedText } from "../connection/stored-text.ts";
import { readContent } from "../mail/content-reads.ts";
import type { ContentViews } from "../mail/content-views.ts";
import type { ActivityCounts } from "./activity.ts";
import { reportActivity } from "./activity-report.ts";
import { reportFailures } from "./failures-report.ts";
import { countActed, countMessages, findActed, findMessages, findRecipients } from "./message-search.ts";
import type { ReportQueue, ReportRead } from "./report-queue.ts";

export interface ReportParts {
  reports: ReportQueue;
  activity: ActivityCounts;
  contentViews: ContentViews;
  clock: Clock;
  runner: Runner;
}

interface ContentKey {
  accountId: string;
  messageId: string;
  /** See CONTENT_VIEWS. */
  part?: number;
}

const findSeq = statement<{ seq: number }>("SELECT seq FROM messages WHERE id = $1 AND account_id = $2");

export function reportOperations({ reports, activity, contentViews, clock, runner }: ReportParts): Reports {
  const contentOf = (accountId: string, messageId: string): Promise<Buffer | null> =>
    reports.run(accountId, (read) => wholeContent(read, accountId, messageId));
  const viewAs = async <Name extends ContentViewName>(
    name: Name,
    { accountId, messageId, part }: ContentKey,
  ): Promise<ContentView<Name> | null> => {
    const content = await contentOf(accountId, messageId);
    return content === null ? null : contentViews.view(name, content, part);
  };
  return {
    find: (filter) => reports.run(filter.accountId, (read) => findMessages(read, filter, { nowMs: clock.now() })),
    findActed: (filter) => reports.run(filter.accountId, (read) => findActed(read, filter, { nowMs: clock.now() })),
    countActed: (filter) => reports.run(filter.accountId, (read) => countActed(read, filter, clock.now())),
    findRecipients: (filter) =>
      reports.run(filter.accountId, (read) => findRecipients(read, filter, { nowMs: clock.now() })),
    count: (filter) => reports.run(filter.accountId, (read) => countMessages(read, filter, { nowMs: clock.now() })),
    contentOf,
    viewOf: (accountId, messageId) => viewAs("viewOf", { accountId, messageId }),
    htmlOf: (accountId, messageId) => viewAs("htmlOf", { accountId, messageId }),
    bodiesOf: (accountId, messageId) => viewAs("bodiesOf", { accountId, messageId }),
    attachmentOf: (accountId, messageId, part) => viewAs("attachmentOf", { accountId, messageId, part }),
    async activity(filter) {
      await activity.write();
      return reports.runStep(filter.accountId, (session) => reportActivity(session, filter));
    },
    failures: (filter) => reports.run(filter.accountId, (read) => reportFailures(read, filter, clock.now())),
    ...bind(MAIL_REPORT_OPERATIONS, runner),
  };
}

/** Reads a content part by part. Damaged content is not shown; the message reports the damage. */
async function wholeContent(read: ReportRead, accountId: string, messageId: string): Promise<Buffer | null> {
  const session: Session = { run: (query, values) => read((step) => step.run(query, values)) };
  const [message] = (await session.run(findSeq, [storedText(messageId), accountId])).rows;
  if (message === undefined) return null;
  try {
    const { first, laterParts, part } = await readContent(session, { seq: message.seq, messageId });
    const parts = [first];
    for (let number = 1; number <= laterParts; number += 1) parts.push(await part(number));
    return parts.length === 1 ? first : Buffer.concat(parts);
  } catch (error) {
    if (error instanceof MessageDamaged) return null;
    throw error;
  }
}

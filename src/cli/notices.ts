/** `notices list`: the notices of an account, or of all accounts and the installation. */

import { kindLabel } from "../app/notices/kinds.ts";
import { type ListedNotice, listNotices } from "../app/notices/list-notices.ts";
import { noticeView } from "../app/notices/notice.ts";
import { rfc3339 } from "../lib/clock.ts";
import { NOTICES_LISTED_MAX } from "../spool/port/notices.ts";
import { LIMIT_MAX, limitOf } from "./audit.ts";
import { type CommandContext, type Implementation, Refusal, UsageError } from "./command.ts";
import { table } from "./table.ts";

export const listNoticesCommand: Implementation = {
  async run(context, { options }) {
    const isAll = options["all-accounts"] === true;
    if (isAll && options.account !== undefined) throw new UsageError("--all-accounts and --account exclude each other");
    if (isAll && !context.mayOperate) throw new Refusal("--all-accounts is for operators");
    const limit = limitOf(options);
    const { notices, isMore } = await findAll(context, isAll ? null : context.account.id, limit);
    const { publicUrl } = context.config;
    const more = isMore ? `\nOnly the newest ${limit} are shown: --limit shows up to ${LIMIT_MAX}.` : "";
    const rows = notices.map(({ atMs, kind, subject, link, account, accountId }) => [
      rfc3339(atMs),
      kindLabel(kind),
      subject,
      `${publicUrl}${link}`,
      ...(isAll ? [account ?? accountId ?? ""] : []),
    ]);
    const heading = ["TIME", "ABOUT", "NOTICE", "PAGE", ...(isAll ? ["ACCOUNT"] : [])];
    return {
      json: notices.map((notice) => noticeView(notice, { publicUrl, nameOf: () => notice.account })),
      text: table(heading, rows, "No notices.") + more,
    };
  },
};

async function findAll(
  { store }: CommandContext,
  accountId: string | null,
  limit: number,
): Promise<{ notices: ListedNotice[]; isMore: boolean }> {
  const notices: ListedNotice[] = [];
  for (let after: string | null = null; ; ) {
    const page = await listNotices(store, {
      accountId,
      after,
      limit: Math.min(NOTICES_LISTED_MAX, limit - notices.length),
    });
    notices.push(...page.notices);
    after = page.next;
    if (after === null || notices.length >= limit) return { notices, isMore: after !== null };
  }
}

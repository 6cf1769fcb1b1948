/** What users have chosen about notices. */
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { NoticeChoice } from "../../port/notices.ts";

const list = statement<NoticeChoice>(
  `SELECT user_id AS "userId", name, choice FROM notice_choices
     WHERE (CAST($1 AS text) IS NULL OR user_id = $1) ORDER BY user_id, name`,
);
const set = statement(
  `INSERT INTO notice_choices (user_id, name, choice) VALUES ($1, $2, $3)
     ON CONFLICT (user_id, name) DO UPDATE SET choice = excluded.choice`,
);

export const noticeChoiceOperations = {
  reads: {
    noticeChoices: async (session: Session, userId: string | null): Promise<NoticeChoice[]> =>
      (await session.run(list, [userId])).rows,
  },
  writes: {
    async setNoticeChoices(session: Session, userId: string, choices: Readonly<Record<string, string>>): Promise<void> {
      // A user who is removed meanwhile has no choices.
      if (!(await session.lock("users", userId))) return;
      for (const [name, choice] of Object.entries(choices)) await session.run(set, [userId, name, choice]);
    },
  },
};

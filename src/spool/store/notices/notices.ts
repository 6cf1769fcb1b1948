/** Notices. A row's number is its place, as in the audit trail. notice_causes has the newest notice of each cause, for the limit of one an hour. */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  type DomainTrouble,
  type NewNotice,
  NOTICE_APART_MS,
  type NoticeAddition,
  type NoticeFilter,
  type NoticePage,
  type NoticeWay,
  type StoredNotice,
} from "../../port/notices.ts";

const damageable = <Row>(text: string) => statement<Row>(text, { ifDamaged: "the notices" });

// One statement, so that of two nodes one takes the cause. A time far ahead is of a clock that was wrong.
const take = statement(
  `INSERT INTO notice_causes AS stored (cause, occurrence, at_ms) VALUES ($1, $2, $3)
     ON CONFLICT (cause) DO UPDATE SET occurrence = excluded.occurrence, at_ms = excluded.at_ms
     WHERE stored.occurrence <> excluded.occurrence AND abs(excluded.at_ms - stored.at_ms) >= ${NOTICE_APART_MS}`,
);
const isKnown = statement("SELECT 1 FROM notice_causes WHERE cause = $1 AND occurrence = $2");
const add = statement(
  `INSERT INTO notices (id, at_ms, account_id, kind, subject, text, link) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

const COLUMNS = `number, id, at_ms AS "atMs", account_id AS "accountId", kind, subject, text, link,
  mailed_at_ms AS "mailedAtMs", posted_at_ms AS "postedAtMs"`;

type Row = StoredNotice & { number: number };

const wayOf = (column: string) => ({
  findOpen: damageable<Row>(
    `SELECT ${COLUMNS} FROM notices WHERE ${column} IS NULL AND at_ms >= $1 ORDER BY number LIMIT CAST($2 AS integer)`,
  ),
  leave: statement(`UPDATE notices SET ${column} = $2 WHERE id = $1`),
});
const WAYS = { mail: wayOf("mailed_at_ms"), post: wayOf("posted_at_ms") };
const listAll = damageable<Row>(
  `SELECT ${COLUMNS} FROM notices WHERE number < $1 ORDER BY number DESC LIMIT CAST($2 AS integer)`,
);
const listOfAccount = damageable<Row>(
  `SELECT ${COLUMNS} FROM notices WHERE account_id = $3 AND number < $1 ORDER BY number DESC LIMIT CAST($2 AS integer)`,
);
const findTroubles = statement<DomainTrouble>(
  `SELECT id, account_id AS "accountId", domain, type, at_ms AS "atMs" FROM events
     WHERE domain IS NOT NULL AND type IN ('domain.failing', 'domain.lost') AND at_ms >= $1
     ORDER BY at_ms DESC LIMIT CAST($2 AS integer)`,
  { ifDamaged: "the events of domains" },
);
const removeOld = damageable(
  `DELETE FROM notices WHERE number IN
     (SELECT number FROM notices WHERE at_ms < $1 ORDER BY at_ms LIMIT CAST($2 AS integer) FOR UPDATE SKIP LOCKED)`,
);
const removeOldCauses = damageable(
  `DELETE FROM notice_causes WHERE cause IN
     (SELECT cause FROM notice_causes WHERE at_ms < $1 ORDER BY at_ms LIMIT CAST($2 AS integer) FOR UPDATE SKIP LOCKED)`,
);

/** PostgreSQL's text cannot contain U+0000. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD");

export const noticeOperations = {
  reads: {
    openNotices: async (session: Session, way: NoticeWay, sinceMs: number, limit: number): Promise<StoredNotice[]> =>
      (await session.run(WAYS[way].findOpen, [sinceMs, limit])).rows.map(noticeOf),
  },
  writes: {
    async addNotice(session: Session, notice: NewNotice): Promise<NoticeAddition> {
      const { id, atMs, accountId, kind, cause, occurrence, subject, text, link } = notice;
      if ((await session.run(take, [cause, occurrence, atMs])).count === 0)
        return (await first(session, isKnown, [cause, occurrence])) === null ? "too_soon" : "known";
      await session.run(add, [id, atMs, accountId, kind, storable(subject), storable(text), link]);
      return "added";
    },
    async noticeLeft(session: Session, id: string, way: NoticeWay, atMs: number): Promise<void> {
      await session.run(WAYS[way].leave, [id, atMs]);
    },
    async removeNoticesBefore(session: Session, beforeMs: number, limit: number): Promise<number> {
      await session.run(removeOldCauses, [beforeMs, limit]);
      return (await session.run(removeOld, [beforeMs, limit])).count;
    },
  },
  reports: {
    async notices(session: Session, { accountId, cursor, limit }: NoticeFilter): Promise<NoticePage> {
      // One more shows whether others follow.
      const values = [cursor ?? Number.MAX_SAFE_INTEGER, limit + 1];
      const { rows } = await (accountId === null
        ? session.run(listAll, values)
        : session.run(listOfAccount, [...values, accountId]));
      const page = rows.slice(0, limit);
      return { notices: page.map(noticeOf), cursor: rows.length > limit ? (page.at(-1)?.number ?? null) : null };
    },
    domainTroubles: async (
      session: Session,
      { sinceMs, limit }: { accountId: null; sinceMs: number; limit: number },
    ): Promise<DomainTrouble[]> => (await session.run(findTroubles, [sinceMs, limit])).rows,
  },
};

const noticeOf = ({ number: _, ...notice }: Row): StoredNotice => notice;

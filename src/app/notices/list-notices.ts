/** Listing notices, for the dashboard and the command line. */
import type { Accounts } from "../../spool/port/accounts.ts";
import { NOTICES_LISTED_MAX, type Notices, type StoredNotice } from "../../spool/port/notices.ts";

/** What the list is read from; a Store has both. */
export type NoticeSources = Pick<Notices, "notices"> & Pick<Accounts, "accounts">;

export interface NoticeListRequest {
  /** Null for all accounts and the installation: only for operators. */
  accountId: string | null;
  /** `next` of the previous page; null for the first. One that is malformed lists the first page. */
  after: string | null;
  limit: number;
}

/** A notice with the name of its account: null for the installation, and for an account that is emptied. */
export interface ListedNotice extends StoredNotice {
  account: string | null;
}

export interface ListedNotices {
  /** The newest first. */
  notices: ListedNotice[];
  /** `after` of the next page; null at the end. */
  next: string | null;
}

/** Rejects with SpoolUnavailable, and with TooManyReports. */
export async function listNotices(
  store: NoticeSources,
  { accountId, after, limit }: NoticeListRequest,
): Promise<ListedNotices> {
  const { notices, cursor } = await store.notices({
    accountId,
    ...(after !== null && /^\d{1,15}$/.test(after) ? { cursor: Number(after) } : {}),
    limit: Math.min(Math.max(1, limit), NOTICES_LISTED_MAX),
  });
  const names = new Map((await store.accounts()).map(({ id, name, isEmptied }) => [id, isEmptied ? null : name]));
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? null));
  const listed = notices.map((notice) => ({ ...notice, account: nameOf(notice.accountId) }));
  return { notices: listed, next: cursor === null ? null : String(cursor) };
}

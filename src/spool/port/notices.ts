/**
 * Notices: what users and operators have to know, such as a held key. app/notices/ decides which there are and who gets them. Times are
 * milliseconds since the epoch. Every method rejects with SpoolUnavailable as the spool's do (see errors.ts).
 */

/** Between two notices of one cause. */
export const NOTICE_APART_MS = 3_600_000;

export interface NewNotice {
  /** `ntc_` and random characters. */
  id: string;
  atMs: number;
  /** The account that it is about; null for the installation. */
  accountId: string | null;
  /** Such as `key_held`. */
  kind: string;
  /** What the notice is about, whatever its kind: two notices about it are at least NOTICE_APART_MS apart. */
  cause: string;
  /** What happened to the cause: one notice is given until something else happens to it. */
  occurrence: string;
  subject: string;
  /** Paragraphs, with an empty line between them. */
  text: string;
  /** A path of the dashboard, such as `/dashboard/keys`. */
  link: string;
}

export interface StoredNotice extends Omit<NewNotice, "cause" | "occurrence"> {
  /** When it was sent to every user who gets it by email; null before. */
  mailedAtMs: number | null;
  /** When the operators' webhook accepted it or was skipped; null before. */
  postedAtMs: number | null;
}

/** `known`: it is a notice already. `too_soon`: within NOTICE_APART_MS of another one of its cause. */
export type NoticeAddition = "added" | "known" | "too_soon";

/** The channels by which a notice leaves the service. */
export type NoticeWay = "mail" | "post";

/** Notices listed at once. */
export const NOTICES_LISTED_MAX = 100;

export interface NoticeFilter {
  /** Null for all accounts and the installation. */
  accountId: string | null;
  /** `cursor` of the previous page. */
  cursor?: number;
  /** From 1 to NOTICES_LISTED_MAX. */
  limit: number;
}

export interface NoticePage {
  /** The newest first. */
  notices: StoredNotice[];
  /** Null at the end. */
  cursor: number | null;
}

/** The event that a domain has begun to fail, or may no longer send. */
export interface DomainTrouble {
  /** The event's. */
  id: string;
  accountId: string;
  domain: string;
  type: "domain.failing" | "domain.lost";
  atMs: number;
}

export interface Notices {
  /** Of several concurrent calls, one adds a notice of a cause. */
  addNotice(notice: NewNotice): Promise<NoticeAddition>;
  /** Notices since a moment that were not sent by this channel, the oldest first. */
  openNotices(way: NoticeWay, sinceMs: number, limit: number): Promise<StoredNotice[]>;
  noticeLeft(id: string, way: NoticeWay, atMs: number): Promise<void>;
  /** Rejects with TooManyReports as the methods of reports.ts do. */
  notices(filter: NoticeFilter): Promise<NoticePage>;
  /** The events of all accounts' domains since a moment, the newest first. Rejects as `notices`. */
  domainTroubles(filter: { accountId: null; sinceMs: number; limit: number }): Promise<DomainTrouble[]>;
  /** Deletes at most `limit` notices from before a moment, the oldest first. Returns how many. */
  removeNoticesBefore(beforeMs: number, limit: number): Promise<number>;
}

/** What a user has chosen about the notices of one switch. */
export interface NoticeChoice {
  userId: string;
  /** Such as `failed_messages`. */
  name: string;
  /** Such as `digest`. */
  choice: string;
}

export interface NoticeChoices {
  /** Of all users, or of one. */
  noticeChoices(userId: string | null): Promise<NoticeChoice[]>;
  /** Replaces the user's choices of these names. */
  setNoticeChoices(userId: string, choices: Readonly<Record<string, string>>): Promise<void>;
}

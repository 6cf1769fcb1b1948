/** A notice: what a condition says of it, and its forms outside. It names no secret. */
import { rfc3339 } from "../../lib/clock.ts";
import { newId } from "../../lib/new-id.ts";
import type { StoredNotice } from "../../spool/port/notices.ts";
import type { NoticeKind } from "./kinds.ts";

export interface NoticeDraft {
  kind: NoticeKind;
  /** The account that it is about; null for the installation. */
  accountId: string | null;
  /** As NewNotice's. The kind is part of it only if notices of several kinds may come at the same time. */
  cause: string;
  /** As NewNotice's. */
  occurrence: string;
  subject: string;
  /** What happened, and what to do. */
  paragraphs: readonly string[];
  /** The page of the dashboard where it can be done. */
  link: `/dashboard/${string}`;
}

/** The text of the email. */
export const noticeText = ({ text, link }: Pick<StoredNotice, "text" | "link">, publicUrl: string): string =>
  `${text}\n\n${publicUrl}${link}\n`;

/** The notice in JSON: in the operators' webhook, and on the command line. */
export interface NoticeView {
  id: string;
  type: string;
  at: string;
  account: { id: string; name: string | null } | null;
  subject: string;
  text: string;
  url: string;
}

export interface ViewContext {
  publicUrl: string;
  /** The name of an account; null if it is not known. */
  nameOf: (accountId: string) => string | null;
}

export function noticeView(
  { id, kind, atMs, accountId, subject, text, link }: StoredNotice,
  { publicUrl, nameOf }: ViewContext,
): NoticeView {
  const account = accountId === null ? null : { id: accountId, name: nameOf(accountId) };
  return { id, type: `notice.${kind}`, at: rfc3339(atMs), account, subject, text, url: `${publicUrl}${link}` };
}

/** An example for the operators' webhook. It is not stored. */
export const testNotice = (nowMs: number): StoredNotice => ({
  id: newId("ntc"),
  atMs: nowMs,
  accountId: null,
  kind: "test",
  subject: "A test of the operators' webhook",
  text: "Notices of this installation and its accounts will come here.",
  link: "/dashboard/operator/notices",
  mailedAtMs: null,
  postedAtMs: null,
});

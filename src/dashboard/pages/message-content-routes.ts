/**
 * Routes of a message's content: its HTML as a separate document, its source and its files. A message of another account is reported as
 * not found. Senders have written all of it, so nothing of it is opened as a page of the dashboard.
 */
import type { Context } from "koa";
import { sendFile } from "../views/file-download.ts";
import { sendHtmlFrame } from "../views/html-frame.ts";
import { notFound } from "../web/page-error.ts";
import type { DashboardParts } from "../web/parts.ts";
import type { Page, Pages } from "./routes.ts";

export function createMessageContentRoutes({ reports }: Pick<DashboardParts, "reports">): Pages {
  const html: Page = async (ctx, auth) => {
    const document = await reports.htmlOf(auth.account.id, idOf(ctx));
    if (document === null) throw notFound();
    sendHtmlFrame(ctx, document);
  };
  const source: Page = async (ctx, auth) => {
    const content = await reports.contentOf(auth.account.id, idOf(ctx));
    if (content === null) throw notFound();
    sendFile(ctx, { filename: `${idOf(ctx)}.eml`, bytes: content, type: "message/rfc822" });
  };
  const attachment: Page = async (ctx, auth) => {
    const part = ctx.params.part ?? "";
    const file = /^\d{1,6}$/.test(part) ? await reports.attachmentOf(auth.account.id, idOf(ctx), Number(part)) : null;
    if (file === null) throw notFound();
    sendFile(ctx, { ...file, type: "application/octet-stream" });
  };
  return {
    "GET /messages/:id/html": html,
    "GET /messages/:id/source": source,
    "GET /messages/:id/attachments/:part": attachment,
  };
}

const idOf = (ctx: Context): string => ctx.params.id ?? "";

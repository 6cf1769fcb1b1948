/** The download of a search as comma-separated values. */

import type { Context } from "koa";
import { exportMessages } from "../../app/send/message-export.ts";
import type { AuthContext } from "../auth/sessions.ts";
import type { DashboardParts } from "../web/parts.ts";
import { type DownloadParts, Downloads } from "./downloads.ts";
import type { Search } from "./message-search.ts";

export type ExportParts = DownloadParts & Pick<DashboardParts, "reports" | "registry">;

export class MessageExports {
  readonly #parts: ExportParts;
  readonly #downloads: Downloads;

  constructor(parts: ExportParts, stalledMs?: number) {
    this.#parts = parts;
    this.#downloads = new Downloads(parts, stalledMs);
  }

  /** Begins the download. Throws a PageError while the account, or too many others, have one. */
  send(ctx: Context, auth: AuthContext, { filter }: Pick<Search, "filter">): Promise<void> {
    const { registry, reports } = this.#parts;
    const accountId = auth.account.id;
    const open = async () => {
      const names = new Map((await registry.keys(accountId)).map(({ id, name }) => [id, name]));
      const keyName = (keyId: string): string => names.get(keyId) ?? keyId;
      return exportMessages(reports, { filter: { ...filter, accountId }, keyName });
    };
    return this.#downloads.send(ctx, { accountId, name: "messages", open });
  }
}

/**
 * POST /api/sending/messages/{id}/status-link: the link to the status page of a message that the key may read. Nothing is stored, so it is
 * the same each time.
 */
import { STATUS_PAGES_ARE_OFF, type StatusLinks } from "../../app/status/status-links.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Spool } from "../../spool/port/spool.ts";
import type { Endpoint } from "../guarded-endpoints.ts";
import { ownReport } from "../lookup-message.ts";
import { Problem } from "../response/problems.ts";

export interface StatusLinkParts {
  spool: Pick<Spool, "report">;
  registry: Pick<Registry, "hasStatusPages">;
  statusLinks: Pick<StatusLinks, "fault" | "linkFor">;
}

export function createStatusLink({ spool, registry, statusLinks }: StatusLinkParts): Endpoint {
  return async (ctx, key) => {
    const { id, accountId, recipients, test } = await ownReport(spool, ctx.params.id ?? "", key);
    if (!(await registry.hasStatusPages(accountId))) throw new Problem("not_possible", STATUS_PAGES_ARE_OFF);
    const [recipient] = recipients;
    if (recipient === undefined || recipients.length > 1) {
      const detail = `A status page shows one recipient, and this message has ${recipients.length}.`;
      throw new Problem("not_possible", detail);
    }
    const fault = statusLinks.fault({ isTest: test });
    if (fault !== null) throw new Problem("not_possible", `${fault.charAt(0).toUpperCase()}${fault.slice(1)}`);
    ctx.body = { status_url: statusLinks.linkFor({ messageId: id, position: recipient.position }) };
  };
}

/**
 * Messages of Postrider's own to its users: from which domain they are sent, and which of them have a content that is shown to no user.
 * Whoever reads a link with a secret in the dashboard could act as its recipient.
 */
import { isLoopbackUrl } from "../../lib/loopback-name.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { Reports } from "../../spool/port/reports.ts";
import type { Spool } from "../../spool/port/spool.ts";

/** The key ids of these messages. */
export const INVITATION_KEY = "invitation";
export const PASSWORD_RESET_KEY = "password-reset";
/** Of notices that are sent from a domain of the default account, and are about another one. */
export const FOREIGN_NOTICE_KEY = "foreign-notice";

/** What a message with a link says where the link leads to the reader's own host. */
export const OWN_HOST_LINK = "The link works only on the host that Postrider runs on.";

/** What the operator reads beside a new link: how it comes to work elsewhere; null if it does. */
export const ownHostNote = (publicUrl: string): string | null =>
  isLoopbackUrl(publicUrl)
    ? `The link works only on this server, because PUBLIC_URL is ${publicUrl}. Set PUBLIC_URL to the address at which browsers reach Postrider, then invite again.`
    : null;

const SECRET_KEYS: ReadonlySet<string> = new Set([INVITATION_KEY, PASSWORD_RESET_KEY, FOREIGN_NOTICE_KEY]);

/** Whether the content of a message with this key id is shown to no user. */
export const isSecretContent = (keyId: string): boolean => SECRET_KEYS.has(keyId);

/** The account that exists from the first start and cannot be deleted. */
export const DEFAULT_ACCOUNT = "default";

/** The first verified domain of the account, else of the default account; null if neither has one. A deleted account sends nothing. */
export async function linkSender(
  registry: Pick<Registry, "accounts" | "domains">,
  accountId: string,
): Promise<Domain | null> {
  const accounts = await registry.accounts();
  const own = accounts.find(({ id, deletedAtMs }) => id === accountId && deletedAtMs === null);
  const fallback = accounts.find(({ name }) => name === DEFAULT_ACCOUNT);
  for (const account of [own, fallback]) {
    const domains = account === undefined ? [] : await registry.domains(account.id);
    const verified = domains.find((domain) => domain.verified);
    if (verified !== undefined) return verified;
  }
  return null;
}

type ContentReads = Pick<Reports, "contentOf" | "viewOf" | "htmlOf" | "bodiesOf" | "attachmentOf">;

/** The reports without contents that have a secret: those are reported as if they were deleted. */
export function withoutSecretContents(reports: Reports, spool: Pick<Spool, "report">): Reports {
  const unlessSecret = async <T>(accountId: string, messageId: string, read: () => Promise<T>): Promise<T | null> => {
    const report = await spool.report(messageId, accountId);
    return report === null || isSecretContent(report.keyId) ? null : read();
  };
  const reads: ContentReads = {
    contentOf: (account, id) => unlessSecret(account, id, () => reports.contentOf(account, id)),
    viewOf: (account, id) => unlessSecret(account, id, () => reports.viewOf(account, id)),
    htmlOf: (account, id) => unlessSecret(account, id, () => reports.htmlOf(account, id)),
    bodiesOf: (account, id) => unlessSecret(account, id, () => reports.bodiesOf(account, id)),
    attachmentOf: (account, id, part) => unlessSecret(account, id, () => reports.attachmentOf(account, id, part)),
  };
  return new Proxy(reports, {
    get(target, name) {
      if (name in reads) return reads[name as keyof ContentReads];
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

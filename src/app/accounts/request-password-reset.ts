/**
 * Sends a user a link for a new password. Who asks for it is not told whether there is such a user. After a few links in a short time
 * no further message is sent, and the earlier links stay valid.
 */
import type { Logger } from "../../lib/log.ts";
import { isLoopbackUrl } from "../../lib/loopback-name.ts";
import { newLinkToken } from "../../security/link-token.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import { ownAccountId } from "../../spool/port/memberships.ts";
import type { People } from "../../spool/port/people.ts";
import { linkSender, OWN_HOST_LINK, PASSWORD_RESET_KEY } from "../send/link-message.ts";
import { type ServiceMessageParts, sendServiceMessage } from "../send/service-message.ts";

export interface PasswordResetParts extends ServiceMessageParts {
  registry: Pick<Registry, "accounts" | "domains">;
  people: Pick<People, "userNamed" | "createPasswordReset">;
  log: Pick<Logger, "warn" | "info">;
  /** Base URL of links, without a final slash. */
  publicUrl: string;
}

/** What cannot be sent is logged. Rejects with SpoolUnavailable. */
export async function requestPasswordReset(parts: PasswordResetParts, email: string): Promise<void> {
  const { registry, people, clock, log, publicUrl } = parts;
  const user = await people.userNamed(email);
  if (user === null) return log.info("password reset for an unknown email address");
  const about = { userId: user.id, accountId: ownAccountId(user) };
  const domain = await linkSender(registry, about.accountId);
  if (domain === null) return log.warn(about, "no password reset: no domain of the account is verified");
  const { token, hash } = newLinkToken();
  const isMade = await people.createPasswordReset({ hash, userId: user.id, createdAtMs: clock.now() });
  if (!isMade) return log.info(about, "no password reset: too many recently");
  const paragraphs = [
    "Somebody, probably you, has asked for a new password for this email address at Postrider.",
    "To choose one, open this link within an hour. It can be used once.",
    `${publicUrl}/dashboard/new-password/${token}`,
    ...(isLoopbackUrl(publicUrl) ? [OWN_HOST_LINK] : []),
    "If it was not you, ignore this message: your password stays as it is.",
  ];
  const result = await sendServiceMessage(parts, {
    keyId: PASSWORD_RESET_KEY,
    domain,
    local: "postrider",
    to: user.email,
    html: null,
    idempotencyKey: null,
    subject: "A new password for Postrider",
    text: `${paragraphs.join("\n\n")}\n`,
    headers: [{ name: "Auto-Submitted", value: "auto-generated" }],
  });
  if (result.type === "accepted" || result.type === "replayed") return log.info(about, "password reset sent");
  log.warn({ ...about, fault: result.detail }, "password reset not sent");
}

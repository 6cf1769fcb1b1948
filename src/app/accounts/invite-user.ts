/** Invites somebody to an account: makes the link, and sends it where the account or the default account has a verified domain. */
import type { Logger } from "../../lib/log.ts";
import { isLoopbackUrl } from "../../lib/loopback-name.ts";
import { newId } from "../../lib/new-id.ts";
import { newLinkToken } from "../../security/link-token.ts";
import type { Account, Registry } from "../../spool/port/accounts.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { Role } from "../../spool/port/memberships.ts";
import { COMMAND_LINE } from "../decide/decide-recipients.ts";
import { INVITATION_KEY, linkSender, OWN_HOST_LINK, ownHostNote } from "../send/link-message.ts";
import { type ServiceMessageParts, sendServiceMessage } from "../send/service-message.ts";

export interface InviteParts extends ServiceMessageParts {
  registry: Pick<Registry, "createInvitation" | "accounts" | "domains">;
  log: Pick<Logger, "warn">;
  /** Base URL of links, without a final slash. */
  publicUrl: string;
}

export interface InviteRequest {
  account: Pick<Account, "id" | "name">;
  /** A valid email address. */
  email: string;
  role: Role;
  /** The email address of the user who invites, or COMMAND_LINE. */
  invitedBy: string;
  usersMax: number;
}

export type InviteResult =
  | { type: Exclude<Awaited<ReturnType<Registry["createInvitation"]>>, "created"> }
  | {
      type: "invited";
      /** Stored nowhere but in the message: to be shown once. */
      link: string;
      /** The domain that the message was sent from; null if none could be sent. */
      sentFrom: string | null;
      /** What the link needs; null if it works from everywhere. */
      linkNote: string | null;
    };

/** The one who invites, at the beginning of a sentence. */
export const inviterName = (invitedBy: string): string => (invitedBy === COMMAND_LINE ? "An operator" : invitedBy);

/** Rejects with SpoolUnavailable. */
export async function inviteUser(parts: InviteParts, request: InviteRequest): Promise<InviteResult> {
  const { account, email, role, invitedBy, usersMax } = request;
  const domain = await linkSender(parts.registry, account.id);
  const { token, hash } = newLinkToken();
  const id = newId("inv");
  const created = await parts.registry.createInvitation({
    id,
    hash,
    accountId: account.id,
    email,
    role,
    invitedBy,
    usersMax,
    createdAtMs: parts.clock.now(),
  });
  if (created !== "created") return { type: created };
  const link = `${parts.publicUrl}/dashboard/invitation/${token}`;
  const isSent = domain !== null && (await sendLink(parts, { ...request, domain, id, link }));
  return { type: "invited", link, sentFrom: isSent ? domain.name : null, linkNote: ownHostNote(parts.publicUrl) };
}

/** Returns whether the message is on disk. */
async function sendLink(
  parts: InviteParts,
  { account, email, invitedBy, domain, id, link }: InviteRequest & { domain: Domain; id: string; link: string },
): Promise<boolean> {
  const paragraphs = [
    `${inviterName(invitedBy)} invites you to the account ${account.name} of Postrider, the service that sends its messages.`,
    "To accept it and sign in, open this link within 7 days. It can be used once.",
    link,
    ...(isLoopbackUrl(parts.publicUrl) ? [OWN_HOST_LINK] : []),
    "If you did not expect this invitation, ignore this message.",
  ];
  const result = await sendServiceMessage(parts, {
    keyId: INVITATION_KEY,
    domain,
    local: "postrider",
    to: email,
    html: null,
    subject: `Invitation to the account ${account.name}`,
    text: `${paragraphs.join("\n\n")}\n`,
    headers: [{ name: "Auto-Submitted", value: "auto-generated" }],
    idempotencyKey: `invitation ${id}`,
  });
  if (result.type === "accepted" || result.type === "replayed") return true;
  parts.log.warn({ accountId: account.id, invitationId: id, fault: result.detail }, "invitation not sent");
  return false;
}

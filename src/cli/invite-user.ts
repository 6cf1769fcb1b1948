/** `users invite`: invites a person to an account, as the dashboard does. */

import { type InviteResult, inviteUser } from "../app/accounts/invite-user.ts";
import { rfc3339, systemClock } from "../lib/clock.ts";
import { parseMailbox } from "../message/address.ts";
import { INVITATION_MS } from "../spool/port/invitations.ts";
import type { Role } from "../spool/port/memberships.ts";
import { type CommandContext, type Implementation, pluralize, Refusal } from "./command.ts";

export const inviteUserCommand: Implementation = {
  async run(context, { positionals: [typed = ""], options }) {
    const { store, account, config, nowMs } = context;
    const mailbox = parseMailbox(typed);
    if (mailbox.type === "invalid") throw new Refusal(`${typed} is not an email address: ${mailbox.detail}`);
    const email = mailbox.address;
    const role = (options.role ?? "owner") as Role;
    const acceptMessage = await context.acceptMessage();
    const parts = {
      registry: store,
      acceptMessage,
      clock: systemClock,
      log: { warn() {} },
      publicUrl: config.publicUrl,
    };
    const request = { account, email, role, invitedBy: context.by, usersMax: config.usersMax };
    const invited = await inviteUser(parts, request);
    if (invited.type !== "invited") throw new Refusal(whyNotInvited(invited, context));
    const { link, sentFrom, linkNote } = invited;
    const validUntil = rfc3339(nowMs + INVITATION_MS);
    const sent =
      sentFrom === null
        ? "No message was sent, because no verified domain can send it: pass the link on."
        : `The link was sent to ${email} from ${sentFrom}.`;
    return {
      json: { email, account: account.name, role, link, valid_until: validUntil, sent_from: sentFrom },
      text: [
        `${email} is invited to the account ${account.name} as ${role}, by this link:`,
        "",
        link,
        "",
        `It can be used once, until ${validUntil}, and is not shown again. ${sent}`,
        ...(linkNote === null ? [] : [linkNote]),
      ].join("\n"),
    };
  },
};

function whyNotInvited(
  { type }: Exclude<InviteResult, { type: "invited" }>,
  { account: { name }, config: { usersMax } }: CommandContext,
): string {
  switch (type) {
    case "is_member":
      return `the account ${name} already has a user with this email address`;
    case "too_many": {
      const limit = pluralize(usersMax, "user");
      return `the account ${name} has reached its limit of ${limit} (USERS_MAX), open invitations included: remove one first`;
    }
    case "gone":
      return `the account ${name} is deleted: accounts restore ${name}`;
  }
}

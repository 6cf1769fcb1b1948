/** Commands that list, invite and remove dashboard users. */
import { COMMAND_LINE } from "../app/decide-recipients.ts";
import { type InviteResult, inviteUser } from "../app/invite-user.ts";
import { rfc3339, systemClock } from "../lib/clock.ts";
import { parseMailbox } from "../message/address.ts";
import { INVITATION_MS } from "../spool/port/invitations.ts";
import type { Role } from "../spool/port/people.ts";
import { type CommandContext, type Implementation, pluralize, Refusal } from "./command.ts";
import { table } from "./table.ts";

export const listUsers: Implementation = {
  async run({ store, account }, { options }) {
    const named = options.account === undefined ? null : account.id;
    const names = new Map((await store.accounts()).map(({ id, name }) => [id, name]));
    const users = (await store.people.users(named)).map((user) => ({
      ...{ id: user.id, email: user.email, account: names.get(user.accountId) ?? user.accountId },
      ...{
        operator: user.operator,
        role: user.role,
        second_factor: user.sealedTotp !== null,
        created_at: rfc3339(user.createdAtMs),
      },
    }));
    const rows = users.map((user) => [
      ...[user.email, user.account, user.operator ? `${user.role}, operator` : user.role],
      ...[user.second_factor ? "on" : "off", user.created_at],
    ]);
    return {
      json: users,
      text: table(["EMAIL", "ACCOUNT", "ROLE", "OPERATOR", "SECOND FACTOR", "CREATED"], rows, "No users."),
    };
  },
};

export const inviteUserCommand: Implementation = {
  async run(context, { positionals: [typed = ""], options }) {
    const { store, account, config, nowMs } = context;
    const mailbox = parseMailbox(typed);
    if (mailbox.type === "invalid") throw new Refusal(`${typed} is not an email address: ${mailbox.detail}`);
    const email = mailbox.address;
    const role = (options.role ?? "owner") as Role;
    if ((await store.people.userNamed(email)) !== null) throw new Refusal(`the user ${email} already exists`);
    const acceptMessage = await context.acceptMessage();
    const parts = {
      registry: store,
      acceptMessage,
      clock: systemClock,
      log: { warn() {} },
      publicUrl: config.publicUrl,
    };
    const by = { email: COMMAND_LINE, operator: true };
    const request = { account, email, role, by, usersMax: config.usersMax };
    const invited = await inviteUser(parts, request);
    if (invited.type !== "invited") throw new Refusal(whyNotInvited(invited, context));
    const { link, sentFrom } = invited;
    const validUntil = rfc3339(nowMs + INVITATION_MS);
    const sent =
      sentFrom === null
        ? "No message was sent, because no verified domain can send it: pass the link on."
        : `The link was sent to ${email} from ${sentFrom}.`;
    return {
      json: { email, account: account.name, role, link, valid_until: validUntil, sent_from: sentFrom },
      text: [
        `${email} is invited to the account ${account.name} as ${role}, by this link:`,
        ...["", link, ""],
        `It can be used once, until ${validUntil}, and is not shown again. ${sent}`,
      ].join("\n"),
    };
  },
};

function whyNotInvited(
  { type }: Exclude<InviteResult, { type: "invited" }>,
  { account: { name }, config: { usersMax } }: CommandContext,
): string {
  switch (type) {
    case "not_sent":
      return "the invitation could not be sent";
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

export const removeUser: Implementation = {
  async run({ store, confirm }, { positionals: [email = ""] }) {
    const user = await store.people.userNamed(email);
    if (user === null) throw new Refusal(`there is no user ${email}`);
    const isLastOperator =
      user.operator && (await store.people.users(null)).filter(({ operator }) => operator).length === 1;
    const warning = isLastOperator ? " No operator is left then." : "";
    await confirm(`Remove the user ${user.email}? Their sessions end at once.${warning}`);
    if (!(await store.people.removeUser(user.id))) throw new Refusal(`there is no user ${email}`);
    return { json: { id: user.id, email: user.email, removed: true }, text: `User ${user.email} removed.` };
  },
};

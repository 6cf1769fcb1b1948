/** Declarations of the commands for accounts and users. */
import { ROLES } from "../../spool/port/memberships.ts";
import { type Command, type CommandOption, STDIN } from "../command.ts";

const passwordStdin: CommandOption = {
  type: "boolean",
  usage: "--password-stdin",
  summary: "read the password from standard input, as one line",
};

const ROLE: CommandOption = {
  type: "string",
  usage: "[--role ROLE]",
  values: ROLES,
  summary: "what the user may do in the account; owner without it",
};

export const accountCommands: Command[] = [
  {
    usage: "accounts create NAME",
    summary: "create an account, with its own domains, keys and messages",
    examples: ["accounts create shop"],
    load: async () => (await import("../accounts.ts")).createAccount,
  },
  {
    usage: "accounts list",
    summary: "all accounts",
    examples: ["accounts list", "accounts list --json"],
    load: async () => (await import("../accounts.ts")).listAccounts,
  },
  {
    usage: "accounts delete NAME",
    summary: "delete an account; it can be restored for 7 days",
    details: `Its API keys are rejected from the next request on. What it has accepted is still delivered. Until it is emptied, 7 days later, its users
can sign in and read. Then its users, keys, domains, webhooks and invitations are removed. Without a terminal it needs --yes.`,
    irreversible: "after 7 days",
    examples: ["accounts delete shop"],
    load: async () => (await import("../accounts.ts")).deleteAccountCommand,
  },
  {
    usage: "accounts restore NAME",
    summary: "restore an account that was deleted in the last 7 days: its API keys are valid again",
    examples: ["accounts restore shop"],
    load: async () => (await import("../accounts.ts")).restoreAccountCommand,
  },
  {
    usage: "accounts set-quota NAME N",
    summary: "limit the recipients of an account in a UTC day; 0 for no limit, default for QUOTA_DAILY",
    examples: ["accounts set-quota shop 5000", "accounts set-quota shop default"],
    load: async () => (await import("../accounts.ts")).setQuota,
  },
  {
    usage: "accounts set-status-pages NAME on|off",
    summary:
      "allow status pages of an account's messages, or end them: their links show nothing until they are on again",
    examples: ["accounts set-status-pages shop off"],
    load: async () => (await import("../accounts.ts")).setStatusPages,
  },
];

export const userCommands: Command[] = [
  {
    usage: "users create EMAIL",
    input: () => STDIN,
    summary: "create a dashboard user of the account",
    options: {
      "password-stdin": passwordStdin,
      operator: {
        type: "boolean",
        usage: "[--operator]",
        summary: "the user sees the whole system, and creates accounts and users",
      },
      role: ROLE,
    },
    examples: [
      "users create ann@example.com --password-stdin < new-password",
      "users create bob@example.com --account shop --role viewer --password-stdin < new-password",
    ],
    load: async () => (await import("../accounts.ts")).createUser,
  },
  {
    usage: "users invite EMAIL",
    summary: "invite a user to the account, and print the link, only this once",
    details: `With the link, the person chooses a password and signs in; who has a user of another account signs in and joins this one. It begins with PUBLIC_URL, is valid for 7 days and can be used once. It is
also sent to the email address if the account, or the default account, has a verified domain. A new invitation of the same email
address replaces the former one.`,
    options: { role: ROLE },
    examples: [
      "users invite ann@example.com --account shop",
      "users invite bob@example.com --account shop --role viewer",
    ],
    load: async () => (await import("../invite-user.ts")).inviteUserCommand,
  },
  {
    usage: "users list",
    summary: "the dashboard users of all accounts, or of the one of --account",
    examples: ["users list", "users list --account shop"],
    load: async () => (await import("../users.ts")).listUsers,
  },
  {
    usage: "users remove EMAIL",
    summary: "remove a dashboard user, and end the user's sessions",
    details: "With --account, a user of several accounts is removed only from that one, and keeps the others.",
    irreversible: true,
    examples: ["users remove ann@example.com", "users remove ann@example.com --account shop"],
    load: async () => (await import("../users.ts")).removeUser,
  },
  {
    usage: "users set-password EMAIL",
    summary: "change a user's password, and end the user's sessions",
    input: () => STDIN,
    options: { "password-stdin": passwordStdin },
    examples: ["users set-password ann@example.com --password-stdin < new-password"],
    load: async () => (await import("../accounts.ts")).setPassword,
  },
  {
    usage: "users reset-second-factor EMAIL",
    summary: "turn a user's second factor off, for a lost phone, and end the user's sessions",
    examples: ["users reset-second-factor ann@example.com"],
    load: async () => (await import("../accounts.ts")).resetSecondFactor,
  },
];

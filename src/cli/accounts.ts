/** Commands for accounts and for the users who sign in to them. */
import { isAccountName } from "../app/accounts/account-name.ts";
import { accountView, deletionView } from "../app/accounts/account-view.ts";
import { type AccountDeletion, deleteAccount, restoreAccount } from "../app/accounts/delete-account.ts";
import { rfc3339 } from "../lib/clock.ts";
import { parseMailbox } from "../message/address.ts";
import { hashPassword, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../security/passwords.ts";
import { type Account, GRACE_MS } from "../spool/port/accounts.ts";
import type { Role } from "../spool/port/memberships.ts";
import type { User } from "../spool/port/people.ts";
import { type CommandContext, type Implementation, pluralize, Refusal, UsageError } from "./command.ts";
import { table } from "./table.ts";

const PASSWORD_BYTES_MAX = 4096;

export const createAccount: Implementation = {
  createsSpool: true,
  async run({ store, nowMs }, { positionals: [name = ""] }) {
    if (!isAccountName(name)) throw new Refusal("an account's name is 1 to 63 characters of a-z, 0-9, - and _");
    const account = await store.createAccount(name, nowMs);
    if (account === "exists") throw new Refusal(`the account ${name} already exists`);
    return { json: { id: account.id, name: account.name }, text: `Account ${name} created.` };
  },
};

export const listAccounts: Implementation = {
  async run({ store }) {
    const inUse = (await store.accounts()).filter(({ isEmptied }) => !isEmptied);
    const accounts = inUse.map(accountView);
    const rows = accounts.map((a) => [
      a.name,
      a.id,
      a.created_at,
      a.restorable_until === undefined ? "active" : `deleted, can be restored until ${a.restorable_until}`,
    ]);
    return { json: accounts, text: table(["NAME", "ID", "CREATED", "STATE"], rows, "No accounts.") };
  },
};

/** Who uses the command line has the host. */
const OPERATOR = { operator: true };

export const deleteAccountCommand: Implementation = {
  async run({ store, confirm, nowMs }, { positionals: [name = ""] }) {
    const account = await accountNamed(store, name);
    if (account.deletedAtMs !== null) throw new Refusal(alreadyDeleted(name, account.deletedAtMs));
    const deletion = deletionView(nowMs);
    const question = `Delete the account ${name}? Its API keys are rejected at once. Until ${deletion.restorable_until} it can be restored; then its users, keys, domains, webhooks and invitations are removed permanently.`;
    await confirm(question, { typed: name, isRequired: true });
    const parts = { registry: store, spool: store };
    const deleted = await deleteAccount(parts, account, { by: OPERATOR, nowMs });
    if (deleted !== "deleted") throw new Refusal(whyNotDeleted(deleted, name));
    const text = `Account ${name} deleted: its API keys are rejected from now on, and what it has accepted is still delivered. It can be restored until ${deletion.restorable_until}: accounts restore ${name}`;
    return { json: { id: account.id, name, ...deletion }, text };
  },
};

function whyNotDeleted(result: Exclude<AccountDeletion, "deleted">, name: string): string {
  switch (result) {
    case "is_default":
      return `the account ${name} cannot be deleted: the service sends its own messages from it`;
    case "has_operators":
      return `the account ${name} has users who are operators: remove them first, so that the service does not lose its operators`;
    case "already_deleted":
      return `the account ${name} is already deleted`;
    case "not_found":
      return `there is no account ${name}`;
  }
}

const alreadyDeleted = (name: string, atMs: number): string =>
  `the account ${name} is already deleted, and can be restored until ${rfc3339(atMs + GRACE_MS)}: accounts restore ${name}`;

export const restoreAccountCommand: Implementation = {
  async run({ store }, { positionals: [name = ""] }) {
    const account = await accountNamed(store, name);
    const restored = await restoreAccount({ registry: store, spool: store }, account, OPERATOR);
    if (restored !== "restored") throw new Refusal(`the account ${name} is not deleted`);
    const text = `Account ${name} restored: its API keys are valid again.`;
    return { json: { id: account.id, name, restored: true }, text };
  },
};

async function accountNamed(store: CommandContext["store"], name: string): Promise<Account> {
  const account = await store.accountNamed(name);
  if (account === null) throw new Refusal(`there is no account ${name}`);
  return account;
}

export const setQuota: Implementation = {
  async run({ config, store }, { positionals: [name = "", typed = ""] }) {
    const isDefault = typed === "default";
    if (!isDefault && !/^\d{1,12}$/.test(typed)) {
      throw new UsageError(`'${typed}' is not a whole number; 0 is no limit, default is that of QUOTA_DAILY`);
    }
    const account = await accountNamed(store, name);
    const quota = isDefault ? null : Number(typed);
    await store.setQuota(account.id, quota);
    const effective = quota ?? config.quotaDaily;
    const limit = effective === 0 ? "no limit of recipients" : `${pluralize(effective, "recipient")} a day`;
    const json = { account: name, quota_daily: quota, effective_quota_daily: effective };
    return { json, text: `The account ${name} has ${limit}${isDefault ? ", the default" : ""}.` };
  },
};

export const setStatusPages: Implementation = {
  async run({ store }, { positionals: [name = "", typed = ""] }) {
    const account = await accountNamed(store, name);
    await store.setStatusPages(account.id, typed === "on");
    return {
      json: { account: name, status_pages: typed === "on" },
      text: `Status pages of the account ${name} are ${typed}.`,
    };
  },
};

export const createUser: Implementation = {
  createsSpool: true,
  async run({ config: { usersMax }, store, account, nowMs, readInput }, { positionals: [email = ""], options }) {
    const mailbox = parseMailbox(email);
    if (mailbox.type === "invalid") throw new Refusal(`${email} is not an email address: ${mailbox.detail}`);
    const password = await readPassword(readInput);
    const operator = options.operator === true;
    const role = (options.role ?? "owner") as Role;
    const passwordHash = await hashPassword(password);
    const user = {
      email: mailbox.address,
      accountId: account.id,
      passwordHash,
      operator,
      role,
      createdAtMs: nowMs,
      usersMax,
    };
    const created = await store.createUser(user);
    if (created === "exists") throw new Refusal(`the user ${mailbox.address} already exists`);
    if (created === "too_many") {
      const limit = pluralize(usersMax, "user");
      throw new Refusal(`the account ${account.name} has reached its limit of ${limit} (USERS_MAX): remove one first`);
    }
    const json = { id: created.id, email: mailbox.address, account: account.name, operator, role };
    return { json, text: `User ${mailbox.address} created in account ${account.name}.` };
  },
};

export const setPassword: Implementation = {
  async run({ store, readInput }, { positionals: [email = ""] }) {
    const user = await requireUser(store, email);
    const passwordHash = await hashPassword(await readPassword(readInput));
    await store.people.setPassword(user.id, passwordHash);
    const ended = await store.people.endSessions(user.id, null);
    const json = { id: user.id, email: user.email, sessions_ended: ended };
    return { json, text: `Changed the password of ${user.email}; ${pluralize(ended, "session")} ended.` };
  },
};

export const resetSecondFactor: Implementation = {
  async run({ store }, { positionals: [email = ""] }) {
    const user = await requireUser(store, email);
    if (user.sealedTotp === null) throw new Refusal(`${user.email} has no second factor`);
    await store.people.setTotp(user.id, null);
    const ended = await store.people.endSessions(user.id, null);
    const json = { id: user.id, email: user.email, sessions_ended: ended };
    return { json, text: `Turned off the second factor of ${user.email}; ${pluralize(ended, "session")} ended.` };
  },
};

/** Reads a password as one line of standard input. Rejects with a Refusal if it cannot be a password. */
async function readPassword(readInput: CommandContext["readInput"]): Promise<string> {
  const password = (await readInput(PASSWORD_BYTES_MAX)).replace(/\r?\n$/, "");
  if (/[\r\n]/.test(password)) throw new Refusal("the password on standard input must be a single line");
  if (password.length < PASSWORD_LENGTH_MIN) {
    throw new Refusal(`the password must have at least ${PASSWORD_LENGTH_MIN} characters`);
  }
  if (password.length > PASSWORD_LENGTH_MAX) {
    throw new Refusal(`the password must have at most ${PASSWORD_LENGTH_MAX} characters`);
  }
  return password;
}

async function requireUser({ people }: CommandContext["store"], email: string): Promise<User> {
  const user = await people.userNamed(email);
  if (user === null) throw new Refusal(`there is no user ${email}`);
  return user;
}

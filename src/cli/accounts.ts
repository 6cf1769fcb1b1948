/** Accounts, and the people who sign in to them. */
import { rfc3339 } from "../clock.ts";
import { parseMailbox } from "../message/address.ts";
import { hashPassword, PASSWORD_LENGTH_MIN } from "../passwords.ts";
import { type Command, Refusal, table, UsageError } from "./command.ts";

const PASSWORD_BYTES_MAX = 4096;

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

const create: Command = {
  usage: "accounts create NAME",
  about: "make an account: domains, keys and messages of its own",
  makesSpool: true,
  async run({ store, nowMs }, { positionals: [name = ""] }) {
    if (!NAME.test(name)) throw new Refusal("an account's name is 1 to 63 of a-z, 0-9, - and _");
    const account = await store.createAccount(name, nowMs);
    if (account === "exists") throw new Refusal(`there is an account ${name} already`);
    return { json: { id: account.id, name: account.name }, text: `Account ${name} created.` };
  },
};

const list: Command = {
  usage: "accounts list",
  about: "all accounts",
  async run({ store }) {
    const accounts = (await store.accounts()).map((a) => ({
      id: a.id,
      name: a.name,
      created_at: rfc3339(a.createdAtMs),
    }));
    const rows = accounts.map((a) => [a.name, a.id, a.created_at]);
    return { json: accounts, text: table(["NAME", "ID", "CREATED"], rows, "No accounts.") };
  },
};

const createUser: Command = {
  usage: "users create EMAIL",
  about: "make a user of the account, for the dashboard",
  options: {
    "password-stdin": { type: "boolean", usage: "--password-stdin" },
    operator: { type: "boolean", usage: "[--operator]" },
  },
  makesSpool: true,
  async run({ store, account, nowMs, readInput }, { positionals: [email = ""], options }) {
    if (options["password-stdin"] !== true) {
      throw new UsageError("users create reads the password from standard input: give --password-stdin");
    }
    const mailbox = parseMailbox(email);
    if (mailbox.type === "invalid") throw new Refusal(`${email} is not an address: ${mailbox.detail}`);
    const password = (await readInput(PASSWORD_BYTES_MAX)).replace(/\r?\n$/, "");
    if (/[\r\n]/.test(password)) throw new Refusal("the password on standard input must be a single line");
    if (password.length < PASSWORD_LENGTH_MIN) {
      throw new Refusal(`the password must have at least ${PASSWORD_LENGTH_MIN} characters`);
    }
    const operator = options.operator === true;
    const passwordHash = await hashPassword(password);
    const user = { email: mailbox.address, accountId: account.id, passwordHash, operator, createdAtMs: nowMs };
    const created = await store.createUser(user);
    if (created === "exists") throw new Refusal(`there is a user ${mailbox.address} already`);
    const json = { id: created.id, email: mailbox.address, account: account.name, operator };
    return { json, text: `User ${mailbox.address} created in account ${account.name}.` };
  },
};

export const accountCommands = [create, list, createUser];

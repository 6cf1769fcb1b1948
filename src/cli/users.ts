/** Commands that list and remove dashboard users. */
import { userView } from "../app/accounts/account-view.ts";
import { type Implementation, Refusal } from "./command.ts";
import { table } from "./table.ts";

export const listUsers: Implementation = {
  async run({ store, account }, { options }) {
    const named = options.account === undefined ? null : account.id;
    const names = new Map((await store.accounts()).map(({ id, name }) => [id, name]));
    const users = (await store.people.users(named)).map((user) => userView(user, names, named));
    const shown = users.flatMap((user) =>
      named === null ? user.memberships.map(({ account, role }) => ({ ...user, account, role })) : [user],
    );
    const rows = shown.map((user) => [
      user.email,
      user.account,
      user.role,
      user.operator ? "yes" : "no",
      user.second_factor ? "on" : "off",
      user.created_at,
    ]);
    return {
      json: users,
      text: table(["EMAIL", "ACCOUNT", "ROLE", "OPERATOR", "SECOND FACTOR", "CREATED"], rows, "No users."),
    };
  },
};

export const removeUser: Implementation = {
  async run({ store, confirm, account }, { positionals: [email = ""], options }) {
    const user = await store.people.userNamed(email);
    if (user === null) throw new Refusal(`there is no user ${email}`);
    const { id } = user;
    if (options.account !== undefined && user.memberships.some(({ accountId }) => accountId !== account.id)) {
      await confirm(`Remove the user ${user.email} from the account ${account.name}? Other accounts of the user stay.`);
      const change = { accountId: account.id, userId: id, role: null, keepOwner: false };
      const changed = await store.people.changeMember(change);
      if (changed !== "changed") throw new Refusal(`${user.email} is no user of the account ${account.name}`);
      const json = { id, email: user.email, account: account.name, removed: true };
      return { json, text: `User ${user.email} removed from the account ${account.name}.` };
    }
    const isLastOperator =
      user.operator && (await store.people.users(null)).filter(({ operator }) => operator).length === 1;
    const warning = isLastOperator ? " No operator is left then." : "";
    await confirm(`Remove the user ${user.email}? Their sessions end at once.${warning}`);
    if (!(await store.people.removeUser(user.id))) throw new Refusal(`there is no user ${email}`);
    return { json: { id: user.id, email: user.email, removed: true }, text: `User ${user.email} removed.` };
  },
};

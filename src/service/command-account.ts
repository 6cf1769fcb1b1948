/** The account that a command works on: that of --account, or the one that has what the command names by an id. */
import { type Command, type ParsedArguments, Refusal } from "../cli/command.ts";
import { shapeOf } from "../cli/usage.ts";
import type { Account } from "../spool/port/accounts.ts";
import type { Store } from "../spool/port/store.ts";

/** Finds the account of an id by the beginning of the id; null if no account has it. */
const OWNERS: readonly [begin: string, ownerOf: (store: Store, id: string) => Promise<string | null>][] = [
  ["msg_", async (store, id) => (await store.report(id).catch(() => null))?.accountId ?? null],
  ["end_", async (store, id) => (await store.endpoints(null)).find((each) => each.id === id)?.accountId ?? null],
  ["key_", keyOwner],
];

async function keyOwner(store: Store, keyId: string): Promise<string | null> {
  for (const { id } of await store.accounts()) {
    if ((await store.keys(id)).some((key) => key.id === keyId)) return id;
  }
  return null;
}

/** Rejects with a Refusal for a name that no account has. `otherwise`: the account where nothing is named. */
export async function accountOf(
  store: Store,
  { command, args }: { command: Command; args: ParsedArguments },
  otherwise: () => Promise<Account | null>,
): Promise<Account> {
  const { account: named } = args.options;
  if (typeof named === "string") {
    const account = (await store.accountNamed(named)) ?? (await store.accountWithId(named));
    if (account === null) throw new Refusal(`there is no account ${named}`);
    return account;
  }
  const owner = await ownerOf(store, idOf(command, args));
  const account = owner === null ? await otherwise() : await store.accountWithId(owner);
  if (account === null) throw new Refusal("there is no account default");
  return account;
}

/** The positional that the usage calls ID; undefined without one. */
function idOf(command: Command, { positionals }: ParsedArguments): string | undefined {
  const at = shapeOf(command).positionals.findIndex(({ name }) => name === "ID");
  return at === -1 ? undefined : positionals[at];
}

async function ownerOf(store: Store, id: string | undefined): Promise<string | null> {
  const [, find] = OWNERS.find(([begin]) => id?.startsWith(begin)) ?? [];
  return id === undefined || find === undefined ? null : find(store, id);
}

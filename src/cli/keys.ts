/** Commands for API keys. */
import { createApiKey } from "../app/create-key.ts";
import { rfc3339 } from "../lib/clock.ts";
import { displayNameFault } from "../lib/display-name.ts";
import { beginsAsApiKey } from "../security/api-key-format.ts";
import { type Implementation, pluralize, Refusal } from "./command.ts";
import { table } from "./table.ts";

/** Throws a Refusal for a key in place of its id: errors would repeat it, and the log of the output may keep it. */
export function refuseKeyItself(id: string): void {
  if (beginsAsApiKey(id)) throw new Refusal("give the key's ID, as keys list shows it, not the key itself");
}

export const createKey: Implementation = {
  createsSpool: true,
  async run({ config: { keysMax }, store, account, nowMs }, { options }) {
    const { test = false } = options;
    const name = String(options.name);
    const fault = displayNameFault(name);
    if (fault !== null) throw new Refusal(`the key's name ${fault}`);
    if (account.deletedAtMs !== null) {
      throw new Refusal(`the account ${account.name} is deleted: restore it in the dashboard first`);
    }
    const created = await createApiKey(store, { accountId: account.id, name, nowMs, keysMax, test: test === true });
    if (created.type === "too_many") {
      const limit = pluralize(keysMax, "active key");
      throw new Refusal(`the account ${account.name} has reached its limit of ${limit} (KEYS_MAX): revoke one first`);
    }
    const { id, key } = created;
    const kind = test === true ? "Test key" : "Key";
    return { json: { id, name, key }, text: `${key}\n\n${kind} ${id} created. It is not shown again.` };
  },
};

export const listKeys: Implementation = {
  async run({ store, account }) {
    const time = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));
    const keys = (await store.keys(account.id)).map((key) => ({
      id: key.id,
      name: key.name,
      test: key.test,
      last_four: key.lastFour,
      created_at: rfc3339(key.createdAtMs),
      last_used_at: time(key.lastUsedAtMs),
      revoked_at: time(key.revokedAtMs),
    }));
    const rows = keys.map((key) => [
      key.id,
      key.name,
      key.test ? "test" : "live",
      `…${key.last_four}`,
      key.created_at,
      key.last_used_at ?? "never",
      key.revoked_at === null ? "active" : `revoked ${key.revoked_at}`,
    ]);
    const heading = ["ID", "NAME", "KIND", "KEY", "CREATED", "LAST USED", "STATE"];
    return { json: keys, text: table(heading, rows, "No keys.") };
  },
};

export const revokeKey: Implementation = {
  async run({ store, account, nowMs, confirm }, { positionals: [id = ""] }) {
    refuseKeyItself(id);
    const key = (await store.keys(account.id)).find((each) => each.id === id);
    if (key?.revokedAtMs === null) {
      await confirm(`Revoke the key ${id} (${key.name})? Requests with it are refused from now on, for good.`);
    }
    const outcome = await store.revokeKey(account.id, id, nowMs);
    if (outcome === "not_found") throw new Refusal(`the account ${account.name} has no key ${id}`);
    if (outcome === "already_revoked") throw new Refusal(`the key ${id} is already revoked`);
    return { json: { id, revoked: true }, text: `Key ${id} revoked.` };
  },
};

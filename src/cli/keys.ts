/** Commands for API keys. */

import { actOnHeld, fuseOf, type HeldMail, releaseHeld } from "../app/decide/held-keys.ts";
import type { AccessInput, KeyContext } from "../app/send/key-access.ts";
import { type KeyView, keyView } from "../app/send/key-view.ts";
import { systemClock } from "../lib/clock.ts";
import { displayNameFault } from "../lib/display-name.ts";
import { beginsAsApiKey } from "../security/api-key-format.ts";
import { type ApiKey, FULL_ACCESS, type KeyAccess } from "../spool/port/api-keys.ts";
import { bulkParts } from "./bulk.ts";
import {
  type CommandContext,
  type Implementation,
  type ParsedArguments,
  pluralize,
  Refusal,
  UsageError,
} from "./command.ts";
import { table } from "./table.ts";
import { parseUntil } from "./until.ts";

/** Throws a Refusal for a key in place of its id: errors would repeat it, and the log of the output may keep it. */
export function refuseKeyItself(id: string): void {
  if (beginsAsApiKey(id)) throw new Refusal("give the key's ID, as keys list shows it, not the key itself");
}

/** Reads the options of what a key may do. What is not given remains as in `former`. */
function accessInput(
  { options: { permissions, domains, networks, expires } }: ParsedArguments,
  former: KeyAccess,
  nowMs: number,
): AccessInput {
  const listOf = (text: string): string[] => text.split(",").map((each) => each.trim());
  const someOrAll = (text: unknown, unchanged: readonly string[] | null): readonly string[] | null =>
    typeof text !== "string" ? unchanged : text === ALL ? null : listOf(text);
  return {
    permissions: typeof permissions === "string" ? listOf(permissions) : former.permissions,
    domains: someOrAll(domains, former.domains),
    networks: someOrAll(networks, former.networks),
    expiresAt:
      typeof expires !== "string"
        ? former.expiresAtMs
        : expires === NEVER
          ? null
          : parseUntil("expires", expires, nowMs),
  };
}

const ALL = "all";
const NEVER = "never";

const OPTIONS: Readonly<Record<keyof AccessInput, string>> = {
  permissions: "permissions",
  domains: "domains",
  networks: "networks",
  expiresAt: "expires",
};

/** Throws a Refusal for what a key cannot have. */
async function readAccess(input: AccessInput, context: KeyContext): Promise<KeyAccess> {
  // Loads the public suffix list, which a list of keys does without.
  const { validateAccess } = await import("../app/send/key-access.ts");
  const access = await validateAccess(input, context);
  if (access.type === "valid") return access;
  throw new Refusal(`--${OPTIONS[access.field]}: ${access.detail}`);
}

async function givenBy({ mayOperate }: CommandContext) {
  const { mayGive } = await import("../app/send/key-access.ts");
  return mayGive({ isOperator: mayOperate, isOwner: true });
}

/** Throws a Refusal for a key that may do more than who runs the command. */
async function requireChangeable(context: CommandContext, key: ApiKey): Promise<void> {
  if (context.mayOperate) return;
  const { keyChangeFault } = await import("../app/send/key-access.ts");
  const fault = keyChangeFault(key, await givenBy(context));
  if (fault !== null) throw new Refusal(fault);
}

function readName(name: unknown): string {
  const fault = displayNameFault(String(name));
  if (fault !== null) throw new Refusal(`the key's name ${fault}`);
  return String(name);
}

export const createKey: Implementation = {
  createsSpool: true,
  async run(context, args) {
    const { store, account, nowMs } = context;
    const { keysMax } = context.config;
    const { test = false } = args.options;
    const name = readName(args.options.name);
    if (account.deletedAtMs !== null) {
      throw new Refusal(`the account ${account.name} is deleted: restore it in the dashboard first`);
    }
    const accountId = account.id;
    const input = accessInput(args, FULL_ACCESS, nowMs);
    const isTest = test === true;
    const access = await readAccess(input, {
      registry: store,
      accountId,
      former: null,
      nowMs,
      isTest,
      mayGive: await givenBy(context),
    });
    const { createApiKey } = await import("../app/send/create-key.ts");
    const created = await createApiKey(store, { accountId, name, nowMs, keysMax, test: isTest, access });
    if (created.type === "too_many") {
      const limit = pluralize(keysMax, "active key");
      throw new Refusal(`the account ${account.name} has reached its limit of ${limit} (KEYS_MAX): revoke one first`);
    }
    const { id, key } = created;
    const kind = isTest ? "Test key" : "Key";
    return { json: { id, name, key }, text: `${key}\n\n${kind} ${id} created. It is not shown again.` };
  },
};

export const listKeys: Implementation = {
  async run({ store, account, nowMs }) {
    const fuses = new Map((await store.keyFuses()).map((fuse) => [fuse.keyId, fuse]));
    const shown = (await store.keys(account.id)).map((key) => keyView(key, fuses.get(key.id), nowMs));
    const rows = shown.map((key) => [
      key.id,
      key.name,
      key.test ? "test" : "live",
      key.permissions.join(","),
      key.domains?.join(",") ?? ALL,
      `…${key.last_four}`,
      key.created_at,
      key.last_used_at ?? "never",
      stateOf(key),
    ]);
    const heading = ["ID", "NAME", "KIND", "PERMISSIONS", "DOMAINS", "KEY", "CREATED", "LAST USED", "STATE"];
    const held = shown.flatMap((key) => (key.held_because === null ? [] : [`${key.id} is held: ${key.held_because}.`]));
    return { json: shown, text: [table(heading, rows, "No keys."), ...held].join("\n") };
  },
};

function stateOf(key: KeyView): string {
  const { state, revoked_at: revoked, expires_at: expires, held_since: held, fuse } = key;
  const parts = [
    state === "revoked" ? `revoked ${revoked}` : state === "expired" ? `expired ${expires}` : "active",
    ...(state === "active" && expires !== null ? [`until ${expires}`] : []),
    ...(key.networks === null ? [] : [`from ${key.networks.join(", ")}`]),
    ...(held === null ? [] : [`held since ${held}`]),
    ...(fuse.off ? ["never held"] : fuse.limit === null ? [] : [`held above ${fuse.limit} in ten minutes`]),
  ];
  return parts.join(", ");
}

export const editKey: Implementation = {
  async run(context, args) {
    const { store, account, nowMs } = context;
    const {
      positionals: [id = ""],
      options,
    } = args;
    refuseKeyItself(id);
    if (["name", ...Object.values(OPTIONS)].every((option) => options[option] === undefined)) {
      throw new UsageError("keys edit needs --name, --permissions, --domains, --networks or --expires");
    }
    const accountId = account.id;
    const key = (await store.keys(accountId)).find((each) => each.id === id);
    if (key === undefined) throw new Refusal(`the account ${account.name} has no key ${id}`);
    const name = options.name === undefined ? key.name : readName(options.name);
    const input = accessInput(args, key, nowMs);
    await requireChangeable(context, key);
    const given = await givenBy(context);
    const access = await readAccess(input, {
      registry: store,
      accountId,
      former: key.domains,
      nowMs,
      isTest: key.test,
      mayGive: given,
    });
    const changed = await store.changeKey({ accountId, keyId: id, name, access });
    if (changed !== "changed") throw new Refusal(`the key ${id} is revoked`);
    const shown = keyView({ ...key, ...access, name }, undefined, nowMs);
    const json = {
      id,
      name,
      permissions: shown.permissions,
      domains: shown.domains,
      networks: shown.networks,
      expires_at: shown.expires_at,
    };
    const sentences = [
      `Key ${id} changed. Permissions: ${access.permissions.join(", ")}. Domains: ${access.domains?.join(", ") ?? ALL}.`,
      `Networks: ${access.networks?.join(", ") ?? ALL}. Expires: ${shown.expires_at ?? NEVER}.`,
    ];
    return { json, text: sentences.join(" ") };
  },
};

export const revokeKey: Implementation = {
  async run(context, { positionals: [id = ""] }) {
    const { store, account, nowMs, confirm } = context;
    refuseKeyItself(id);
    const key = (await store.keys(account.id)).find((each) => each.id === id);
    if (key !== undefined) await requireChangeable(context, key);
    if (key?.revokedAtMs === null) {
      await confirm(`Revoke the key ${id} (${key.name})? Requests with it are rejected permanently.`);
    }
    const outcome = await store.revokeKey(account.id, id, nowMs);
    if (outcome === "not_found") throw new Refusal(`the account ${account.name} has no key ${id}`);
    if (outcome === "already_revoked") throw new Refusal(`the key ${id} is already revoked`);
    return { json: { id, revoked: true }, text: `Key ${id} revoked.` };
  },
};

const actedKey = (context: CommandContext, keyId: string): HeldMail => ({
  accountId: context.account.id,
  keyId,
  by: context.by,
  maxAgeMs: context.config.retryMaxAgeMs,
});

const now = (): number => systemClock.now();

/** Throws Refusal unless the account has the key. */
async function existingKey(context: CommandContext, id: string): Promise<ApiKey> {
  const { store, account } = context;
  refuseKeyItself(id);
  const key = (await store.keys(account.id)).find((each) => each.id === id);
  if (key === undefined) throw new Refusal(`the account ${account.name} has no key ${id}; keys list shows all`);
  await requireChangeable(context, key);
  return key;
}

const notHeld = (id: string): Refusal => new Refusal(`${id} is not held; keys list shows all keys`);

/** Throws Refusal unless the account has the key, and it is held. */
async function heldKey(context: CommandContext, id: string): Promise<ApiKey> {
  const key = await existingKey(context, id);
  const fuse = await fuseOf(context.store, actedKey(context, id));
  if (fuse === null || fuse.held === null) throw notHeld(id);
  return key;
}

export const releaseKey: Implementation = {
  async run(context, { positionals: [id = ""] }) {
    const { revokedAtMs } = await heldKey(context, id);
    if (revokedAtMs !== null) {
      const question = `The key ${id} is revoked. Send its held mail all the same? keys cancel-held ${id} cancels it.`;
      await context.confirm(question, { isRequired: true });
    }
    const totals = await releaseHeld({ ...bulkParts(context), spool: context.store }, actedKey(context, id), now);
    if (totals === null) throw notHeld(id);
    const text = `${id} is released: ${pluralize(totals.done, "recipient")} that waited ${totals.done === 1 ? "is" : "are"} tried now. It is not held again for a day.`;
    return { json: { id, released: true, recipients: totals.done }, text };
  },
};

export const cancelHeld: Implementation = {
  async run(context, { positionals: [id = ""] }) {
    const { revokedAtMs } = await heldKey(context, id);
    await context.confirm(`Cancel all held mail of ${id}?`, { isRequired: true });
    const { done } = await actOnHeld(bulkParts(context), "cancel", actedKey(context, id), now);
    const goesOn = revokedAtMs === null ? " The key goes on being held: revoke it, or release it." : "";
    const text = `${pluralize(done, "recipient")} of ${id} ${done === 1 ? "is" : "are"} cancelled.${goesOn}`;
    return { json: { id, cancelled: done }, text };
  },
};

export const setFuse: Implementation = {
  async run(context, { positionals: [id = ""], options: { limit, off, default: isDefault } }) {
    const { store, account } = context;
    refuseKeyItself(id);
    const given = [typeof limit === "string", off === true, isDefault === true].filter(Boolean).length;
    if (given !== 1) throw new UsageError("keys fuse needs one of --limit, --off and --default");
    if (typeof limit === "string" && !/^[1-9]\d{0,8}$/u.test(limit))
      throw new UsageError(`--limit ${limit}: it must be a number of recipients in ten minutes, from 1 on`);
    await existingKey(context, id);
    const setting = { limit: typeof limit === "string" ? Number(limit) : null, isOff: off === true };
    await store.setKeyFuse({ accountId: account.id, keyId: id }, setting);
    const text = setting.isOff
      ? `${id} is never held.`
      : setting.limit === null
        ? `${id} is held if it sends far above what it normally does.`
        : `${id} is held if it sends to more than ${setting.limit} recipients in ten minutes.`;
    return { json: { id, limit: setting.limit, off: setting.isOff }, text };
  },
};

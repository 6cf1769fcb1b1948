/**
 * What an API key may do: the rejection of what it may not, and whose messages it reads. Which addresses it may send from is decided
 * with the sender's domain (sending-domain.ts).
 */
import { normalizeDomainName } from "../domains/domain-name.ts";
import type { Registry } from "../spool/port/accounts.ts";
import { type ApiKey, FULL_ACCESS, type KeyAccess, PERMISSIONS, type Permission } from "../spool/port/api-keys.ts";

export interface PermissionRejection {
  type: "rejected";
  code: "permission_denied";
  detail: string;
}

/** Null if the key has the permission. */
export function permissionRejection(
  { permissions }: Pick<KeyAccess, "permissions">,
  permission: Permission,
): PermissionRejection | null {
  if (permissions.includes(permission)) return null;
  const has = permissions.length === 0 ? "none" : `only ${permissions.join(" and ")}`;
  const detail = `This API key lacks the permission ${permission}: it has ${has}. Use a key with the permission ${permission}.`;
  return { type: "rejected", code: "permission_denied", detail };
}

/**
 * Whether a key reads the messages of all keys of its account, and not only its own: a live key that may not send has none of its
 * own. A test key reads no live messages.
 */
export const readsAllKeys = ({ permissions, test }: Pick<ApiKey, "permissions" | "test">): boolean =>
  !test && !permissions.includes("send");

/** Whether a key may read a message of its account. `keyId`: the key that sent it. */
export const readsMessage = (key: ApiKey, { keyId }: { keyId: string }): boolean =>
  keyId === key.id || readsAllKeys(key);

/** As a user enters it; null for all. */
export interface AccessInput {
  permissions: readonly string[] | null;
  domains: readonly string[] | null;
}

/** `detail` is a sentence that names the fault. */
export interface InvalidAccess {
  type: "invalid";
  field: keyof AccessInput;
  detail: string;
}

export interface AccessContext {
  registry: Pick<Registry, "domains">;
  accountId: string;
  /** The key's domains before the change, which may stay although they were removed; null for a new key. */
  former: KeyAccess["domains"];
}

/** Returns the access with normalised domain names and without repetitions, or the first fault. */
export async function validateAccess(
  input: AccessInput,
  context: AccessContext,
): Promise<({ type: "valid" } & KeyAccess) | InvalidAccess> {
  const permissions = input.permissions ?? FULL_ACCESS.permissions;
  const unknown = permissions.find((permission) => !isPermission(permission));
  if (unknown !== undefined) {
    return invalid("permissions", `“${unknown}” is not a permission. There are ${PERMISSIONS.join(" and ")}.`);
  }
  if (permissions.length === 0) return invalid("permissions", "Select at least one permission.");
  if (input.domains !== null && !permissions.includes("send")) {
    return invalid("domains", "Domains restrict what a key sends: a key without the permission send has all domains.");
  }
  const domains = await boundDomainsOf(input.domains, context);
  if (domains !== null && "detail" in domains) return invalid("domains", domains.detail);
  return { type: "valid", permissions: PERMISSIONS.filter((each) => permissions.includes(each)), domains };
}

const isPermission = (text: string): text is Permission => (PERMISSIONS as readonly string[]).includes(text);

const invalid = (field: InvalidAccess["field"], detail: string): InvalidAccess => ({ type: "invalid", field, detail });

/** Returns the selected domains by their normalised names, each once; null for all. `detail` is a sentence that names the fault. */
export async function boundDomainsOf(
  given: readonly string[] | null,
  { registry, accountId, former }: AccessContext,
): Promise<string[] | null | { detail: string }> {
  if (given === null) return null;
  if (given.length === 0) return { detail: "Select at least one domain." };
  const bound = (await registry.domains(accountId)).map(({ name }) => name);
  const known = new Set([...bound, ...(former ?? [])]);
  const names: string[] = [];
  for (const typed of given) {
    const name = normalizeDomainName(typed);
    if (name.type === "invalid" || !known.has(name.name)) return { detail: `The account has no domain “${typed}”.` };
    names.push(name.name);
  }
  return [...new Set(names)];
}

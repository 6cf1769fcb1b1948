/**
 * What an API key may do: the rejection of what it may not, and whose messages it reads. Which addresses it may send from is decided
 * with the sender's domain (sending-domain.ts).
 */
import { normalizeDomainName } from "../../domains/domain-name.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import { type ApiKey, FULL_ACCESS, type KeyAccess, PERMISSIONS, type Permission } from "../../spool/port/api-keys.ts";
import type { MessageFilter } from "../../spool/port/reports.ts";
import type { MessageReport } from "../../spool/port/results.ts";

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

/** The messages of its account that a key reads; null for no restriction. */
export interface ReadScope {
  /** The key that has sent them. */
  keyId: string | null;
  /** The names of the bound domains that they are sent from. */
  domains: readonly string[] | null;
}

/**
 * A key reads its own messages. A live key that may not send has none of its own and reads those of all keys. A key that is restricted to
 * domains reads the messages of these alone. A test key reads no live messages.
 */
export function readScope({ id, permissions, domains, test }: ApiKey): ReadScope {
  return { keyId: !test && !permissions.includes("send") ? null : id, domains };
}

/** Whether a key may read a message of its account. */
export function readsMessage(
  key: ApiKey,
  { keyId, senderDomain }: Pick<MessageReport, "keyId" | "senderDomain">,
): boolean {
  const scope = readScope(key);
  if (scope.keyId !== null && scope.keyId !== keyId) return false;
  return scope.domains === null || (senderDomain !== null && scope.domains.includes(senderDomain));
}

/** The part of a filter that selects the messages that a key may read. */
export function readableMessages(key: ApiKey): Pick<MessageFilter, "accountId" | "keyId" | "senderDomains"> {
  const { keyId, domains } = readScope(key);
  return {
    accountId: key.accountId,
    ...(keyId === null ? {} : { keyId }),
    ...(domains === null ? {} : { senderDomains: domains }),
  };
}

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

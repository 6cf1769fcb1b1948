/**
 * What an API key may do: the rejection of what it may not, and whose messages it reads. Which addresses it may send from is decided
 * with the sender's domain (sending-domain.ts).
 */
import { normalizeDomainName } from "../../domains/domain-name.ts";
import { canonicalNetwork, isInNetworks } from "../../lib/ip-network.ts";
import { isTimestamp } from "../../lib/timestamp.ts";
import type { Registry } from "../../spool/port/accounts.ts";
import { type ApiKey, FULL_ACCESS, type KeyAccess, PERMISSIONS, type Permission } from "../../spool/port/api-keys.ts";
import type { MessageFilter } from "../../spool/port/reports.ts";
import type { MessageReport } from "../../spool/port/results.ts";

export interface PermissionRejection {
  type: "rejected";
  code: "permission_denied";
  detail: string;
}

const LIST = new Intl.ListFormat("en-GB");

/** Null if the key has the permission. */
export function permissionRejection(
  { permissions }: Pick<KeyAccess, "permissions">,
  permission: Permission,
): PermissionRejection | null {
  if (permissions.includes(permission)) return null;
  const has = permissions.length === 0 ? "none" : `only ${LIST.format(permissions)}`;
  const detail = `This API key lacks the permission ${permission}: it has ${has}. Use a key with the permission ${permission}.`;
  return { type: "rejected", code: "permission_denied", detail };
}

/** Null if the key may be used from this client address. */
export function networkRejection(
  { networks }: Pick<KeyAccess, "networks">,
  address: string,
): PermissionRejection | null {
  if (networks === null || isInNetworks(networks, address)) return null;
  const detail = `This API key cannot be used from ${address}: it is restricted to other networks.`;
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
 * domains reads only the messages of these. A test key reads no live messages.
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

/** As a user enters it; null for the defaults, which are those of FULL_ACCESS. */
export interface AccessInput {
  permissions: readonly string[] | null;
  domains: readonly string[] | null;
  networks?: readonly string[] | null;
  /** RFC 3339, or milliseconds since the epoch. */
  expiresAt?: string | number | null;
}

/** The networks that a key may have. */
const NETWORKS_MAX = 50;

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

export interface KeyContext extends AccessContext {
  nowMs: number;
  /** Whether it is a test key. */
  isTest: boolean;
  /** The permissions that who creates or changes the key may give. */
  mayGive: readonly Permission[];
}

/** What each may give a key: an operator all; who manages the account as an owner does, all in it; any other all of its messages. */
export const mayGive = ({ isOperator, isOwner }: { isOperator: boolean; isOwner: boolean }): readonly Permission[] =>
  PERMISSIONS.filter((permission) =>
    permission === "operate" ? isOperator : permission !== "manage" || isOwner || isOperator,
  );

/** Why who may give these permissions may neither change nor revoke a key; null if they may. */
export function keyChangeFault(
  { permissions }: Pick<KeyAccess, "permissions">,
  given: readonly Permission[],
): string | null {
  const beyond = permissions.find((permission) => !given.includes(permission));
  return beyond === undefined ? null : `${GIVERS[beyond] ?? "Nobody"} changes a key with the permission ${beyond}.`;
}

const GIVERS: Partial<Record<Permission, string>> = { manage: "Only an owner", operate: "Only an operator" };

/** Returns the access in its fixed form and without repetitions, or the first fault. */
export async function validateAccess(
  input: AccessInput,
  context: KeyContext,
): Promise<({ type: "valid" } & KeyAccess) | InvalidAccess> {
  const given = input.permissions ?? FULL_ACCESS.permissions;
  const permissions = PERMISSIONS.filter((each) => given.includes(each));
  const fault = permissionsFault(given, input, context);
  if (fault !== null) return invalid("permissions", fault);
  const domains = await boundDomainsOf(input.domains, context);
  if (domains !== null && "detail" in domains) return invalid("domains", domains.detail);
  const networks = networksOf(input.networks ?? null);
  if (networks !== null && "detail" in networks) return invalid("networks", networks.detail);
  const expiresAtMs = timeOf(input.expiresAt ?? null);
  if (expiresAtMs !== null && !(expiresAtMs > context.nowMs)) return invalid("expiresAt", EXPIRES_AT);
  return { type: "valid", permissions, domains, networks, expiresAtMs };
}

const EXPIRES_AT = "It must be a time in the future, such as 2030-01-31T00:00:00Z.";

/** Not a number for a text that is not a timestamp. */
function timeOf(given: string | number | null): number | null {
  if (typeof given !== "string") return given;
  return isTimestamp(given) ? Date.parse(given) : Number.NaN;
}

/** What lets a key change more than messages. */
const MANAGING: ReadonlySet<string> = new Set(["manage", "operate"] satisfies Permission[]);

function permissionsFault(
  given: readonly string[],
  { domains }: AccessInput,
  { isTest, mayGive: allowed }: KeyContext,
): string | null {
  const unknown = given.find((permission) => !isPermission(permission));
  if (unknown !== undefined) return `“${unknown}” is not a permission. There are ${LIST.format(PERMISSIONS)}.`;
  if (given.length === 0) return "Select at least one permission.";
  const beyond = PERMISSIONS.find((permission) => given.includes(permission) && !allowed.includes(permission));
  if (beyond !== undefined) return `${GIVERS[beyond] ?? "Nobody"} gives a key the permission ${beyond}.`;
  const managing = given.find((permission) => MANAGING.has(permission));
  if (managing === undefined) return null;
  if (isTest) return `A test key cannot have the permission ${managing}: it would change what live messages need.`;
  if (domains !== null) return `A key with the permission ${managing} cannot be restricted to domains.`;
  return null;
}

/** Returns the networks in their canonical form, each once; null for all. `detail` is a sentence that names the fault. */
function networksOf(given: readonly string[] | null): string[] | null | { detail: string } {
  if (given === null) return null;
  if (given.length === 0) return { detail: "Enter at least one network." };
  const networks = new Set<string>();
  for (const text of given) {
    const network = canonicalNetwork(text.trim());
    if (network === null) {
      return { detail: `“${text}” is not an IP address or network, such as 192.0.2.0/24 or 2001:db8::/32.` };
    }
    networks.add(network);
  }
  if (networks.size > NETWORKS_MAX) return { detail: `A key can have at most ${NETWORKS_MAX} networks.` };
  return [...networks];
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

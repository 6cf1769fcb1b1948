/**
 * What an API key may do, as it is stored: its permissions joined by commas, its domains and networks as JSON, null for all.
 *
 * The hash of a key with restrictions is stored with all its bits inverted. A program that does not know restrictions, such as a node
 * of an older version on the same database, looks for the hash itself: it does not find the key, and does not serve it without them.
 */
import { FULL_ACCESS, type KeyAccess, PERMISSIONS } from "../port/api-keys.ts";
import { isTexts, soundJson } from "./stored-json.ts";

export interface StoredAccess {
  permissions: string;
  domains: string | null;
  networks: string | null;
  expiresAtMs: number | null;
}

export const storedAccess = ({ permissions, domains, networks, expiresAtMs }: KeyAccess): StoredAccess => ({
  permissions: permissions.join(),
  domains: domains === null ? null : JSON.stringify(domains),
  networks: networks === null ? null : JSON.stringify(networks),
  expiresAtMs,
});

/** What cannot be read allows nothing. */
export function accessOf({ permissions, domains, networks, expiresAtMs }: StoredAccess): KeyAccess {
  const stored = permissions.split(",");
  return {
    permissions: PERMISSIONS.filter((permission) => stored.includes(permission)),
    domains: domains === null ? null : (soundJson(domains, isTexts) ?? []),
    networks: networks === null ? null : (soundJson(networks, isTexts) ?? []),
    expiresAtMs,
  };
}

const isRestricted = ({ permissions, domains, networks, expiresAtMs }: KeyAccess): boolean =>
  domains !== null ||
  networks !== null ||
  expiresAtMs !== null ||
  FULL_ACCESS.permissions.some((permission) => !permissions.includes(permission));

/** Returns the hash as it is stored for a key with this access; of a stored one, the hash itself. */
export const storedHash = (hash: Uint8Array, access: KeyAccess): Buffer =>
  isRestricted(access) ? inverted(hash) : Buffer.from(hash);

/** Returns the stored forms of a hash. */
export const storedHashes = (hash: Uint8Array): [unrestricted: Buffer, restricted: Buffer] => [
  Buffer.from(hash),
  inverted(hash),
];

const inverted = (hash: Uint8Array): Buffer => Buffer.from(hash.map((byte) => ~byte));

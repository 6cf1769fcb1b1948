/**
 * What an API key may do, as it is stored: its permissions joined by commas, and its domains as JSON, null for all.
 *
 * The hash of a key with restrictions is stored with all its bits inverted. A program that does not know restrictions, such as a node
 * of an older version on the same database, looks for the hash itself: it does not find the key, and does not serve it without them.
 */
import { FULL_ACCESS, type KeyAccess, PERMISSIONS } from "../port/api-keys.ts";
import { isTexts, soundJson } from "./stored-json.ts";

export interface StoredAccess {
  permissions: string;
  domains: string | null;
}

export const storedAccess = ({ permissions, domains }: KeyAccess): StoredAccess => ({
  permissions: permissions.join(),
  domains: domains === null ? null : JSON.stringify(domains),
});

/** What cannot be read allows nothing. */
export function accessOf({ permissions, domains }: StoredAccess): KeyAccess {
  const stored = permissions.split(",");
  return {
    permissions: PERMISSIONS.filter((permission) => stored.includes(permission)),
    domains: domains === null ? null : (soundJson(domains, isTexts) ?? []),
  };
}

const isRestricted = ({ permissions, domains }: KeyAccess): boolean =>
  domains !== null || permissions.length < FULL_ACCESS.permissions.length;

/** Returns the hash as it is stored for a key with this access; of a stored one, the hash itself. */
export const storedHash = (hash: Uint8Array, access: KeyAccess): Buffer =>
  isRestricted(access) ? inverted(hash) : Buffer.from(hash);

/** Returns the stored forms of a hash. */
export const storedHashes = (hash: Uint8Array): [unrestricted: Buffer, restricted: Buffer] => [
  Buffer.from(hash),
  inverted(hash),
];

const inverted = (hash: Uint8Array): Buffer => Buffer.from(hash.map((byte) => ~byte));

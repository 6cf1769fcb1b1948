/**
 * API keys: the records of an account's keys. Only the hash of a key is stored. Times are milliseconds since the epoch. Every
 * method rejects with SpoolUnavailable as the spool's do (see errors.ts).
 */

export const PERMISSIONS = ["send", "read", "manage", "operate"] as const;
/**
 * `send`: messages. `read`: the results and events of messages. `manage`: what belongs to the key's account, by the management
 * interface. `operate`: all accounts and the installation, as an operator does.
 */
export type Permission = (typeof PERMISSIONS)[number];

/** What a key may do. */
export interface KeyAccess {
  /** In the order of PERMISSIONS. */
  permissions: readonly Permission[];
  /** Names of the bound domains that it may send from and read the messages of; null: all of the account, future ones included. */
  domains: readonly string[] | null;
  /** The networks that it may be used from, each as `address/prefix length`; null: any. */
  networks: readonly string[] | null;
  /** The key is inactive from then on; null: it never expires. */
  expiresAtMs: number | null;
}

/** All of the sending interface, without an expiry. */
export const FULL_ACCESS: KeyAccess = {
  permissions: ["send", "read"],
  domains: null,
  networks: null,
  expiresAtMs: null,
};

/** Whether a key is active at `nowMs`. */
export const isActive = ({ revokedAtMs, expiresAtMs }: Pick<ApiKey, "revokedAtMs" | "expiresAtMs">, nowMs: number) =>
  revokedAtMs === null && (expiresAtMs === null || nowMs < expiresAtMs);

export interface ApiKey extends KeyAccess {
  id: string;
  accountId: string;
  name: string;
  lastFour: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
  /** Also of a suspended key. */
  revokedAtMs: number | null;
  /** Whether it is revoked by the deletion of its account, and active again if that is restored. */
  suspended: boolean;
  messagesSent: number;
  /** Whether it is a test key. */
  test: boolean;
}

export interface NewKey {
  accountId: string;
  name: string;
  /** SHA-256 of the key. */
  hash: Buffer;
  lastFour: string;
  createdAtMs: number;
  keysMax: number;
  /** False if absent. */
  test?: boolean;
  /** FULL_ACCESS if absent. */
  access?: KeyAccess;
}

/** What can be changed of a key, as a whole. */
export interface KeyChange {
  accountId: string;
  keyId: string;
  name: string;
  access: KeyAccess;
}

export interface ApiKeys {
  /** Returns "too_many" if the account has `keysMax` active keys. A deleted account may have none. */
  createKey(key: NewKey): Promise<ApiKey | "too_many">;
  keys(accountId: string): Promise<ApiKey[]>;
  /**
   * The key with this SHA-256 hash; null if revoked. It may have expired. Sees every commit so far, whichever process made it.
   */
  activeKey(hash: Buffer): Promise<ApiKey | null>;
  /** Holds for every request from now on, in all processes. */
  changeKey(change: KeyChange): Promise<"changed" | "revoked" | "not_found">;
  /** Records the use of a key. Written later, together with other work, and lost if that write fails. */
  touchKey(keyId: string, atMs: number): void;
  revokeKey(accountId: string, keyId: string, atMs: number): Promise<"revoked" | "already_revoked" | "not_found">;
}

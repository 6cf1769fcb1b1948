/**
 * Work on a spool that the service itself does not do: backup, restore, a check of its store, and the exchange of the master key.
 * Which keys and directories are involved is decided in app/.
 */

/** The setting that says where the spool is, and its value without a password. */
export interface SpoolLocation {
  setting: "DATA_DIR" | "DATABASE_URL";
  value: string;
}

/** What a backup holds besides the spool. */
export interface Backup {
  /** Null where it cannot be read. */
  madeAtMs: number | null;
  /** The text of the master key's file; null for a backup made without it. */
  masterKey: string | null;
}

/** What the database lost at a failover, as far as the nodes know. */
export interface FailoverLoss {
  /** When the nodes had compared it with what they had done. */
  atMs: number;
  /** The time of which transactions are lost; null where it is not known. */
  fromMs: number | null;
  toMs: number | null;
  /** Messages that were answered with 202 and are lost. */
  messages: number;
  /** Recipients that became unknown. */
  recipients: number;
}

export type StoreCheck =
  /** `faults`: a few sentences of SQLite's; null when the file is too large to be checked while it is in use. */
  | { type: "file"; sizeBytes: number; faults: string[] | null }
  | {
      type: "database";
      sizeBytes: number;
      serverVersion: string;
      hasChecksums: boolean;
      /** Standbys that receive the write-ahead log now. */
      standbys: number;
      /** Whether a commit waits for standbys (synchronous_standby_names). */
      isSynchronous: boolean;
      /** How far behind the standbys are; null where the role may not see it (pg_monitor), or none receives. */
      behindBytes: number | null;
      /** The last failover that lost transactions; null if there was none. */
      loss: FailoverLoss | null;
    };

/** A value sealed under the master key, with what it belongs to. */
export type SealedValue =
  /** A DKIM private key; `isFormer` where the domain was removed or has a later key. */
  | { kind: "dkim"; domain: string; selector: string; isFormer: boolean; bytes: Buffer }
  | { kind: "totp"; userId: string; bytes: Buffer }
  /** The secret that signs what is sent to a webhook endpoint; `isFormer` once it was rotated. */
  | { kind: "webhook"; endpointId: string; isFormer: boolean; bytes: Buffer }
  /** A secret of the whole service, which replaces it if it is lost. */
  | { kind: "secret"; name: string; bytes: Buffer };

/** The values of an exchange of the master key. */
export interface Resealed {
  /** For each value in the order given; null keeps it. */
  values: (Buffer | null)[];
  /** Of the new key; see Vault. */
  fingerprint: string;
}

/** The spool while no service runs and no command seals or copies values. */
export interface KeyExchange {
  /** Replaces all sealed values in one transaction. Changes nothing if `reseal` throws. */
  resealAll(reseal: (all: SealedValue[]) => Resealed): Promise<void>;
  /** The key in use is lost: the next one to open the spool is the key in use from then on. */
  forgetKey(): Promise<void>;
}

/** One spool, whether or not it is open elsewhere. Errors are one line. */
export interface SpoolMaintenance {
  readonly location: SpoolLocation;
  /** Whether there is a spool, or a part of one. */
  exists(): Promise<boolean>;
  /** Writes a backup beside a running service and returns its size in bytes. `file` must not exist; after an error it does not. */
  backUp(options: { file: string; nowMs: number; masterKey: string | null }): number;
  /** Null for a file that is not a backup. Throws where the file cannot be read. */
  readBackup(file: string): Backup | null;
  /** Throws where there is a spool or a part of one. */
  requireNoSpool(): void;
  /**
   * Makes a backup the spool, where there must be none. `beforePlacing` runs once the backup has been found whole; if it throws,
   * or the process is killed, there is no spool.
   */
  restore(options: { file: string; beforePlacing: () => void }): void;
  /** Whether a service uses it now. A node that was killed counts until its lease has expired. */
  isServed(): Promise<boolean>;
  /** Checks the store for damage as far as that is possible while it is in use. */
  check(): Promise<StoreCheck>;
  /** The newest values in use, at most `limit` of each kind; none of kind `secret`, which the service replaces. */
  sealedValues(limit: number): Promise<SealedValue[]>;
  /**
   * Calls `make`, which makes a master key and returns its fingerprint, unless a key is in use already. Returns whether it was
   * called. No other process makes one at the same time.
   */
  makeFirstKey(make: () => string): Promise<boolean>;
  /** The fingerprint of the master key that values are sealed with; null if it is not recorded. */
  keyInUse(): Promise<string | null>;
  /** Keeps the master key as it is, for a process that seals or copies values; returns the release. */
  lockSealing(): Promise<() => Promise<void>>;
  /** Runs `exchange` with nothing beside it. Rejects while a service runs, or a command seals or copies values. */
  exchangeKey<T>(exchange: (values: KeyExchange) => Promise<T>): Promise<T>;
}

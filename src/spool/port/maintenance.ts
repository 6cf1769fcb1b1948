/**
 * Work on a spool's files that the service itself does not do: backup, restore, a check for damage, and resealing under
 * another master key. Which keys and directories are involved is decided in app/.
 */

/** What a backup holds besides the spool. */
export interface Backup {
  /** Null where it cannot be read. */
  madeAtMs: number | null;
  /** The text of the master key's file; null for a backup made without it. */
  masterKey: string | null;
}

export interface FileCheck {
  sizeBytes: number;
  /** A few sentences of SQLite's; null when the file is too large to be checked while it is in use. */
  faults: string[] | null;
}

/** A value sealed under the master key, with what it belongs to. */
export type SealedValue =
  /** A DKIM private key; `isFormer` where the domain was removed or has a later key. */
  | { kind: "dkim"; domain: string; selector: string; isFormer: boolean; bytes: Buffer }
  | { kind: "totp"; userId: string; bytes: Buffer }
  /** The secret that signs what is sent to a webhook endpoint; `isFormer` once it was rotated. */
  | { kind: "webhook"; endpointId: string; isFormer: boolean; bytes: Buffer };

/** The files of one spool. Errors that it throws are one line. */
export interface SpoolMaintenance {
  /** Writes a backup beside a running service and returns its size in bytes. `file` must not exist; after an error it does not. */
  backUp(options: { file: string; nowMs: number; masterKey: string | null }): number;
  /** Null for a file that is not a backup. Throws where the file cannot be read. */
  readBackup(file: string): Backup | null;
  /** Throws where the data directory holds a spool or a part of one. */
  requireNoSpool(): void;
  /**
   * Makes a backup the spool of the data directory, which must hold none. `beforePlacing` runs once the backup has been found
   * whole; if it throws, or the process is killed, there is no spool.
   */
  restore(options: { file: string; beforePlacing: () => void }): void;
  /** Checks the file's pages, in a thread of its own. */
  quickCheck(): Promise<FileCheck>;
  /** The newest values in use, at most `limit` of each kind. */
  sealedValues(limit: number): SealedValue[];
  /** Replaces all sealed values in one transaction, in their order; null keeps a value. Changes nothing if `reseal` throws. */
  resealAll(reseal: (all: SealedValue[]) => (Buffer | null)[]): void;
  /** Holds the data directory as a service does; returns the release. Throws while a service runs. */
  lockDataDir(): () => void;
  /** Keeps the master key as it is, or with `alone` lets the caller replace it; returns the release. */
  lockSealing(options: { alone: boolean }): () => void;
}

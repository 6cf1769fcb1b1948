/**
 * Secrets of the whole service, sealed under the master key (see secretSealName in security/vault.ts). Every method rejects with
 * SpoolUnavailable as the spool's do (see errors.ts).
 */
export interface Secrets {
  /** The sealed secret by this name; null if there is none. */
  readSecret(name: string): Promise<Buffer | null>;
  /**
   * Stores a sealed secret unless there is one by this name: of several processes, the first one wins. With `inPlaceOf`, it
   * replaces exactly this one, whose key is lost.
   */
  addSecret(name: string, sealed: Buffer, inPlaceOf?: Buffer): Promise<void>;
}

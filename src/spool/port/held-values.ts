/**
 * Values that a page shows once, held between the request that made them and the one that shows them, which may reach another
 * process. Every method rejects with SpoolUnavailable as the spool's do (see errors.ts).
 */

/** The values of one account that are held. Beyond this, the oldest ends. */
export const HELD_MAX = 100;

export interface HeldValue {
  /** Beyond this, the oldest is removed. Stored as it is, so it should be the hash of what the browser has. */
  hash: Buffer;
  accountId: string;
  /** Stored in plain text, so it should be the hash of what the browser has. */
  sealed: Buffer;
  /** How long it is held. */
  keptMs: number;
}

export interface HeldValues {
  hold(value: HeldValue): Promise<void>;
  /** Returns the account's value once, and null from then on. A value of another account stays held. */
  take(accountId: string, hash: Buffer): Promise<Buffer | null>;
}

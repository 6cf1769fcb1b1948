/**
 * The errors that every part of the spool's port may reject with.
 */

/**
 * The store cannot commit or be read now: disk full, I/O error, closing. Temporary: the caller must assume that nothing has
 * changed, and may repeat the call.
 */
export class SpoolUnavailable extends Error {
  override name = "SpoolUnavailable";
}

/**
 * A stored part of the message cannot be read. The message is quarantined: no claim returns it until it is released (see
 * operations.ts), and its recipients keep their state. Repeating the call does not help.
 */
export class MessageDamaged extends Error {
  override name = "MessageDamaged";
}

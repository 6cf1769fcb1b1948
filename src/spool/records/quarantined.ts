/**
 * What the SQL of both databases says of quarantined messages. A row of `quarantined` keeps its message out of claims. One that an
 * operator has discarded keeps the row too, as the evidence, and because a part of the message may not have been writable.
 */

/** The part of a discarded message. */
const DISCARDED_PART = "discarded";

/** Rows of `quarantined` whose message waits for a repair or an operator. */
export const IN_QUARANTINE = `part <> '${DISCARDED_PART}'`;

/** Those that are released once they can be read. `queue resume --hold` could not hold the others: their release would send them. */
export const IS_RECHECKED = `part NOT IN ('hold', '${DISCARDED_PART}')`;

/**
 * Whether a recipient of the message may be claimed or acted on. Every count of what waits and every action on several messages
 * has this condition, so a dry run counts what the run changes.
 */
export const isInQueueSql = (seq: string): string => `${seq} NOT IN (SELECT seq FROM quarantined)`;

/** What remains of the row when the message is discarded: when and where the damage was found is kept. */
export const DISCARD_ROW = `part = '${DISCARDED_PART}', error = part || ': ' || error`;

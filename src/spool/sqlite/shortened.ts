/**
 * Limits the length of stored texts when they are read: a message may be older than the limits of acceptance.
 */

/** The most characters read of a stored text: as many as a header line may have (RFC 5322 §2.1.1). */
const TEXT_LENGTH_MAX = 998;

/** Returns SQL for a text column that ends in "…" where it was cut. The first test reads only the row's header. */
export const shortened = (column: string, lengthMax = TEXT_LENGTH_MAX): string =>
  `iif(octet_length(${column}) > ${lengthMax} AND length(${column}) > ${lengthMax},
     substr(${column}, 1, ${lengthMax - 1}) || '…', ${column})`;

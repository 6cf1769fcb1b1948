/**
 * Stored texts as they are read: a message may be older than the limits of what is accepted now.
 */

/** The most characters of a stored text that are read; as many as a header line may have (RFC 5322 §2.1.1). */
const TEXT_LENGTH_MAX = 998;

/** SQL of a text column, with "…" where it was cut. The first test reads the row's header alone. */
export const shortened = (column: string, lengthMax = TEXT_LENGTH_MAX): string =>
  `iif(octet_length(${column}) > ${lengthMax} AND length(${column}) > ${lengthMax},
     substr(${column}, 1, ${lengthMax - 1}) || '…', ${column})`;

/** Limits the length of stored texts when they are read: a message may be older than the limits of acceptance. */
import { TEXT_LENGTH_MAX } from "../../records/message-report.ts";

/** Returns SQL for a text column that ends in "…" where it was cut. The first test does not read the text. */
export const shortened = (column: string): string =>
  `CASE WHEN octet_length(${column}) > ${TEXT_LENGTH_MAX} AND length(${column}) > ${TEXT_LENGTH_MAX}
     THEN substr(${column}, 1, ${TEXT_LENGTH_MAX - 1}) || '…' ELSE ${column} END`;

/**
 * The number of the first schema. Those below it are of checkouts before the first release, which made schemas 1 to 15, 100 and 101: their spools
 * are refused.
 */
export const FIRST_VERSION = 102;

/** The error for a spool with such a schema. */
export const outdatedSchema = (version: number): string =>
  `the spool has schema ${version}, of a checkout before the first release, and cannot be used any more: begin with an empty one`;

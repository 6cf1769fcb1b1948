/** What a copy of a spool from SQLite files to a database reports. */

/** A number of rows, or a sum over them, on both sides. */
export interface CopiedCount {
  name: string;
  /** Whether the sides differ although all rows could be read. */
  source: number | null;
  target: number;
  /** Whether the sides differ although everything of it could be read. */
  differs: boolean;
}

/** A part of the files that cannot be read. */
export interface UnreadablePlace {
  place: string;
  /** One line. */
  error: string;
}

export interface CopyReport {
  counts: CopiedCount[];
  /** Sound messages are copied without these. Some of them, if there are very many. */
  unreadable: readonly UnreadablePlace[];
  /** How many there are of those. */
  unreadableCount: number;
  /** Messages in quarantine, which are copied with it. */
  quarantined: number;
  /** Whether the database can be used now. It cannot if a count differs. */
  isComplete: boolean;
  durationMs: number;
}

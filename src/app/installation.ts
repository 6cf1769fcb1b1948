/** One installation: its two directories, and its spool's files as maintenance sees them. wiring/ names the form of the spool. */
import type { SpoolMaintenance } from "../spool/port/maintenance.ts";

export interface Installation {
  dataDir: string;
  certsDir: string;
  spool: SpoolMaintenance;
}

/** One installation: the directory of its secrets, and its spool as maintenance sees it. service/ names the form of the spool. */
import type { SpoolMaintenance } from "../../spool/port/maintenance.ts";
import type { CopyReport } from "../../spool/port/spool-copy.ts";

export interface Installation {
  certsDir: string;
  spool: SpoolMaintenance;
  /**
   * Copies the spool in the files of DATA_DIR, which are not changed, into the database of this URL, which must be without data.
   * Rejects with one line, without the password, if that fails. No service uses a database in which a copy began and did not end.
   */
  copyFiles(url: string): Promise<CopyReport>;
}

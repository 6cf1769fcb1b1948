/** A thread that exits with an error of a native module. */

import { reportUncaughtErrors } from "../../src/lib/thread.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";

reportUncaughtErrors();
setTimeout(() => {
  throw new Sqlite.SqliteError("database disk image is malformed", "SQLITE_CORRUPT");
});

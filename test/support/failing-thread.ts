/** A thread that exits with an error of a native module. */

import { reportUncaughtWhole } from "../../src/lib/thread.ts";
import Sqlite from "../../src/spool/sqlite/driver.ts";

reportUncaughtWhole();
setTimeout(() => {
  throw new Sqlite.SqliteError("database disk image is malformed", "SQLITE_CORRUPT");
});

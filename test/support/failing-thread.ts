/** A thread that ends with an error of a native module. */
import Sqlite from "../../src/spool/sqlite/driver.ts";
import { reportUncaughtWhole } from "../../src/thread.ts";

reportUncaughtWhole();
setTimeout(() => {
  throw new Sqlite.SqliteError("database disk image is malformed", "SQLITE_CORRUPT");
});

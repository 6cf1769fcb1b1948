import { openSqliteSpool } from "../../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import { setupConformance } from "../../port/conformance.ts";

setupConformance("sqlite", async (t) => {
  const onFatal = (error: Error): void => {
    throw error;
  };
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "client", onFatal });
  t.after(() => spool.close());
  return Object.assign(spool, { lapse: () => spool.expireLeases() });
});

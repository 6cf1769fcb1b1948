/** Runs the store's operations: writes by the writer, reads on the read-only connection here, reports in their thread. */
import type { Runner } from "../../operations.ts";
import type { PointReader } from "./point-reader.ts";
import type { ReportsClient } from "./reports-client.ts";
import type { WriterClient } from "./writer-client.ts";

export interface SqliteParts {
  writer: WriterClient;
  reader: PointReader;
  reports: ReportsClient;
}

export const sqliteRunner = ({ writer, reader, reports }: SqliteParts): Runner => ({
  read: (_name, operation, args) => reader.run(operation, args),
  write: (name, _operation, args) => writer.request("operation", { name, args }),
  report: (name, _operation, args) => reports.run(name, args),
});

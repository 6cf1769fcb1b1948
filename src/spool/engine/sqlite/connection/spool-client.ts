/**
 * What the parts of the facade share: writes go through the writer, point reads to a read-only connection here. One object
 * serves all ports of the spool, so its parts extend one another: accounts-client.ts, incoming-client.ts,
 * operations-client.ts, sqlite-spool.ts.
 */
import type { Runner } from "../../operations.ts";
import type { PointReader } from "./point-reader.ts";
import { type SqliteParts, sqliteRunner } from "./sqlite-runner.ts";
import type { WriterClient } from "./writer-client.ts";

export abstract class SpoolClient {
  protected readonly writer: WriterClient;
  protected readonly reader: PointReader;
  /** Runs the operations of the store. */
  readonly runner: Runner;

  constructor({ writer, reader, reports }: SqliteParts) {
    this.writer = writer;
    this.reader = reader;
    this.runner = sqliteRunner({ writer, reader, reports });
  }
}

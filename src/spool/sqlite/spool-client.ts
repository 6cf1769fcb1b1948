/**
 * What the parts of the facade share: writes go through the writer, point reads to a read-only connection here. One object
 * serves all ports of the spool, so its parts extend one another: accounts-client.ts, webhooks-client.ts,
 * operations-client.ts, sqlite-spool.ts.
 */
import type { PointReader } from "./point-reader.ts";
import type { WriterClient } from "./writer-client.ts";

export abstract class SpoolClient {
  protected readonly writer: WriterClient;
  protected readonly reader: PointReader;

  constructor(writer: WriterClient, reader: PointReader) {
    this.writer = writer;
    this.reader = reader;
  }
}

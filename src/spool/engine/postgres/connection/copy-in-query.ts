/**
 * COPY FROM STDIN on a connection of the driver, which has no method for it: a separate query class, as the driver's
 * documentation calls it.
 */
import type { ClientBase, Connection, Submittable } from "pg";

/** Messages of the protocol (PostgreSQL's documentation, "Message Formats"). */
const COPY_DATA = 0x64;
const COPY_DONE = Buffer.from([0x63, 0, 0, 0, 4]);

class CopyIn implements Submittable {
  readonly #sql: string;
  readonly #data: Buffer;
  readonly #end: (error: Error | null) => void;

  constructor(sql: string, { data, end }: { data: Buffer; end: (error: Error | null) => void }) {
    this.#sql = sql;
    this.#data = data;
    this.#end = end;
  }

  submit(connection: Connection): void {
    connection.query(this.#sql);
  }

  handleCopyInResponse({ stream }: Connection): void {
    const head = Buffer.alloc(5);
    head.writeUInt8(COPY_DATA);
    head.writeInt32BE(this.#data.length + 4, 1);
    stream.cork();
    stream.write(head);
    stream.write(this.#data);
    stream.write(COPY_DONE);
    stream.uncork();
  }

  /** The driver does not call handleReadyForQuery afterwards. */
  handleError(error: Error): void {
    this.#end(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#end(null);
  }
}

/** Runs a statement COPY … FROM STDIN with this data. Rejects with the driver's errors. */
export function copyIn(client: Pick<ClientBase, "query">, sql: string, data: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(sql, { data, end: (error) => (error === null ? resolve() : reject(error)) }));
  });
}

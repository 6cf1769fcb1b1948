/**
 * Writes the rows of a copy, in batches by table: while the server stores one batch, the next one is read. All batches belong to
 * the transaction of the caller, which runs no other statement before `settled`.
 */

import type { ClientBase } from "pg";
import { MIB } from "../../../../lib/units.ts";
import type { Columns, Row } from "../../../records/column-types.ts";
import { copyIn } from "../connection/copy-in-query.ts";
import { CopyRows } from "./copy-rows.ts";

/** The size of a batch. Its memory is needed twice. */
const BATCH_BYTES = 4 * MIB;

interface Table {
  sql: string;
  rows: CopyRows;
}

export class CopyWriter {
  readonly #client: ClientBase;
  readonly #tables = new Map<string, Table>();
  #waitingBytes = 0;
  #underWay: Promise<void> = Promise.resolve();

  constructor(client: ClientBase) {
    this.#client = client;
  }

  /** Adds a row. The table must be empty before, and must be made or truncated in the same transaction. */
  add(name: string, columns: Columns, row: Row): void {
    const { rows } = this.#table(name, columns);
    const before = rows.sizeBytes;
    rows.add(row);
    this.#waitingBytes += rows.sizeBytes - before;
  }

  /** Whether a batch is complete, so `write` is to be called. */
  get isFull(): boolean {
    return this.#waitingBytes >= BATCH_BYTES;
  }

  /** Begins to write what was added. Waits for the batch before. */
  async write(): Promise<void> {
    const batch = [...this.#tables.values()]
      .filter(({ rows }) => rows.count > 0)
      .map(({ sql, rows }) => ({ sql, data: rows.take() }));
    this.#waitingBytes = 0;
    await this.#underWay;
    this.#underWay = this.#send(batch);
    // It rejects with the next call.
    this.#underWay.catch(() => {});
  }

  /** Writes everything that was added. */
  async settled(): Promise<void> {
    await this.write();
    await this.#underWay;
  }

  /** Waits for the batch under way, whether or not it can be written. */
  async idle(): Promise<void> {
    await this.#underWay.catch(() => {});
  }

  async #send(batch: readonly { sql: string; data: Buffer }[]): Promise<void> {
    for (const { sql, data } of batch) await copyIn(this.#client, sql, data);
  }

  #table(name: string, columns: Columns): Table {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const names = Object.keys(columns).map((column) => `"${column}"`);
    // Frozen rows need no vacuum, and are visible to index-only scans at once.
    const sql = `COPY ${name} (${names.join(", ")}) FROM STDIN WITH (FORMAT binary, FREEZE)`;
    const table = { sql, rows: new CopyRows(columns) };
    this.#tables.set(name, table);
    return table;
  }
}

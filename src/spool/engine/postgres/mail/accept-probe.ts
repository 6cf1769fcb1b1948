/**
 * Whether an acceptance would be stored. A small note is, on a disk that has no room for a message: rows that exist already are
 * replaced in their pages. So the probe stores a content too, and takes it back: every few seconds, and each time from the first
 * failure on until it succeeds.
 */
import { SpoolUnavailable } from "../../../port/errors.ts";
import { NODE_ENTRIES } from "../../../port/key-value.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { firstNumberAt } from "./message-number.ts";

/** A content that needs its own page. */
const CONTENT = Buffer.alloc(8000);

/** Each content leaves a page of dead rows, until a vacuum frees it for others. */
const CONTENT_EVERY_MS = 5000;

// No content has this part.
const addContent = statement("INSERT INTO contents (seq, part, crc32, content) VALUES ($1, -1, 0, $2)");

class RolledBack extends Error {}

export class AcceptProbe {
  readonly #database: Database;
  #hasFailed = false;
  /** When a content could be stored. */
  #storedAtMs = Number.NEGATIVE_INFINITY;

  constructor(database: Database) {
    this.#database = database;
  }

  /** An acceptance has failed. */
  failed(error: unknown): void {
    if (error instanceof SpoolUnavailable) this.#hasFailed = true;
  }

  /** Commits the note by `writeNote`. Rejects as an acceptance would. */
  async run(nowMs: number, writeNote: (name: string, text: string) => Promise<void>): Promise<void> {
    await writeNote(NODE_ENTRIES.readiness, new Date(nowMs).toISOString());
    // The clock may be set back.
    if (!this.#hasFailed && Math.abs(nowMs - this.#storedAtMs) < CONTENT_EVERY_MS) return;
    this.#hasFailed = true;
    await this.#storeContent(nowMs);
    this.#hasFailed = false;
    this.#storedAtMs = nowMs;
  }

  async #storeContent(nowMs: number): Promise<void> {
    try {
      await this.#database.transaction(async (session) => {
        await session.run(addContent, [firstNumberAt(nowMs), CONTENT]);
        throw new RolledBack();
      });
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
    }
  }
}

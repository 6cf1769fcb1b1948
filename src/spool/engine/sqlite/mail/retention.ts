/**
 * Retention: removes contents and messages whose retention period is over, in steps so small that no commit is delayed for
 * long. A pass goes over the messages in the order of acceptance. The next pass starts at the first message again, for
 * those that became final meanwhile. The caller holds the transaction.
 */

import type { Database } from "better-sqlite3";
import { MIB } from "../../../../lib/units.ts";
import type { RetentionResult, RetentionStep } from "../../../port/operations.ts";
import { PART_BYTES } from "../../../records/content-checksum.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import { DamagedMessages, type DamageLog, isDamage } from "../files/damage.ts";
import type { Quarantine } from "../quarantine/quarantine.ts";
import type { ContentParts } from "./content-parts.ts";
import type { EventWriter } from "./event-writer.ts";

/** Pages returned to the file system with each step. */
const VACUUM_PAGES = 256;
/** Free pages that are kept: new messages soon use them again. */
const FREE_PAGES_KEPT = 1024;

/** First or only parts deleted with each step: 8 MiB, 2048 pages. ContentParts deletes later parts. */
const CONTENT_BYTES = 8 * MIB;

/** Rows read one by one after damage: about the rows of a few pages. */
const CAREFUL_ROWS = 200;

interface MessageRow {
  seq: number;
  createdAtMs: number;
  /** 1 if each of its recipients is final. */
  isFinal: number;
  sizeBytes: number;
}

type PassName = "contents" | "results";

interface Pass {
  readonly name: PassName;
  /** The last row of the previous step; 0 at the beginning. */
  afterSeq: number;
  /** How many rows are still read one by one, because of damage. */
  carefulRows: number;
}

interface Step {
  beforeMs: number;
  nowMs: number;
  limit: number;
}

const COLUMNS = `m.seq, m.created_at_ms AS createdAtMs, m.size_bytes AS sizeBytes,
  NOT EXISTS (SELECT 1 FROM work w WHERE w.seq = m.seq)
    AND NOT EXISTS (SELECT 1 FROM unknown_recipients u WHERE u.seq = m.seq AND u.result IS NULL) AS isFinal`;

interface RetentionParts {
  contentParts: ContentParts;
  events: EventWriter;
  quarantine: Quarantine;
  log: DamageLog;
}

export class Retention {
  readonly #db: Database;
  readonly #contentParts: ContentParts;
  readonly #events: EventWriter;
  readonly #quarantine: Quarantine;
  readonly #log: DamageLog;
  readonly #next;
  readonly #tailOf;
  readonly #lastEventMs;
  readonly #dropContent;
  readonly #dropTags;
  readonly #drops;
  readonly #contents: Pass = { name: "contents", afterSeq: 0, carefulRows: 0 };
  readonly #results: Pass = { name: "results", afterSeq: 0, carefulRows: 0 };
  /** Damaged messages that cannot be removed. */
  readonly #undroppable: DamagedMessages;
  /** Messages whose events cannot be read. */
  readonly #untimed: DamagedMessages;

  constructor(db: Database, { contentParts, events, quarantine, log }: RetentionParts) {
    this.#db = db;
    this.#contentParts = contentParts;
    this.#events = events;
    this.#quarantine = quarantine;
    this.#log = log;
    this.#next = {
      contents: db.prepare<[number, number], MessageRow>(
        `SELECT ${COLUMNS} FROM contents c CROSS JOIN messages m ON m.seq = c.seq WHERE c.seq > ? ORDER BY c.seq LIMIT ?`,
      ),
      results: db.prepare<[number, number], MessageRow>(
        `SELECT ${COLUMNS} FROM messages m WHERE m.seq > ? ORDER BY m.seq LIMIT ?`,
      ),
    };
    this.#tailOf = db.prepare<[number], number | null>("SELECT tail FROM contents WHERE seq = ?").pluck();
    this.#dropContent = db.prepare("DELETE FROM contents WHERE seq = ?");
    this.#dropTags = db.prepare(
      `DELETE FROM message_tags WHERE seq = @seq AND (account_id, tag) IN
         (SELECT m.account_id, t.value FROM messages m, json_each(m.tags) t WHERE m.seq = @seq)`,
    );
    this.#drops = ["feedback", "unknown_recipients", "recipients", "messages", "quarantined"].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE seq = ?`),
    );
    this.#lastEventMs = db.prepare<[number], number | null>("SELECT max(at_ms) FROM events WHERE seq = ?").pluck();
    this.#untimed = new DamagedMessages(log, { place: (seq) => `the events of the message in row ${seq}` });
    this.#undroppable = new DamagedMessages(log, {
      place: (seq) => `the message in row ${seq}, whose retention period is over`,
    });
  }

  applyRetention({ contentsBeforeMs, resultsBeforeMs, nowMs, limit }: RetentionStep): Written<RetentionResult> {
    const dropContent = (seq: number): void => this.#dropContentOf(seq);
    const dropMessage = (seq: number): void => this.#dropMessage(seq);
    const contents = this.#walk(this.#contents, { beforeMs: contentsBeforeMs, nowMs, limit }, dropContent);
    const results = this.#walk(this.#results, { beforeMs: resultsBeforeMs, nowMs, limit }, dropMessage);
    const isRemoving = this.#contentParts.removeSome();
    const isDropping = this.#log.runOptional("old events", () => this.#events.dropDomainEvents(resultsBeforeMs), false);
    const isFreeing = this.#log.runOptional("the free pages", () => this.#freePages(), false);
    const isMore = contents.isMore || results.isMore || isRemoving || isDropping || isFreeing;
    return { value: { contents: contents.dropped, messages: results.dropped, isMore } };
  }

  /** Runs one step of a pass. Returns how many messages it dropped, and whether the pass goes on. */
  #walk(
    pass: Pass,
    { beforeMs, nowMs, limit }: Step,
    drop: (seq: number) => void,
  ): { dropped: number; isMore: boolean } {
    const limitNow = pass.carefulRows > 0 ? 1 : limit;
    const rows = this.#nextRows(pass, limitNow);
    // Messages come in the order of acceptance, and none is final before it, so the pass ends at the first one accepted too
    // late. One dated in the future does not end it: the clock was ahead then, and older messages may follow.
    const end = rows.findIndex(({ createdAtMs }) => createdAtMs >= beforeMs && createdAtMs <= nowMs);
    const inTime = end === -1 ? rows : rows.slice(0, end);
    const looked = startOfBytes(inTime, CONTENT_BYTES);
    const over = this.#changedBefore(
      beforeMs,
      looked.filter(({ isFinal, createdAtMs }) => isFinal === 1 && createdAtMs < beforeMs),
    );
    for (const { seq } of over) {
      if (!this.#undroppable.has(seq)) this.#undroppable.run(seq, () => drop(seq));
    }
    const isMore = looked.length === limitNow || looked.length < inTime.length;
    pass.afterSeq = isMore ? (looked.at(-1)?.seq ?? 0) : 0;
    pass.carefulRows = Math.max(0, pass.carefulRows - 1);
    return { dropped: over.length, isMore };
  }

  /** Returns those without an event since then. A message whose events cannot be read counts as unchanged. */
  #changedBefore(beforeMs: number, rows: readonly MessageRow[]): MessageRow[] {
    const changes = this.#untimed.readEach(rows, ({ seq }) => [seq, this.#lastEventMs.get(seq) ?? null] as const);
    const changedMs = new Map(changes);
    return rows.filter(({ seq }) => (changedMs.get(seq) ?? 0) < beforeMs);
  }

  /** Throws at damage; from then on the rows are read one by one for a while, and the damaged one is skipped. */
  #nextRows(pass: Pass, limit: number): MessageRow[] {
    try {
      return this.#next[pass.name].all(pass.afterSeq, limit);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#log.note(`${pass.name} whose retention period is over`, error);
      if (pass.carefulRows > 0) pass.afterSeq += 1;
      pass.carefulRows = CAREFUL_ROWS;
      this.#log.avoid();
      throw error;
    }
  }

  #dropContentOf(seq: number): void {
    const tail = this.#tailOf.get(seq) ?? null;
    this.#dropContent.run(seq);
    if (tail !== null) this.#contentParts.abandon(tail);
  }

  #dropMessage(seq: number): void {
    this.#dropContentOf(seq);
    this.#dropTags.run({ seq });
    this.#events.dropMessage(seq);
    for (const drop of this.#drops) drop.run(seq);
    // The number may be given to another message.
    this.#quarantine.released(seq);
  }

  /** Returns free pages to the file system. Returns whether there are more. */
  #freePages(): boolean {
    const db = this.#db;
    const free = db.pragma("freelist_count", { simple: true }) as number;
    if (free <= FREE_PAGES_KEPT || db.pragma("auto_vacuum", { simple: true }) !== 2) return false;
    db.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    return free - VACUUM_PAGES > FREE_PAGES_KEPT;
  }
}

/** Returns the first rows, at least one, that have no more content than this outside of later parts. */
function startOfBytes(rows: MessageRow[], bytesMax: number): MessageRow[] {
  let bytes = 0;
  const end = rows.findIndex(({ sizeBytes, isFinal }, i) => {
    if (isFinal === 1) bytes += Math.min(sizeBytes, PART_BYTES);
    return bytes > bytesMax && i > 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

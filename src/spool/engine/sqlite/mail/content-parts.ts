/**
 * The later parts of large contents, as the writer stores them. Each part is written in its own transaction, so that no
 * commit is long, and before its message: the accepting transaction takes them over. The table `staged` lists the contents
 * whose parts belong to no message: not accepted yet, never accepted, or deleted. Such parts are removed in small steps.
 * content-sender.ts sends the parts; soundness.ts reads them.
 */
import type { Database } from "better-sqlite3";
import { partChecksum } from "../../../records/content-checksum.ts";
import type { Written } from "../connection/uncommitted-result.ts";
import { DamagedMessages, type DamageLog } from "../files/damage.ts";
import type { Tail } from "./mail-codec.ts";

/** A part's row number is its tail's number times this, plus its own number. */
export const PARTS_SPAN = 1024;
/** Later parts of one content. */
export const LATER_PARTS_MAX = PARTS_SPAN - 1;

/** Parts removed in one transaction: 4 MiB. */
const REMOVED_PARTS_MAX = 16;

export interface StagedPart {
  messageId: string;
  /** As returned for the first part sent; null for that one. */
  tail: number | null;
  /** From 1. */
  part: number;
  bytes: Uint8Array;
}

export class ContentParts {
  readonly #log: DamageLog;
  readonly #statements;
  /** Contents being staged by this process: their parts are not removed. By tail, when their message is due at the latest. */
  readonly #underWay = new Map<number, number>();
  /**
   * The last tail of this process. Its numbers are not used again: a request to remove the parts of a content may arrive when
   * they are gone already.
   */
  #lastTail = 0;
  /** Tails with damaged parts. */
  readonly #unremovable: DamagedMessages;

  constructor(db: Database, log: DamageLog) {
    this.#log = log;
    this.#statements = prepareStatements(db);
    this.#unremovable = new DamagedMessages(log, { place: (tail) => `the parts of the deleted content ${tail}` });
  }

  /** Stores a part. Returns the number of the content's tail. */
  stage({ messageId, tail, part, bytes }: StagedPart): Written<number> {
    if (part < 1 || part > LATER_PARTS_MAX) throw new Error(`a content has no part ${part}`);
    const number = tail ?? this.#addTail();
    this.#statements.addPart.run(number * PARTS_SPAN + part, bytes, partChecksum(bytes, { messageId, part }));
    return { value: number };
  }

  /** Takes over the staged parts for a message, in the accepting transaction. Throws unless all of them are stored. */
  take({ number, parts }: Tail): void {
    const stored = this.#statements.count.get(number * PARTS_SPAN, (number + 1) * PARTS_SPAN);
    const { changes } = this.#statements.unlist.run(number);
    if (stored !== parts || changes !== 1) throw new Error(`${stored} of ${parts} parts of the content are stored`);
  }

  /** The clock was set back to this time: messages whose parts are being staged may be dated later, and are due then. */
  clockSetBack(nowMs: number): void {
    for (const [tail, dueMs] of this.#underWay) this.#underWay.set(tail, Math.min(dueMs, nowMs));
  }

  /** When a message with this tail is due. */
  dueMs(tail: number, createdAtMs: number): number {
    return Math.min(createdAtMs, this.#underWay.get(tail) ?? createdAtMs);
  }

  /** To be called once the accepting transaction has committed, or the content is given up. */
  end(tail: number): void {
    this.#underWay.delete(tail);
  }

  /** Lists the parts of a deleted content for removal, inside the caller's transaction. */
  abandon(tail: number): void {
    this.#statements.list.run(tail);
  }

  /**
   * Removes up to `REMOVED_PARTS_MAX` parts that belong to no message, of the content `only` if it is set. Returns whether there
   * are more.
   */
  removeSome(only?: number): boolean {
    let left = REMOVED_PARTS_MAX;
    for (const tail of this.#removable(only)) {
      left -= this.#unremovable.run(tail, () => this.#remove(tail, left));
      if (left === 0) return true;
    }
    return false;
  }

  #addTail(): number {
    const tail = Math.max(this.#statements.nextTail.get() ?? 1, this.#lastTail + 1);
    this.#lastTail = tail;
    this.#statements.list.run(tail);
    this.#underWay.set(tail, Number.POSITIVE_INFINITY);
    return tail;
  }

  #removable(only?: number): number[] {
    const listed = this.#log.runOptional("the list of staged contents", () => this.#statements.listed.all(), []);
    return listed.filter(
      (tail) => (only ?? tail) === tail && !this.#underWay.has(tail) && !this.#unremovable.has(tail),
    );
  }

  /** Returns how many parts it removed, `most` at most; the content leaves the list with its last part. */
  #remove(tail: number, most: number): number {
    const { changes } = this.#statements.removeParts.run(tail * PARTS_SPAN, (tail + 1) * PARTS_SPAN, most);
    if (changes < most) this.#statements.unlist.run(tail);
    return changes;
  }
}

function prepareStatements(db: Database) {
  const inTail = "number >= ? AND number < ?";
  return {
    addPart: db.prepare("INSERT INTO content_parts (number, content, crc32) VALUES (?, ?, ?)"),
    count: db
      .prepare<[number, number], number>(`SELECT count(*) FROM content_parts NOT INDEXED WHERE ${inTail}`)
      .pluck(),
    removeParts: db.prepare(
      `DELETE FROM content_parts WHERE number IN
         (SELECT number FROM content_parts WHERE ${inTail} ORDER BY number DESC LIMIT ?)`,
    ),
    nextTail: db
      .prepare<[], number>(
        `SELECT max((SELECT coalesce(max(tail), 0) FROM staged),
                    (SELECT coalesce(max(number), 0) / ${PARTS_SPAN} FROM content_parts)) + 1`,
      )
      .pluck(),
    list: db.prepare("INSERT INTO staged (tail) VALUES (?)"),
    listed: db.prepare<[], number>("SELECT tail FROM staged ORDER BY tail").pluck(),
    unlist: db.prepare("DELETE FROM staged WHERE tail = ?"),
  };
}

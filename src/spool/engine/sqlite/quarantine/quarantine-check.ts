/**
 * Checks which quarantined messages can be read again: a temporary read error leaves sound messages in quarantine. They are
 * read in a separate thread with its own connection, because a failing disk may take long for each read.
 */

import type { Worker } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { startThread } from "../../../../lib/thread.ts";
import { SpoolUnavailable } from "../../../port/errors.ts";
import { IS_RECHECKED } from "../../../records/quarantined.ts";
import { NEWEST_EVENT } from "../../../schema/newest-event.ts";
import { isDamage, RowDamaged } from "../files/damage.ts";
import { Soundness } from "../files/soundness.ts";
import {
  checkMessage,
  checkRecipients,
  JOB_MESSAGE,
  type JobMessageRow,
  type JobRecipientRow,
} from "../mail/job-reader.ts";

/** A part of the quarantine: the messages after the row `after`, in the order of rows. */
export interface QuarantinePart {
  after: number;
  /** The most messages. */
  limit: number;
  /** The part ends once so much content was read. */
  bytesMax: number;
}

export interface QuarantineCheckResult {
  /** The rows of the messages that can be read. */
  sound: number[];
  /** Where the next part begins; null at the end of the quarantine. */
  next: number | null;
}

export interface QuarantineChecker {
  check(part: QuarantinePart): Promise<QuarantineCheckResult>;
  /** Ends a running check: its connection must not be the last one to the spool. */
  close(): Promise<void>;
}

export class QuarantineCheck {
  readonly #soundness: Soundness;
  readonly #message;
  readonly #recipients;
  readonly #quarantined;

  constructor(db: Database) {
    this.#soundness = new Soundness(db);
    this.#message = db.prepare<[number], JobMessageRow>(JOB_MESSAGE);
    this.#recipients = db.prepare<[number], JobRecipientRow & { domain: string }>(
      `SELECT r.position, r.email, coalesce(w.attempts, e.attempts, 0) AS attempts, e.reason, e.category, e.smtp, r.domain
         FROM recipients r LEFT JOIN work w ON w.seq = r.seq AND w.position = r.position ${NEWEST_EVENT} WHERE r.seq = ?`,
    );
    this.#quarantined = db
      .prepare<[number, number], number>(
        `SELECT seq FROM quarantined WHERE seq > ? AND ${IS_RECHECKED} ORDER BY seq LIMIT ?`,
      )
      .pluck();
  }

  check({ after, limit, bytesMax }: QuarantinePart): QuarantineCheckResult {
    const sound: number[] = [];
    let bytes = 0;
    const seqs = this.#quarantined.all(after, limit);
    for (const seq of seqs) {
      try {
        bytes += this.#read(seq);
        sound.push(seq);
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
      if (bytes >= bytesMax) return { sound, next: seq };
    }
    return { sound, next: seqs.length === limit ? (seqs.at(-1) ?? null) : null };
  }

  /** Reads everything that a claim, an attempt and a settlement need. Returns the size of the content in bytes. */
  #read(seq: number): number {
    const row = this.#message.get(seq);
    if (row === undefined) throw new RowDamaged("the message is missing");
    checkMessage(row);
    this.#soundness.checkRows(seq);
    for (const recipient of this.#recipients.all(seq)) checkRecipients([recipient], recipient.domain, row);
    return this.#soundness.checkContent(seq);
  }
}

export function checkerInThread(dataDir: string): QuarantineChecker {
  let thread: Worker | null = null;
  let isClosed = false;
  return {
    async check(part) {
      if (isClosed) throw new SpoolUnavailable("the spool is closed");
      const started = startThread(new URL("./quarantine-check-thread.ts", import.meta.url), { dataDir, part });
      thread = started;
      started.unref();
      try {
        return await new Promise<QuarantineCheckResult>((resolve, reject) => {
          started.once("message", resolve);
          started.once("error", (error) => reject(new SpoolUnavailable(error.message)));
          started.once("exit", () => reject(new SpoolUnavailable("the check of the quarantine ended early")));
        });
      } finally {
        await started.terminate();
        thread = null;
      }
    },
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

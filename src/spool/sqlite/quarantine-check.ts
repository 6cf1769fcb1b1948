/**
 * Which quarantined messages are whole again: a disk that could not be read for a moment leaves sound messages in quarantine.
 * They are read in a thread of their own, on a connection of its own, for a failing disk may take long over each read.
 */
import type { Worker } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { startThread } from "../../lib/thread.ts";
import { SpoolUnavailable } from "../port/mail.ts";
import { isDamage, RowDamaged } from "./damage.ts";
import { checkMessage, checkRecipients, JOB_MESSAGE, type JobMessageRow, type JobRecipientRow } from "./job-reader.ts";
import { prepareSoundness } from "./soundness.ts";

/** A part of the quarantine: behind the row `after`, in the order of rows. */
export interface QuarantinePart {
  after: number;
  /** Most messages. */
  limit: number;
  /** No further message is read once so much content was. */
  bytesMax: number;
}

export interface Checked {
  /** The rows of the messages that are whole. */
  sound: number[];
  /** Where the next part begins; null at the end of the quarantine. */
  next: number | null;
}

export interface QuarantineChecker {
  check(part: QuarantinePart): Promise<Checked>;
  /** Ends a check under way: the connection must not be the last one of the spool. */
  close(): Promise<void>;
}

export function prepareQuarantineCheck(db: Database): (part: QuarantinePart) => Checked {
  const soundness = prepareSoundness(db);
  const message = db.prepare<[number], JobMessageRow>(JOB_MESSAGE);
  const recipients = db.prepare<[number], JobRecipientRow & { domain: string }>(
    "SELECT position, email, attempts, reason, category, smtp, domain FROM recipients WHERE seq = ?",
  );
  // A message that `queue resume --hold` could not hold stays for the operator: its release would send it.
  const list = db
    .prepare<[number, number], number>(
      "SELECT seq FROM quarantined WHERE seq > ? AND part <> 'hold' ORDER BY seq LIMIT ?",
    )
    .pluck();

  /** Everything that a claim, an attempt and a settlement read; the length of the content. */
  function read(seq: number): number {
    const row = message.get(seq);
    if (row === undefined) throw new RowDamaged("the message is missing");
    checkMessage(row);
    soundness.checkRows(seq);
    for (const recipient of recipients.all(seq)) checkRecipients([recipient], recipient.domain);
    return soundness.content(seq).length;
  }

  return ({ after, limit, bytesMax }) => {
    const sound: number[] = [];
    let bytes = 0;
    const seqs = list.all(after, limit);
    for (const seq of seqs) {
      try {
        bytes += read(seq);
        sound.push(seq);
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
      if (bytes >= bytesMax) return { sound, next: seq };
    }
    return { sound, next: seqs.length === limit ? (seqs.at(-1) ?? null) : null };
  };
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
        return await new Promise<Checked>((resolve, reject) => {
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

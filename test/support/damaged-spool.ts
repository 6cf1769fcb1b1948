/** Damaged spools: fills one on disk, damages rows or pages of it, and delivers from it. */

import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Database } from "better-sqlite3";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { openSqliteSpool, type SqliteStore } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { MessageDamaged, SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { DeliveryJob, Lease } from "../../src/spool/port/mail.ts";
import { newMessage, settlement } from "./messages.ts";
import { wholeContent } from "./whole-content.ts";

export const NOW_MS = 1_700_000_000_000;

const onFatal = (error: Error): never => {
  throw error;
};

/** Opens the spool in this thread. */
export const openSpool = (dataDir: string, partBytes?: number): Promise<SqliteStore> =>
  openSqliteSpool({ dataDir, role: "client", onFatal, ...(partBytes === undefined ? {} : { partBytes }) });

/** Accepts messages numbered from 0, each to its own domain or to one of `domains`. Returns their ids in order. */
export async function fillSpool(
  spool: SqliteStore,
  { count, domains = count, contentBytes = 100 }: { count: number; domains?: number; contentBytes?: number },
): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const domain = `d${i % domains}.example`;
    const message = newMessage({
      id: `msg_${String(i).padStart(24, "0")}`,
      createdAtMs: NOW_MS + i,
      expiresAtMs: NOW_MS + 48 * 3_600_000,
      subject: `Message ${i}`,
      recipients: [{ email: `user${i}@${domain}`, domain }],
      content: Buffer.from(
        `Subject: Message ${i}\r\n\r\n${String.fromCharCode(65 + (i % 26)).repeat(contentBytes)}\r\n`,
      ),
    });
    await spool.accept(message);
    ids.push(message.id);
  }
  return ids;
}

/** Changes rows without using the spool. */
export function edit<T>(dataDir: string, change: (db: Database) => T): T {
  const db = new Sqlite(join(dataDir, "postrider.db"));
  try {
    // Removing the parent row of a message is a damage too.
    db.pragma("foreign_keys = OFF");
    return change(db);
  } finally {
    db.close();
  }
}

export interface Page {
  number: number;
  /** The table or index of the page. */
  name: string;
  type: "leaf" | "internal" | "overflow";
}

/** Lists every page of the file that belongs to a table or an index. */
export function pagesOf(dataDir: string): Page[] {
  return edit(dataDir, (db) => {
    db.pragma("wal_checkpoint(TRUNCATE)");
    const sql =
      "SELECT pageno AS number, name, pagetype AS type FROM dbstat WHERE name <> 'sqlite_schema' ORDER BY pageno";
    return db.prepare<[], Page>(sql).all();
  });
}

/** Overwrites a page of a spool that is not open. Returns a function that restores it. */
export function damagePage(dataDir: string, { number }: Pick<Page, "number">): () => void {
  const pageBytes = edit(dataDir, (db) => db.pragma("page_size", { simple: true }) as number);
  const place = (number - 1) * pageBytes;
  const write = (bytes: Buffer): void => {
    const handle = openSync(join(dataDir, "postrider.db"), "r+");
    writeSync(handle, bytes, 0, pageBytes, place);
    closeSync(handle);
  };
  const whole = readFileSync(join(dataDir, "postrider.db")).subarray(place, place + pageBytes);
  write(Buffer.alloc(pageBytes, 0xff));
  return () => write(whole);
}

/**
 * Makes a table of an open file unreadable: its root page becomes that of `other`, a table or index of
 * another kind. Returns a function that restores it.
 */
export function misplaceTable(db: Database, name: string, other = "messages"): () => void {
  const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck();
  const place = (page: unknown): void => {
    db.unsafeMode(true);
    db.pragma("writable_schema = ON");
    db.prepare("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?").run(page, name);
    db.pragma("writable_schema = RESET");
    db.unsafeMode(false);
  };
  const own = root.get(name);
  place(root.get(other));
  return () => place(own);
}

/** Selects the state of each recipient: its result, or `marked`. */
export const STATES = "SELECT iif(mark IS NULL, result, 'marked') FROM recipient_states";

/** Statements that give the first recipient of a message its newest event, with this last reply. */
export const withReply = (smtp: string, seq: number): string =>
  `INSERT INTO events (number, seq, account_id, id, at_ms, position, result, attempts, smtp)
     SELECT (SELECT max(number) + 1 FROM events), seq, account_id, 'evt_reply', 1, 0, 'pending', 1, '${smtp}' FROM messages WHERE seq = ${seq}`;

/** Statements that make all waiting recipients unknown. */
export const MAKE_UNKNOWN = `INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms)
  SELECT seq, position, account_id, domain, attempts, 1 FROM work; DELETE FROM work`;

export const POLICY = {
  domain: "sts.example",
  id: "1",
  mode: "none",
  fetchedAtMs: NOW_MS,
  expiresAtMs: 2 * NOW_MS,
} as const;
export const CLAIM = { nowMs: NOW_MS + 10_000, limit: 50, perDomain: 1000, allowance: {} };
export const ACCOUNT = "acc_default";

/** The same as a request to the writer, and the lease of the first such claim of a store. */
export const OWNED_CLAIM = { ...CLAIM, owner: "claimant_1" };
export const FIRST_LEASE: Lease = { owner: OWNED_CLAIM.owner, epoch: 1, expiresAtMs: null };

export async function opened(t: TestContext, dataDir: string): Promise<SqliteStore> {
  const spool = await openSpool(dataDir);
  t.after(() => spool.close());
  return spool;
}

/** Claims until nothing is due, and passes each job to `deliver`. */
export async function claimAll(spool: SqliteStore, deliver: (job: DeliveryJob) => Promise<void>): Promise<void> {
  for (;;) {
    const { jobs, nextDueMs } = await spool.claim(CLAIM);
    for (const job of jobs) await deliver(job);
    // A claim that found only damage is to be repeated a second later.
    if (jobs.length === 0 && nextDueMs !== CLAIM.nowMs + 1000) return;
  }
}

/** Reads, marks and settles each message as delivery does. Returns the ids whose result was stored. */
export async function deliverAll(spool: SqliteStore): Promise<string[]> {
  const delivered: string[] = [];
  await claimAll(spool, async ({ messageId, lease }) => {
    const ref = { messageId, positions: [0], lease };
    try {
      await wholeContent(spool, messageId);
      await spool.mark({ ...ref, atMs: NOW_MS, mx: "mx.example", ip: null });
      await spool.settle(messageId, NOW_MS, [settlement(0, "delivered")], lease);
      delivered.push(messageId);
    } catch (error) {
      assert.ok(error instanceof MessageDamaged, `${error}`);
      await spool.release(ref);
    }
  });
  return delivered;
}

export const mustBeDamaged = (error: unknown): void => assert.ok(error instanceof MessageDamaged, `${error}`);
export const mustBeUnavailable = (error: unknown): void => assert.ok(error instanceof SpoolUnavailable, `${error}`);

export async function forgetAll(spool: SqliteStore): Promise<void> {
  const step = { contentsBeforeMs: 2 * NOW_MS, resultsBeforeMs: 2 * NOW_MS, nowMs: 2 * NOW_MS, limit: 100 };
  for (let steps = 0; steps < 300; steps += 1) {
    const done = await spool.applyRetention(step).catch(mustBeUnavailable);
    if (done === undefined || !done.isMore) return;
  }
}

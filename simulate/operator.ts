/** The actions of an operator during the fault phase, each drawn from the seed. */
import type { Database } from "better-sqlite3";
import type { SqliteStore } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import type { Zone } from "./dns.ts";
import type { Prng } from "./prng.ts";

interface OperatorOptions {
  prng: Prng;
  zone: Zone;
  spool: SqliteStore;
  /** The spool's file, to find what an operator would see. */
  db: Database;
  nowMs: number;
}

/** Retries the recipients of the oldest message with an unknown one, pauses a domain, or resumes all domains. */
export function actAsOperator({ prng, zone, spool, db, nowMs }: OperatorOptions): void {
  switch (prng.pick(["retry", "pause", "resume"])) {
    case "pause":
      spool.pauseDomain(`d${prng.integer(0, 5)}.example`, nowMs).catch(() => {});
      break;
    case "resume":
      resumeAll(spool, zone);
      break;
    case "retry":
      retryOne(spool, db, nowMs);
      break;
  }
}

export function resumeAll(spool: SqliteStore, zone: Zone): void {
  for (const domain of zone.domains.keys()) void spool.resumeDomain(domain).catch(() => {});
}

function retryOne(spool: SqliteStore, db: Database, nowMs: number): void {
  const sql = "SELECT id FROM messages JOIN unknown_recipients USING (seq) WHERE result IS NULL ORDER BY seq LIMIT 1";
  const messageId = db.prepare<[], string>(sql).pluck().get();
  if (messageId !== undefined) spool.retry({ accountId: "acc_default", messageId, nowMs }).catch(() => {});
}

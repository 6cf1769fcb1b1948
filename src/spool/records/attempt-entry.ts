/**
 * The entries of a recipient's history that delivery makes: the result of an attempt, and the recovery of one that was interrupted
 * at the final dot. They are stored as JSON.
 */

import type { Category } from "../../message/result/category.ts";
import { categoryOfReason } from "../../message/result/classifier.ts";
import type { Outcome, Result } from "../../message/result/outcome.ts";
import type { SpoolEvent } from "../port/results.ts";
import { isObject, soundJson } from "./stored-json.ts";

export interface AttemptEntry {
  result: Result;
  outcome: Outcome["type"];
  reason: string | null;
  category: Category | null;
  nextAttemptAtMs: number | null;
  /** The tries, in JSON. */
  tries: string;
  atMs: number;
  /** Counts the recipient's attempts from 1. */
  attempt: number;
}

/** The types of the entries of deferrals: at the end of its time, a recipient gets a result. */
const DEFERRED_TYPES = { pending: "deferred", failed: "expired", unknown: "unknown", delivered: "delivered" } as const;

/** Returns the entry of a settled attempt, in JSON. */
export function attemptEntry(entry: AttemptEntry): string {
  const { result, outcome, reason, category, nextAttemptAtMs, tries, atMs, attempt } = entry;
  const type = outcome === "deferred" ? DEFERRED_TYPES[result] : outcome;
  const cause = `"reason":${JSON.stringify(reason)},"category":${JSON.stringify(category)}`;
  const head = `{"at_ms":${atMs},"type":"${type}","attempt":${attempt},${cause}`;
  return `${head},"tries":${tries},"next_attempt_at_ms":${nextAttemptAtMs}}`;
}

interface StoredMark {
  mx: string;
  ip: string | null;
}

/** The state is enough to show that the final dot was about to be sent. */
const UNREADABLE_MARK: StoredMark = { mx: "(the stored mark is damaged)", ip: null };

/** Instead of the host, in the mark of a recipient whose own mark or result a failover of the database has lost. */
export const LOST_RESULT = "(lost in a failover of the database)";

/** The reason of a recipient whose attempt was interrupted at the final dot. */
export const INTERRUPTED = "interrupted_after_final_dot";

export interface Recovered {
  /** Attempts settled before. */
  attempts: number;
  /** The stored mark, in JSON. */
  mark: string;
  atMs: number;
  /** When the recipient is due again; null if it is unknown now. */
  nextMs: number | null;
}

/** Returns the entry of an attempt that was found marked. */
export function recoveredEntry({ attempts, mark, atMs, nextMs }: Recovered): SpoolEvent {
  const { mx, ip } = soundJson(mark, isMark) ?? UNREADABLE_MARK;
  const error =
    mx === LOST_RESULT
      ? "The database lost what had become of the attempt"
      : "Postrider stopped before the reply to the final dot arrived";
  return {
    at_ms: atMs,
    type: "recovered",
    attempt: attempts + 1,
    reason: INTERRUPTED,
    category: categoryOfReason(INTERRUPTED),
    tries: [{ mx, ip, tls: null, stage: "final_dot", reply: null, error, note: null, policy: null }],
    next_attempt_at_ms: nextMs,
  };
}

const isMark = (value: unknown): value is StoredMark =>
  isObject(value) && typeof value.mx === "string" && (value.ip === null || typeof value.ip === "string");

/**
 * Recovery of what ended nodes leased. Recipients that were marked become unknown, or pending if the policy is to retry: the final
 * dot may have been sent for them. All others are due again, for any node.
 */
import { newId } from "../../../../lib/new-id.ts";
import { categoryOfReason } from "../../../../message/result/classifier.ts";
import type { SmtpRecord } from "../../../../message/result/outcome.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import { INTERRUPTED, recoveredEntry } from "../../../records/attempt-entry.ts";
import { typeOfResult } from "../../../records/result-event.ts";
import { endedNodes, forgetNode } from "../cluster/nodes-table.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";
import { type NewEvent, writeEvents } from "./event-writer.ts";

interface MarkedRow {
  seq: number;
  position: number;
  accountId: string;
  domain: string;
  attempts: number;
  mark: string;
  /** The earlier of the expiry and the sender's deadline. */
  untilMs: number;
  smtp: string | null;
}

export interface RecoverOptions {
  nowMs: number;
  result: "unknown" | "pending";
  /**
   * Whether to look for work of nodes that are not in the table of nodes any more: a node that was ended in the middle of a
   * transaction may have committed it after its work was recovered. This reads the whole table of work.
   */
  withForgotten: boolean;
}

/** A recipient that was marked, as of its recovery. */
export interface RecoveredRecipient {
  accountId: string;
  result: "unknown" | "pending";
  isTest: boolean;
}

/** Marked recipients settled in one transaction. */
const MARKED_MAX = 500;

const findForgotten = statement<{ owner: number }>(
  `SELECT DISTINCT owner FROM work WHERE owner IS NOT NULL AND NOT EXISTS (SELECT FROM nodes WHERE number = owner)`,
);

const releaseUnmarked = statement("UPDATE work SET owner = NULL, epoch = NULL WHERE owner = $1 AND mark IS NULL");

const findMarked = statement<MarkedRow>(
  `SELECT w.seq, w.position, w.account_id AS "accountId", w.domain, w.attempts, w.mark,
          least(m.expires_at_ms, coalesce(m.deadline_ms, m.expires_at_ms)) AS "untilMs",
          (SELECT smtp FROM events e WHERE e.seq = w.seq AND e.position = w.position ORDER BY number DESC LIMIT 1) AS smtp
     FROM (SELECT * FROM work WHERE owner = $1 AND mark IS NOT NULL ORDER BY seq, position LIMIT ${MARKED_MAX} FOR UPDATE) w
     JOIN messages m ON m.seq = w.seq`,
);

// The owner and epoch stay: the reply may still arrive, under the same lease.
const makeUnknown = statement(
  `WITH gone AS (
     DELETE FROM work USING unnest($1::bigint[], $2::int[]) AS m (seq, position)
       WHERE work.seq = m.seq AND work.position = m.position RETURNING work.*
   )
   INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms, owner, epoch)
     SELECT seq, position, account_id, domain, attempts + 1, $3, owner, epoch FROM gone`,
);

const makePending = statement(
  `UPDATE work SET owner = NULL, epoch = NULL, mark = NULL, due_ms = $3, attempts = attempts + 1
     FROM unnest($1::bigint[], $2::int[]) AS m (seq, position) WHERE work.seq = m.seq AND work.position = m.position`,
);

/**
 * Recovers the work of all nodes whose leases have ended. Several nodes may call it at the same time. Returns how many
 * recipients were marked; `recovered` is called after each commit.
 */
export async function recoverEnded(
  database: Database,
  options: RecoverOptions,
  recovered: (recipients: readonly RecoveredRecipient[]) => void,
): Promise<number> {
  let count = 0;
  const recover = async (nodesOf: (session: Session) => Promise<number[]>): Promise<boolean> => {
    const step = await database.transaction((session) => recoverStep(session, options, nodesOf));
    if (step === null) return false;
    count += step.length;
    recovered(step);
    return true;
  };
  while (await recover(endedNodes));
  if (options.withForgotten) while (await recover(forgottenNodes));
  return count;
}

async function forgottenNodes(session: Session): Promise<number[]> {
  return (await session.run(findForgotten)).rows.map(({ owner }) => owner);
}

/** Recovers some work of the first of these nodes. Returns the recipients that were marked; null if there is no node. */
async function recoverStep(
  session: Session,
  options: RecoverOptions,
  nodesOf: (session: Session) => Promise<number[]>,
): Promise<RecoveredRecipient[] | null> {
  const [node] = await nodesOf(session);
  if (node === undefined) return null;
  await session.run(releaseUnmarked, [node]);
  const { rows } = await session.run(findMarked, [node]);
  if (rows.length < MARKED_MAX) await forgetNode(session, node);
  const { nowMs } = options;
  // A pending recipient would fail as expired at once, although it may have been delivered.
  const pending = rows.filter(({ untilMs }) => options.result === "pending" && nowMs < untilMs);
  const unknown = rows.filter((row) => !pending.includes(row));
  await session.run(makePending, [...keysOf(pending), nowMs]);
  await session.run(makeUnknown, [...keysOf(unknown), nowMs]);
  await writeEvents(session, [
    ...pending.map((row) => eventOf(row, { nowMs, result: "pending" })),
    ...unknown.map((row) => eventOf(row, { nowMs, result: "unknown" })),
  ]);
  return [...recoveredAs("pending", pending), ...recoveredAs("unknown", unknown)];
}

const recoveredAs = (result: RecoveredRecipient["result"], rows: readonly MarkedRow[]): RecoveredRecipient[] =>
  rows.map(({ accountId, domain }) => ({ accountId, result, isTest: isTestRoute(domain) }));

const keysOf = (rows: readonly MarkedRow[]): unknown[] => [
  rows.map(({ seq }) => seq),
  rows.map(({ position }) => position),
];

function eventOf(row: MarkedRow, { nowMs, result }: Pick<RecoverOptions, "nowMs" | "result">): NewEvent {
  const nextMs = result === "pending" ? nowMs : null;
  const smtp = result === "unknown" || row.smtp === null ? null : (JSON.parse(row.smtp) as SmtpRecord);
  const category = categoryOfReason(INTERRUPTED);
  return {
    seq: row.seq,
    accountId: row.accountId,
    id: newId("evt"),
    atMs: nowMs,
    type: typeOfResult(result),
    recipient: { position: row.position, result, reason: INTERRUPTED, category, attempts: row.attempts + 1, smtp },
    history: recoveredEntry({ attempts: row.attempts, mark: row.mark, atMs: nowMs, nextMs }),
  };
}

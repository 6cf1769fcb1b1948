/** Responses to changes by the management interface, by account and idempotency key. */
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  ANSWER_WITHIN_MS,
  ANSWERS_KEPT_MS,
  ANSWERS_MAX,
  ANSWERS_STEP,
  type BegunRequest,
  type NamedRequest,
  type RequestAnswer,
  type RequestBeginning,
} from "../../port/request-answers.ts";
import { sweepOf } from "../rows/sweep.ts";

const begin = statement(
  `INSERT INTO request_answers (account_id, key, request_hash, begun_at_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id, key) DO NOTHING`,
);
const find = statement<{ requestHash: string; begunAtMs: number; status: number | null; sealed: Buffer | null }>(
  `SELECT request_hash AS "requestHash", begun_at_ms AS "begunAtMs", status, sealed FROM request_answers
     WHERE account_id = $1 AND key = $2 FOR UPDATE`,
);
const beginAgain = statement(
  `UPDATE request_answers SET request_hash = $3, begun_at_ms = $4, status = NULL, sealed = NULL
     WHERE account_id = $1 AND key = $2`,
);
const answer = statement("UPDATE request_answers SET status = $3, sealed = $4 WHERE account_id = $1 AND key = $2");
const forget = statement("DELETE FROM request_answers WHERE account_id = $1 AND key = $2");
const sweep = sweepOf("request_answers", "account_id, key", `begun_at_ms < $1 LIMIT ${ANSWERS_STEP}`);
const isFull = statement<{ count: number }>(
  `SELECT count(*) AS count FROM (SELECT 1 FROM request_answers WHERE account_id = $1 LIMIT ${ANSWERS_MAX}) AS kept`,
);

export const requestAnswerOperations = {
  reads: {},
  writes: {
    beginRequest,
    async answerRequest(session: Session, { accountId, key }: NamedRequest, { status, sealed }: RequestAnswer) {
      await session.run(answer, [accountId, key, status, sealed]);
    },
    async forgetRequest(session: Session, { accountId, key }: NamedRequest): Promise<void> {
      await session.run(forget, [accountId, key]);
    },
    removeAnswers: async (session: Session, beforeMs: number): Promise<number> =>
      (await session.run(sweep, [beforeMs])).count,
  },
};

async function beginRequest(
  session: Session,
  { accountId, key, requestHash, nowMs }: BegunRequest,
): Promise<RequestBeginning> {
  const known = await first(session, find, [accountId, key]);
  if (known === null) {
    const kept = await first(session, isFull, [accountId]);
    if (kept !== null && kept.count >= ANSWERS_MAX) return { type: "too_many" };
    const { count } = await session.run(begin, [accountId, key, requestHash, nowMs]);
    if (count === 1) return { type: "begun" };
  }
  // Another node has begun it at the same moment.
  const found = known ?? (await first(session, find, [accountId, key]));
  if (found === null) return { type: "in_progress" };
  const { status, sealed, begunAtMs } = found;
  const isOver = status === null ? begunAtMs <= nowMs - ANSWER_WITHIN_MS : begunAtMs <= nowMs - ANSWERS_KEPT_MS;
  if (isOver) {
    await session.run(beginAgain, [accountId, key, requestHash, nowMs]);
    return { type: "begun" };
  }
  if (found.requestHash !== requestHash) return { type: "reused" };
  return status === null || sealed === null ? { type: "in_progress" } : { type: "answered", status, sealed };
}

/** What API keys send in spans of ten minutes, for five weeks, and which of them are held. */
import {
  type FuseCause,
  type FuseSetting,
  HISTORY_DAYS,
  type KeyHistory,
  NO_HISTORY,
  SPANS_A_DAY,
} from "../../../message/key-fuse.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  FUSES_MAX,
  type FuseChange,
  type KeyFuse,
  type KeySpan,
  type KeyTotals,
  type NamedKey,
} from "../../port/key-fuses.ts";
import { sweepOf } from "../rows/sweep.ts";

const PART = "the counts of API keys";

const damageable = <Row>(text: string) => statement<Row>(text, { ifDamaged: PART });

const add = damageable(
  `INSERT INTO key_spans AS stored (key_id, span, recipients, unknown) VALUES ($1, $2, $3, $4)
     ON CONFLICT (key_id, span) DO UPDATE SET recipients = stored.recipients + excluded.recipients,
       unknown = stored.unknown + excluded.unknown`,
);
const findTotals = damageable<{ span: number; day: number; unknown: number }>(
  `SELECT CAST(coalesce(sum(CASE WHEN span = $2 THEN recipients ELSE 0 END), 0) AS bigint) AS span,
          CAST(coalesce(sum(recipients), 0) AS bigint) AS day, CAST(coalesce(sum(unknown), 0) AS bigint) AS unknown
     FROM key_spans WHERE key_id = $1 AND span >= $3 AND span <= $2`,
);
const findHistory = damageable<KeyHistory>(
  `SELECT min(first) AS "firstSpan", CAST(coalesce(max(peak), 0) AS bigint) AS "peakSpan",
          CAST(coalesce(max(day), 0) AS bigint) AS "peakDay", CAST(coalesce(sum(day), 0) AS bigint) AS recipients,
          CAST(coalesce(sum(refused), 0) AS bigint) AS unknown
     FROM (SELECT min(span) AS first, max(recipients) AS peak, sum(recipients) AS day, sum(unknown) AS refused
             FROM key_spans WHERE key_id = $1 AND span >= $2 AND span < $3
            GROUP BY span / ${SPANS_A_DAY}) AS days`,
);
const sweep = sweepOf("key_spans", "key_id, span", "span < $1", { ifDamaged: PART });

interface FuseRow {
  keyId: string;
  accountId: string;
  limit: number | null;
  isOff: boolean;
  warnedAtMs: number | null;
  heldAtMs: number | null;
  cause: string | null;
  releasedAtMs: number | null;
}

const list = statement<FuseRow>(
  `SELECT key_id AS "keyId", account_id AS "accountId", recipients_max AS "limit", is_off AS "isOff",
          warned_at_ms AS "warnedAtMs", held_at_ms AS "heldAtMs", cause, released_at_ms AS "releasedAtMs"
     FROM key_fuses ORDER BY held_at_ms IS NULL, key_id LIMIT $1`,
  { ifDamaged: "the fuses of API keys", booleans: ["isOff"] },
);
const hold = statement(
  `INSERT INTO key_fuses AS stored (key_id, account_id, is_off, held_at_ms, cause) VALUES ($1, $2, FALSE, $3, $4)
     ON CONFLICT (key_id) DO UPDATE SET held_at_ms = excluded.held_at_ms, cause = excluded.cause
     WHERE stored.held_at_ms IS NULL AND NOT stored.is_off`,
);
const warn = statement(
  `INSERT INTO key_fuses AS stored (key_id, account_id, is_off, warned_at_ms, cause) VALUES ($1, $2, FALSE, $3, $4)
     ON CONFLICT (key_id) DO UPDATE SET warned_at_ms = excluded.warned_at_ms, cause = excluded.cause
     WHERE stored.held_at_ms IS NULL`,
);
const release = statement(
  `UPDATE key_fuses SET held_at_ms = NULL, warned_at_ms = NULL, cause = NULL, released_at_ms = $3
     WHERE key_id = $1 AND account_id = $2 AND held_at_ms IS NOT NULL`,
);
const set = statement(
  `INSERT INTO key_fuses (key_id, account_id, recipients_max, is_off) VALUES ($1, $2, $3, $4)
     ON CONFLICT (key_id) DO UPDATE SET recipients_max = excluded.recipients_max, is_off = excluded.is_off`,
);

const dayOf = (span: number): number => span - (span % SPANS_A_DAY);
const oldest = (span: number): number => dayOf(span) - HISTORY_DAYS * SPANS_A_DAY;

export const keyFuseOperations = {
  reads: {
    async keyHistory(session: Session, keyId: string, span: number): Promise<KeyHistory> {
      return (await first(session, findHistory, [keyId, oldest(span), dayOf(span)])) ?? NO_HISTORY;
    },
    async keyFuses(session: Session): Promise<KeyFuse[]> {
      return (await session.run(list, [FUSES_MAX])).rows.map(({ heldAtMs, warnedAtMs, cause, ...row }) => ({
        ...row,
        held: heldAtMs === null ? null : { sinceMs: heldAtMs, cause: causeOf(cause) },
        warned: heldAtMs !== null || warnedAtMs === null ? null : { atMs: warnedAtMs, cause: causeOf(cause) },
      }));
    },
  },
  writes: {
    addKeyUse,
    async warnKey(session: Session, { keyId, accountId, atMs, cause }: FuseChange): Promise<void> {
      await session.run(warn, [keyId, accountId, atMs, JSON.stringify(cause)]);
    },
    async holdKey(session: Session, { keyId, accountId, atMs, cause }: FuseChange): Promise<boolean> {
      return (await session.run(hold, [keyId, accountId, atMs, JSON.stringify(cause)])).count > 0;
    },
    async releaseKey(session: Session, { keyId, accountId, atMs }: NamedKey & { atMs: number }): Promise<boolean> {
      return (await session.run(release, [keyId, accountId, atMs])).count > 0;
    },
    async setKeyFuse(
      session: Session,
      { keyId, accountId }: NamedKey,
      { limit, isOff }: Pick<FuseSetting, "limit" | "isOff">,
    ): Promise<void> {
      await session.run(set, [keyId, accountId, limit, isOff]);
    },
  },
};

async function addKeyUse(session: Session, added: readonly KeySpan[], now: number): Promise<KeyTotals[]> {
  // In the order of the key, so that nodes wait for each other's rows instead of deadlocking.
  const sorted = added.toSorted((a, b) => (a.keyId === b.keyId ? a.span - b.span : a.keyId < b.keyId ? -1 : 1));
  for (const { keyId, span, recipients, unknown } of sorted)
    if (recipients > 0 || unknown > 0) await session.run(add, [keyId, span, recipients, unknown]);
  await session.run(sweep, [oldest(now)]);
  const totals: KeyTotals[] = [];
  for (const keyId of new Set(added.map((each) => each.keyId))) {
    const found = await first(session, findTotals, [keyId, now, dayOf(now)]);
    if (found !== null) totals.push({ keyId, ...found });
  }
  return totals;
}

/** Null if it cannot be read. */
function causeOf(stored: string | null): FuseCause | null {
  try {
    return stored === null ? null : (JSON.parse(stored) as FuseCause);
  } catch {
    return null;
  }
}

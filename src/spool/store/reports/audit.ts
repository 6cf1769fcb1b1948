/** The audit trail. A row's number is its place: it grows with each entry, while the clock can be set back. */
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { ActorKind, AuditEntry, AuditFields, AuditFilter, AuditPage, AuditTarget } from "../../port/audit.ts";
import { isObject, soundJson } from "../../records/stored-json.ts";

const damageable = <Row>(text: string) => statement<Row>(text, { ifDamaged: "the audit trail" });

const record = damageable(
  `INSERT INTO audit (id, at_ms, account_id, actor_kind, actor_id, actor_name, ip, action, target_kind, target_id, target_name,
       before_fields, after_fields)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (id) DO UPDATE SET target_kind = excluded.target_kind, target_id = excluded.target_id,
       target_name = excluded.target_name, before_fields = excluded.before_fields, after_fields = excluded.after_fields`,
);

interface AuditRow {
  number: number;
  id: string;
  atMs: number;
  accountId: string | null;
  actorKind: ActorKind;
  actorId: string | null;
  actorName: string | null;
  ip: string | null;
  action: string;
  targetKind: string;
  targetId: string | null;
  targetName: string | null;
  before: string | null;
  after: string | null;
}

const COLUMNS = `number, id, at_ms AS "atMs", account_id AS "accountId", actor_kind AS "actorKind", actor_id AS "actorId",
  actor_name AS "actorName", ip, action, target_kind AS "targetKind", target_id AS "targetId", target_name AS "targetName",
  before_fields AS "before", after_fields AS "after"`;

const FILTER = `number < $1 AND at_ms >= $2 AND at_ms < $3
  AND (CAST($4 AS text) IS NULL OR lower(actor_name) LIKE $4 ESCAPE '\\' OR actor_id = $5)
  AND (CAST($6 AS text) IS NULL OR substr(action, 1, length($6)) = $6)
  AND (CAST($7 AS text) IS NULL OR target_id = $7 OR target_name = $7)`;

// Two statements, so that each has an index with its order.
const findAll = damageable<AuditRow>(
  `SELECT ${COLUMNS} FROM audit WHERE ${FILTER} ORDER BY number DESC LIMIT CAST($8 AS integer)`,
);
const findOfAccount = damageable<AuditRow>(
  `SELECT ${COLUMNS} FROM audit WHERE account_id = $9 AND ${FILTER} ORDER BY number DESC LIMIT CAST($8 AS integer)`,
);

const removeOld = damageable(
  `DELETE FROM audit WHERE number IN
     (SELECT number FROM audit WHERE at_ms < $1 ORDER BY at_ms LIMIT CAST($2 AS integer) FOR UPDATE SKIP LOCKED)`,
);

/** PostgreSQL's text cannot contain U+0000. */
const storable = (text: string | null): string | null => text?.replaceAll("\0", "\uFFFD") ?? null;

const jsonOf = (fields: AuditFields | null): string | null => (fields === null ? null : JSON.stringify(fields));

/** The pattern of LIKE for names that contain a text, in lower case. */
const containing = (text: string): string => `%${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;

export const auditOperations = {
  reads: {},
  writes: {
    async recordAudit(session: Session, entry: AuditEntry): Promise<void> {
      const { id, atMs, accountId, actor, action, target, before, after } = entry;
      const by = [actor.kind, actor.id, storable(actor.name), storable(actor.ip)];
      const about = [target.kind, storable(target.id), storable(target.name)];
      await session.run(record, [id, atMs, accountId, ...by, action, ...about, jsonOf(before), jsonOf(after)]);
    },
    removeAuditBefore: async (session: Session, beforeMs: number, limit: number): Promise<number> =>
      (await session.run(removeOld, [beforeMs, limit])).count,
  },
  reports: { auditEntries },
};

async function auditEntries(session: Session, filter: AuditFilter): Promise<AuditPage> {
  const { accountId, by, action, target, sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER, cursor, limit } = filter;
  const name = by === undefined ? [null, null] : [containing(by), by];
  const filters = [sinceMs, untilMs, ...name, action ?? null, target ?? null];
  // One more shows whether others follow.
  const values = [cursor ?? Number.MAX_SAFE_INTEGER, ...filters, limit + 1];
  const { rows } = await (accountId === null
    ? session.run(findAll, values)
    : session.run(findOfAccount, [...values, accountId]));
  const page = rows.slice(0, limit);
  return { entries: page.map(entryOf), cursor: rows.length > limit ? (page.at(-1)?.number ?? null) : null };
}

function entryOf(row: AuditRow): AuditEntry {
  const { id, atMs, accountId, actorKind, actorId, actorName, ip, action } = row;
  const target: AuditTarget = { kind: row.targetKind, id: row.targetId, name: row.targetName };
  const actor = { kind: actorKind, id: actorId, name: actorName, ip };
  return { id, atMs, accountId, actor, action, target, before: fieldsOf(row.before), after: fieldsOf(row.after) };
}

const fieldsOf = (text: string | null): AuditFields | null => (text === null ? null : soundJson(text, isObject));

/**
 * Releases quarantined messages that can be read again: a read error of a failing disk, or of a standby that took over, leaves
 * sound messages in quarantine. A message found damaged again within a day of its release is left to the operator. Otherwise it
 * would go in and out for ever.
 *
 * Marked recipients of a released message are not settled here: their lease has an owner, and recovery.ts settles them when it
 * ends.
 */
import { DAY_MS } from "../../../../lib/units.ts";
import { MessageDamaged } from "../../../port/errors.ts";
import type { RecheckResult, RecheckStep } from "../../../port/quarantine.ts";
import { IS_RECHECKED } from "../../../records/quarantined.ts";
import type { Database } from "../connection/database.ts";
import { statement } from "../connection/statement.ts";
import { checkMessage } from "./message-check.ts";

const AGAIN_AFTER_MS = DAY_MS;

const findHeld = statement<{ seq: number }>(
  `SELECT seq FROM quarantined WHERE seq > $1 AND ${IS_RECHECKED} ORDER BY seq LIMIT $2`,
);

const sweepReleases = statement("DELETE FROM quarantine_releases WHERE abs($1 - released_at_ms) >= $2");

const release = statement<{ messageId: string | null }>(
  `WITH released AS (
     DELETE FROM quarantined q WHERE seq = ANY ($1::bigint[])
         AND NOT EXISTS (SELECT 1 FROM quarantine_releases r WHERE r.seq = q.seq)
       RETURNING seq, message_id
   ), noted AS (
     INSERT INTO quarantine_releases (seq, released_at_ms) SELECT seq, $2 FROM released
   )
   SELECT message_id AS "messageId" FROM released ORDER BY seq`,
);

/** Runs one step of a pass over the quarantine. */
export async function recheckQuarantined(
  database: Database,
  { after, limit, bytesMax, nowMs }: Omit<RecheckStep, "result">,
): Promise<RecheckResult> {
  const { rows } = await database.run(findHeld, [after, limit]);
  const sound: number[] = [];
  let bytes = 0;
  let next = rows.length === limit ? (rows.at(-1)?.seq ?? null) : null;
  for (const { seq } of rows) {
    const size = await sizeIfReadable(database, seq);
    if (size !== null) sound.push(seq);
    bytes += size ?? 0;
    if (bytes < bytesMax) continue;
    next = seq;
    break;
  }
  const released = await database.transaction(async (session) => {
    await session.run(sweepReleases, [nowMs, AGAIN_AFTER_MS]);
    return sound.length === 0 ? [] : (await session.run(release, [sound, nowMs])).rows;
  });
  return { released: released.flatMap(({ messageId }) => messageId ?? []), next };
}

async function sizeIfReadable(database: Database, seq: number): Promise<number | null> {
  try {
    return await checkMessage(database, seq);
  } catch (error) {
    if (error instanceof MessageDamaged) return null;
    throw error;
  }
}

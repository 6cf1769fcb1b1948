/** Reads the histories of a message's recipients. records/histories.ts decides how much of them. */
import { MIB } from "../../../lib/units.ts";
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import {
  completeHistories,
  type HistoryShare,
  historyOf,
  type RecipientHistory,
  type StoredSize,
  sharesOf,
  sizeOfAll,
} from "../../records/histories.ts";
import { isObject, soundJson } from "../../records/stored-json.ts";
import { jsonRows } from "../rows/json-rows.ts";

/** Whole events are read to show only their decisive tries, in groups of this size. */
const GROUP_BYTES_MAX = MIB;

/** Beyond this size of all groups, recipients whose newest event exceeds their share are shown without a history. */
const GROUPS_BYTES_MAX = 8 * GROUP_BYTES_MAX;

export interface HistoriesKey {
  seq: number;
  /** The number of recipients. */
  recipients: number;
  /** The size of the events shown, in JSON. */
  bytesMax: number;
}

/** The results are stored apart from the histories, which are left out of a report if they are damaged. */
const HISTORIES = { ifDamaged: "the histories" };

const ENTRIES = "FROM events WHERE seq = $1 AND position IS NOT NULL AND history IS NOT NULL ORDER BY position, number";

const sizesText = (event: string): string =>
  `SELECT position, number, octet_length(history) AS "sizeBytes", ${event} AS event ${ENTRIES}`;

// PostgreSQL returns the events with their sizes if all together do not exceed the limit $2. SQLite would have all
// of them in memory before it knows the sum, and reads them with another statement.
const findSizes = statement<StoredSize & { event: string | null }>(sizesText("NULL"), {
  ...HISTORIES,
  postgres: sizesText("CASE WHEN sum(octet_length(history)) OVER () <= $2 THEN history END"),
});

const findAll = statement<{ position: number; event: string }>(
  `SELECT position, history AS event ${ENTRIES}`,
  HISTORIES,
);

const findFrom = statement<{ position: number; event: string }>(
  `SELECT e.position, e.history AS event
     FROM json_each($2) AS s
     JOIN events e ON e.seq = $1 AND e.position = CAST(s.value ->> 'position' AS integer)
                  AND e.number >= CAST(s.value ->> 'number' AS bigint)
     WHERE e.history IS NOT NULL ORDER BY e.position, e.number`,
  HISTORIES,
);

/** Returns the histories by position. */
export async function readHistories(
  session: Session,
  { seq, recipients, bytesMax }: HistoriesKey,
): Promise<Map<number, RecipientHistory>> {
  const { rows } = await session.run(findSizes, [seq, bytesMax]);
  if (sizeOfAll(rows) <= bytesMax) {
    const isComplete = rows.every((row): row is typeof row & { event: string } => row.event !== null);
    return completeHistories(isComplete ? rows : (await session.run(findAll, [seq])).rows);
  }
  const shares = sharesOf(rows.toReversed(), Math.floor(bytesMax / recipients)).reverse();
  const texts = new Map<number, string[]>();
  const fitting = shares.filter(({ isDecisiveTry }) => !isDecisiveTry);
  await addTexts(session, { seq, shares: fitting, texts });
  const newestBytes = new Map(rows.map(({ position, sizeBytes }) => [position, sizeBytes]));
  const others = shares.filter(({ isDecisiveTry }) => isDecisiveTry);
  for (const group of groupsOf(others, newestBytes)) {
    const whole = new Map<number, string[]>();
    await addTexts(session, { seq, shares: group, texts: whole });
    for (const [position, own] of whole) texts.set(position, own.flatMap(decisiveTry));
  }
  return new Map(shares.map((share) => [share.position, historyOf(share, texts.get(share.position) ?? [])]));
}

/** Reads the events from those of the shares on. */
async function addTexts(
  session: Session,
  { seq, shares, texts }: { seq: number; shares: readonly HistoryShare[]; texts: Map<number, string[]> },
): Promise<void> {
  if (shares.length === 0) return;
  const keys = shares.map(({ position, number }) => ({ position, number }));
  for (const { position, event } of (await session.run(findFrom, [seq, jsonRows(keys)])).rows) {
    const known = texts.get(position);
    if (known === undefined) texts.set(position, [event]);
    else known.push(event);
  }
}

function groupsOf(shares: readonly HistoryShare[], newestBytes: ReadonlyMap<number, number>): HistoryShare[][] {
  const groups: HistoryShare[][] = [];
  let [groupBytes, allBytes] = [Number.POSITIVE_INFINITY, 0];
  for (const share of shares) {
    const sizeBytes = newestBytes.get(share.position) ?? 0;
    allBytes += sizeBytes;
    if (allBytes > GROUPS_BYTES_MAX) break;
    if (groupBytes + sizeBytes > GROUP_BYTES_MAX) groupBytes = 0;
    if (groupBytes === 0) groups.push([]);
    groupBytes += sizeBytes;
    groups.at(-1)?.push(share);
  }
  return groups;
}

/** The event with only its last try; none if it has no other one, so that it cannot be shortened. */
function decisiveTry(text: string): string[] {
  const event = soundJson(text, isObject);
  const tries: unknown = event?.tries;
  if (!Array.isArray(tries) || tries.length < 2) return [];
  return [JSON.stringify({ ...event, tries: tries.slice(-1) })];
}

/**
 * The entry that marks a database into which a copy of a spool began and did not end. It is stored before the copy begins and
 * deleted with it, in one transaction, so a database with it holds nothing that may be used or must be kept.
 */
import { NodeRefused } from "../cluster/nodes-table.ts";
import { type Session, statement } from "../connection/statement.ts";

const UNFINISHED_COPY_ENTRY = "unfinished-copy";

const store = statement(
  "INSERT INTO key_values (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = $2",
);
const find = statement("SELECT 1 FROM key_values WHERE name = $1");

export async function markUnfinished(session: Session, nowMs: number): Promise<void> {
  await session.run(store, [UNFINISHED_COPY_ENTRY, new Date(nowMs).toISOString()]);
}

/** Rejects with one line if a copy into the database is under way, or was interrupted. */
export async function requireNoUnfinishedCopy(session: Session): Promise<void> {
  if ((await session.run(find, [UNFINISHED_COPY_ENTRY])).count === 0) return;
  throw new NodeRefused('the database has an unfinished copy of a spool: run "postrider spool copy" again');
}

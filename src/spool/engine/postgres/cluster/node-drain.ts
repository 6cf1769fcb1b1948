/**
 * Draining nodes and resuming them, as operators ask for it. A node reads it with its next heartbeat; what it does then is decided
 * by runtime.ts.
 *
 * A name stands for the nodes of this name. Without the number of a process (NAME#1), it stands for all processes of the host.
 */
import type { Drain, Resume } from "../../../port/nodes.ts";
import type { Database } from "../connection/database.ts";
import { type Session, statement } from "../connection/statement.ts";

/** The advisory lock under which nodes are drained: two commands at the same time must not drain the last two nodes. */
const DRAIN_LOCK = 0x6472_6169;

const lock = statement("SELECT pg_advisory_xact_lock($1)");

const find = statement<{ name: string; isNamed: boolean; isDraining: boolean; isLive: boolean }>(
  `SELECT name, name = $1 OR split_part(name, '#', 1) = $1 AS "isNamed", draining AS "isDraining",
          lease_until >= clock_timestamp() AS "isLive"
     FROM nodes WHERE ended_at IS NULL ORDER BY name`,
);

const set = statement(
  `UPDATE nodes SET draining = $2, drained = false
    WHERE (name = $1 OR split_part(name, '#', 1) = $1) AND ended_at IS NULL AND draining <> $2`,
);

/** Of the other processes of a host: whether one of them is live and does not drain. */
const findSibling = statement(
  `SELECT FROM nodes WHERE name <> $1 AND split_part(name, '#', 1) = split_part($1, '#', 1) AND NOT draining
      AND ended_at IS NULL AND lease_until >= clock_timestamp()`,
);

/** Sets the nodes of this name to drain, unless that leaves no live node that claims. */
export function drainNodes(database: Database, name: string): Promise<Drain> {
  return database.transaction(async (session) => {
    await session.run(lock, [DRAIN_LOCK]);
    const { rows } = await session.run(find, [name]);
    const named = rows.filter(({ isNamed }) => isNamed);
    if (named.length === 0) return { type: "unknown_node", names: namesOf(rows) };
    const isNew = named.some(({ isDraining }) => !isDraining);
    const hasOther = rows.some(({ isNamed, isDraining, isLive }) => !isNamed && !isDraining && isLive);
    if (isNew && !hasOther) return { type: "last_node" };
    await session.run(set, [name, true]);
    return { type: "draining", names: namesOf(named) };
  });
}

/** Lets the nodes of this name claim again. */
export function resumeNodes(database: Database, name: string): Promise<Resume> {
  return database.transaction(async (session) => {
    const { rows } = await session.run(find, [name]);
    const named = rows.filter(({ isNamed }) => isNamed);
    if (named.length === 0) return { type: "unknown_node", names: namesOf(rows) };
    const draining = named.filter(({ isDraining }) => isDraining);
    if (draining.length === 0) return { type: "not_draining" };
    await session.run(set, [name, false]);
    return { type: "resumed", names: namesOf(draining) };
  });
}

/** Whether another live process of the node's host does not drain. */
export async function hasClaimingSibling(session: Session, name: string): Promise<boolean> {
  return (await session.run(findSibling, [name])).count > 0;
}

const namesOf = (rows: readonly { name: string }[]): string[] => [...new Set(rows.map(({ name }) => name))];

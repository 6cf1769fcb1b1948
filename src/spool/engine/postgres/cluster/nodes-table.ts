/**
 * The statements on the table of nodes. When they run is decided by node.ts; what becomes of the work of a node that has ended,
 * by the recovery.
 *
 * A node holds a lease by its heartbeats. A node that lets it expire may still renew it, until another node ends it: then its
 * number has ended, and all that it owns belongs to the recovery.
 */

import { type Session, statement } from "../connection/statement.ts";
import { SLOTS } from "../mail/message-number.ts";
import { FLUSHED_LSN } from "./timeline.ts";

/** A heartbeat renews the lease for this long. */
export const LEASE_MS = 6000;

/** This process must not be a node of the database, or no longer. The message is one line. */
export class NodeRefused extends Error {
  override name = "NodeRefused";
}

export interface NodeIdentity {
  /** NODE_NAME. Not unique: a restarted node has the name of its predecessor, which may be registered still. */
  name: string;
  /** Where the node is reached, for operators. */
  address: string;
  /** Of Postrider. */
  version: string;
}

export interface NewNode {
  number: number;
  identity: NodeIdentity;
  schemaVersion: number;
  isDraining: boolean;
}

/** What a node reports of itself with a heartbeat. */
export interface NodeActivity {
  /** Recipients that it leases. */
  leases: number;
  /** Recipients that it delivered in the last minute. */
  deliveredLastMinute: number;
  /** It drains, and leases nothing any more. */
  isDrained: boolean;
}

export interface Heartbeat {
  /** Null if the node has ended, or there is no such node. */
  isDraining: boolean | null;
  /** The database's clock, in milliseconds since the epoch. */
  nowMs: number;
  /** The end of the write-ahead log on the server's disk, in bytes. */
  flushedLsn: number;
  /** Whether commits wait for a standby. */
  isSynchronous: boolean;
  /** Whether the lease of another node that has not ended is expired. */
  hasExpired: boolean;
  /** Whether another node is registered that has not ended. */
  hasOthers: boolean;
  /** Whether there are nodes that have ended, so that their work may have to be recovered. */
  hasEnded: boolean;
}

export interface NodeRow extends NodeIdentity {
  /** The owner in leases. */
  number: number;
  schemaVersion: number;
  startedAtMs: number;
  heartbeatAtMs: number;
  isDraining: boolean;
  /** It has reported so, and holds no duty. */
  isDrained: boolean;
  /** `expired`: it has not renewed its lease, and no other node has ended it yet. `ended`: its work is not recovered yet. */
  state: "live" | "expired" | "ended";
  /** At its last heartbeat. */
  leases: number;
  deliveredLastMinute: number;
  sendingIps: string[];
}

const EPOCH_MS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;

const LEASE = `${LEASE_MS} * interval '1 ms'`;

const insert = statement<{ slot: number }>(
  `INSERT INTO nodes (number, slot, name, address, version, schema_version, draining, lease_until, sharing)
     SELECT $1, free.slot, $2, $3, $4, $5, $6, clock_timestamp() + ${LEASE},
            CASE WHEN EXISTS (SELECT FROM nodes WHERE ended_at IS NULL) THEN 0 END
       FROM generate_series(0, ${SLOTS - 1}) AS free (slot)
      WHERE NOT EXISTS (SELECT FROM nodes WHERE nodes.slot = free.slot)
      ORDER BY free.slot LIMIT 1
     RETURNING slot`,
);

const findNamesake = statement(
  "SELECT FROM nodes WHERE name = $1 AND ended_at IS NULL AND lease_until >= clock_timestamp()",
);

const renew = statement<Heartbeat>(
  `WITH renewed AS (
     UPDATE nodes SET heartbeat_at = clock_timestamp(), lease_until = clock_timestamp() + ${LEASE},
            leases = $2, delivered_last_minute = $3, drained = draining AND $4
      WHERE number = $1 AND ended_at IS NULL
      RETURNING draining)
   SELECT (SELECT draining FROM renewed) AS "isDraining", ${EPOCH_MS("clock_timestamp()")} AS "nowMs",
          ${FLUSHED_LSN} AS "flushedLsn", current_setting('synchronous_standby_names') <> '' AS "isSynchronous",
          EXISTS (SELECT FROM nodes WHERE number <> $1 AND ended_at IS NULL AND lease_until < clock_timestamp())
            AS "hasExpired",
          EXISTS (SELECT FROM nodes WHERE number <> $1 AND ended_at IS NULL) AS "hasOthers",
          EXISTS (SELECT FROM nodes WHERE ended_at IS NOT NULL) AS "hasEnded"`,
);

const endExpired = statement<{ number: number; name: string }>(
  `UPDATE nodes SET ended_at = clock_timestamp(), slot = NULL
    WHERE number <> $1 AND ended_at IS NULL AND lease_until < to_timestamp($2::float8 / 1000)
    RETURNING number, name`,
);

const end = statement(
  "UPDATE nodes SET ended_at = clock_timestamp(), slot = NULL WHERE number = $1 AND ended_at IS NULL",
);

const endFormer = statement(
  `UPDATE nodes SET ended_at = clock_timestamp(), slot = NULL
    WHERE schema_version < $1 AND ended_at IS NULL AND lease_until < clock_timestamp() - ${LEASE}`,
);
const listFormer = statement<{ name: string; schemaVersion: number }>(
  `SELECT name, schema_version AS "schemaVersion" FROM nodes WHERE schema_version < $1 AND ended_at IS NULL ORDER BY number`,
);

const lockEnded = statement<{ number: number }>(
  "SELECT number FROM nodes WHERE ended_at IS NOT NULL ORDER BY number FOR UPDATE SKIP LOCKED",
);
const remove = statement("DELETE FROM nodes WHERE number = $1 AND ended_at IS NOT NULL");

const drain = statement("UPDATE nodes SET draining = true WHERE number = $1 AND ended_at IS NULL");

const list = statement<NodeRow>(
  `SELECT number, name, address, version, schema_version AS "schemaVersion", ${EPOCH_MS("started_at")} AS "startedAtMs",
          ${EPOCH_MS("heartbeat_at")} AS "heartbeatAtMs", draining AS "isDraining",
          drained AND NOT EXISTS (SELECT FROM duties WHERE owner = number) AS "isDrained",
          leases, delivered_last_minute AS "deliveredLastMinute",
          CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN lease_until < clock_timestamp() THEN 'expired' ELSE 'live' END
            AS state,
          ARRAY (SELECT address FROM node_addresses WHERE node = nodes.name ORDER BY address) AS "sendingIps"
     FROM nodes ORDER BY name, started_at, number`,
);

/** Registers a node and returns its slot; null if there is none free. The schema must be locked (see `lockSchema`). */
export async function insertNode(session: Session, node: NewNode): Promise<number | null> {
  const { number, identity, schemaVersion, isDraining } = node;
  const { name, address, version } = identity;
  const [row] = (await session.run(insert, [number, name, address, version, schemaVersion, isDraining])).rows;
  return row?.slot ?? null;
}

/** Whether a live node has this name, which may be the predecessor of a node that restarts. */
export async function hasNamesake(session: Session, name: string): Promise<boolean> {
  return (await session.run(findNamesake, [name])).count > 0;
}

/** Renews the lease of a node that has not ended, for LEASE_MS from now, stores its report, and looks at the other nodes. */
export async function renewNode(session: Session, number: number, activity: NodeActivity): Promise<Heartbeat> {
  const { leases, deliveredLastMinute, isDrained } = activity;
  const [heartbeat] = (await session.run(renew, [number, leases, deliveredLastMinute, isDrained])).rows;
  if (heartbeat === undefined) throw new Error("the heartbeat has returned no row");
  return heartbeat;
}

/** Ends the other nodes whose leases expired before `beforeMs`, by the database's clock. Returns them. */
export async function endExpiredNodes(
  session: Session,
  { number, beforeMs }: { number: number; beforeMs: number },
): Promise<{ number: number; name: string }[]> {
  return (await session.run(endExpired, [number, beforeMs])).rows;
}

/** Ends a node at once. It must have stopped using its number. */
export async function endNode(session: Session, number: number): Promise<void> {
  await session.run(end, [number]);
}

/**
 * Ends the nodes that know only schemas before `oldest` and whose leases expired long ago: if they return, they find that they
 * have ended, and cannot register again. Returns those that are still registered.
 */
export async function endFormerNodes(
  session: Session,
  oldest: number,
): Promise<{ name: string; schemaVersion: number }[]> {
  await session.run(endFormer, [oldest]);
  return (await session.run(listFormer, [oldest])).rows;
}

/** The nodes that have ended and may own rows, locked until the end of the transaction. Skips those that others recover. */
export async function endedNodes(session: Session): Promise<number[]> {
  return (await session.run(lockEnded)).rows.map(({ number }) => number);
}

/** Removes a node that has ended and owns nothing any more, in the transaction that has recovered its work. */
export async function forgetNode(session: Session, number: number): Promise<void> {
  await session.run(remove, [number]);
}

/** Lets a node complete what it leases and claim no more. Operators drain nodes by name: see node-drain.ts. */
export async function drainNode(session: Session, number: number): Promise<void> {
  await session.run(drain, [number]);
}

/** All nodes by name, and those that have ended whose work is not recovered yet. */
export async function listNodes(session: Session): Promise<NodeRow[]> {
  return (await session.run(list)).rows;
}

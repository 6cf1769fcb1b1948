/**
 * The writes of an attempt, as kinds of the group commit: the mark before the final dot, the settlement, and the release of a
 * lease without an attempt. Each is a compare-and-set on the lease: it changes a row only if the row still has the owner and the
 * epoch of the claim. The rows of a statement are told apart by that too: two attempts of one node at the same recipient, of which
 * the first has lost its lease, may be in one batch.
 */
import type { Result } from "../../../../message/result/outcome.ts";
import { refusalKey } from "../../../../message/result/suppression.ts";
import { isTestRoute } from "../../../../message/test-route.ts";
import type { EventType } from "../../../port/events.ts";
import type { WriteKind } from "../connection/group-commit.ts";
import { statement } from "../connection/statement.ts";
import { storedJson, storedText } from "../connection/stored-text.ts";
import { clearCommand, type RefusedAddress } from "../incoming/refusal-history.ts";
import { type Command, EVENT_COLUMNS, type EventState } from "./event-writer.ts";

/** The lease of a row of work, as it is stored. */
export interface RowLease {
  owner: number;
  epoch: number;
}

/** A row of work that is leased. */
export interface LeasedRow extends RowLease {
  seq: number;
  position: number;
}

/** Names a row under a lease: one node may have a row under one lease after another. */
export const rowName = ({ seq, position, owner, epoch }: LeasedRow): string => `${seq} ${position} ${owner} ${epoch}`;

export interface MarkWrite {
  seq: number;
  positions: readonly number[];
  lease: RowLease;
  /** The evidence, in JSON. */
  mark: string;
}

export interface SettleWrite {
  seq: number;
  accountId: string;
  atMs: number;
  lease: RowLease;
  recipients: SettledRecipient[];
}

export interface SettledRecipient extends EventState {
  email: string;
  domain: string;
  /** Set exactly if the result is `pending`. */
  dueMs: number | null;
  eventId: string;
  type: EventType;
  /** The entry of the history, in JSON. */
  history: string;
}

export interface ReleaseWrite {
  seq: number;
  positions: readonly number[];
  lease: RowLease;
}

/** Of the rows that a statement has changed. */
const CHANGED = "i.seq, i.position, i.owner, i.epoch";

const markRows = statement<LeasedRow>(
  `UPDATE work w SET mark = i.mark
     FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::text[]) AS i (seq, position, owner, epoch, mark)
     WHERE w.seq = i.seq AND w.position = i.position AND w.owner = i.owner AND w.epoch = i.epoch
     RETURNING ${CHANGED}`,
);

// Not of a message that was quarantined: a claim would not return it either.
const renewRows = statement<LeasedRow>(
  `UPDATE work w SET epoch = i.next_epoch
     FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[]) AS i (seq, position, owner, epoch, next_epoch)
     WHERE w.seq = i.seq AND w.position = i.position AND w.owner = i.owner AND w.epoch = i.epoch AND w.mark IS NULL
       AND (SELECT 1 FROM quarantined q WHERE q.seq = w.seq) IS NULL
     RETURNING ${CHANGED}`,
);

const releaseRows = statement<LeasedRow>(
  `UPDATE work w SET owner = NULL, epoch = NULL
     FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[]) AS i (seq, position, owner, epoch)
     WHERE w.seq = i.seq AND w.position = i.position AND w.owner = i.owner AND w.epoch = i.epoch AND w.mark IS NULL
     RETURNING ${CHANGED}`,
);

/*
 * `late` is the evidence of a lease that expired after its mark: the recipient has become unknown since, and nothing else has
 * changed it.
 */
const settleRows = statement<LeasedRow>(
  `WITH input AS MATERIALIZED (
     SELECT * FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[],
                          $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::int[],
                          $15::text[], $16::text[])
       AS i (seq, position, owner, epoch, account_id, domain, due_ms, at_ms, id, type, result, reason, category, attempts,
             smtp, history)
   ), final AS (
     DELETE FROM work w USING input i
       WHERE w.seq = i.seq AND w.position = i.position AND w.owner = i.owner AND w.epoch = i.epoch AND i.due_ms IS NULL
       RETURNING i.*
   ), deferred AS (
     UPDATE work w SET owner = NULL, epoch = NULL, mark = NULL, due_ms = i.due_ms, attempts = i.attempts FROM input i
       WHERE w.seq = i.seq AND w.position = i.position AND w.owner = i.owner AND w.epoch = i.epoch AND i.due_ms IS NOT NULL
       RETURNING i.*
   ), late AS (
     DELETE FROM unknown_recipients u USING input i
       WHERE u.seq = i.seq AND u.position = i.position AND u.owner = i.owner AND u.epoch = i.epoch AND i.result <> 'unknown'
       RETURNING i.*
   ), unknown AS (
     INSERT INTO unknown_recipients (seq, position, account_id, domain, attempts, at_ms)
       SELECT seq, position, account_id, domain, attempts, at_ms FROM final WHERE result = 'unknown'
   ), pending AS (
     INSERT INTO work (seq, position, account_id, domain, due_ms, attempts)
       SELECT seq, position, account_id, domain, due_ms, attempts FROM late WHERE due_ms IS NOT NULL
   ), settled AS (
     SELECT * FROM final UNION ALL SELECT * FROM deferred UNION ALL SELECT * FROM late
   ), written AS (
     INSERT INTO events (${EVENT_COLUMNS})
       SELECT seq, nextval('event_numbers'), account_id, id, at_ms, type, position, result, reason, category, attempts, smtp,
              history, NULL
         FROM (SELECT * FROM settled ORDER BY seq, position) AS ordered
   )
   SELECT seq, position, owner, epoch FROM settled`,
);

/** Replies with the number of marked recipients. */
export const MARK: WriteKind<MarkWrite, number> = {
  commands: (writes) => [
    {
      query: markRows,
      values: [...leaseColumns(writes), writes.flatMap(({ positions, mark }) => positions.map(() => mark))],
    },
  ],
  replies: (writes, [marked]) => changedOf(writes, marked?.rows ?? []),
};

/** Ends a lease and begins another one of the same owner. Replies with the number of recipients that had it. */
export const RENEW: WriteKind<ReleaseWrite & { nextEpoch: number }, number> = {
  commands: (writes) => [
    {
      query: renewRows,
      values: [...leaseColumns(writes), writes.flatMap(({ positions, nextEpoch }) => positions.map(() => nextEpoch))],
    },
  ],
  replies: (writes, [renewed]) => changedOf(writes, renewed?.rows ?? []),
};

/** Has no effect on recipients whose lease was lost. Replies with the number of released recipients. */
export const RELEASE: WriteKind<ReleaseWrite, number> = {
  commands: (writes) => [{ query: releaseRows, values: leaseColumns(writes) }],
  replies: (writes, [released]) => changedOf(writes, released?.rows ?? []),
};

/** Replies with the positions that were settled. */
export const SETTLE: WriteKind<SettleWrite, ReadonlySet<number>> = {
  commands: (writes) => clearCommands(writes.flatMap(deliveredAddresses)),
  accountsOf: (writes) => writes.map(({ accountId }) => accountId),
  eventCommands: (writes) => [{ query: settleRows, values: settleColumns(writes) }],
  replies(writes, results) {
    const changed = rowNames(results.at(-1)?.rows ?? []);
    return writes.map(({ seq, lease, recipients }) => {
      const positions = recipients.map(({ position }) => position);
      return new Set(positions.filter((position) => changed.has(rowName({ seq, position, ...lease }))));
    });
  },
};

const clearCommands = (delivered: RefusedAddress[]): Command[] =>
  delivered.length === 0 ? [] : [clearCommand(delivered)];

/** A delivery clears the refusals of its address, unless it is that of a test message. */
const deliveredAddresses = ({ accountId, recipients }: SettleWrite): RefusedAddress[] =>
  recipients
    .filter(({ result, domain }) => result === "delivered" && !isTestRoute(domain))
    .map(({ email, domain }) => ({ accountId, address: refusalKey(email, domain) }));

/** The first four parameters: a row for each recipient. */
function leaseColumns(writes: readonly { seq: number; positions: readonly number[]; lease: RowLease }[]): unknown[] {
  const columns: [number[], number[], number[], number[]] = [[], [], [], []];
  for (const { seq, positions, lease } of writes) {
    for (const position of positions) {
      columns[0].push(seq);
      columns[1].push(position);
      columns[2].push(lease.owner);
      columns[3].push(lease.epoch);
    }
  }
  return columns;
}

function settleColumns(writes: readonly SettleWrite[]): unknown[] {
  const rows = writes.flatMap(({ recipients, ...write }) => recipients.map((recipient) => ({ ...write, recipient })));
  const column = <T>(of: (row: (typeof rows)[number]) => T): T[] => rows.map(of);
  return [
    column(({ seq }) => seq),
    column(({ recipient }) => recipient.position),
    column(({ lease }) => lease.owner),
    column(({ lease }) => lease.epoch),
    column(({ accountId }) => accountId),
    column(({ recipient }) => recipient.domain),
    column(({ recipient }) => recipient.dueMs),
    column(({ atMs }) => atMs),
    column(({ recipient }) => recipient.eventId),
    column(({ recipient }) => recipient.type),
    column(({ recipient }): Result => recipient.result),
    column(({ recipient: { reason } }) => (reason === null ? null : storedText(reason))),
    column(({ recipient }) => recipient.category),
    column(({ recipient }) => recipient.attempts),
    column(({ recipient }) => storedJson(recipient.smtp)),
    column(({ recipient }) => recipient.history),
  ];
}

/** The number of changed rows of each write. */
function changedOf(
  writes: readonly { seq: number; positions: readonly number[]; lease: RowLease }[],
  rows: readonly LeasedRow[],
): number[] {
  const changed = rowNames(rows);
  return writes.map(
    ({ seq, positions, lease }) =>
      positions.filter((position) => changed.has(rowName({ seq, position, ...lease }))).length,
  );
}

const rowNames = (rows: readonly LeasedRow[]): ReadonlySet<string> => new Set(rows.map(rowName));

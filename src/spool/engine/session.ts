/**
 * A session: runs the statements of an operation on one connection of a database. An operation awaits nothing but its session, so that
 * on SQLite, whose sessions have settled promises, it runs inside the writer's transaction without a turn of the event loop.
 */
import type { DomainEvent } from "../port/domain-standing.ts";
import type { EventFilter, OutboxEvent } from "../port/events.ts";
import type { Statement } from "./statement.ts";

/** What a statement did. */
export interface Result<Row> {
  rows: Row[];
  /** The number of rows that an INSERT, UPDATE or DELETE changed, or that a SELECT returned. */
  count: number;
  /** Set if the statement was left out because of damage; see StatementOptions. */
  isDamaged?: true;
}

/** Tables whose rows operations lock. */
export type LockedTable = "accounts" | "users" | "api_keys" | "endpoints" | "domains";

/** A part of the events of an order key. */
export interface EventRange {
  orderKey: number;
  /** Numbers; both are included. */
  from: number;
  to: number;
}

export interface Session {
  run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Result<Row>>;
  /**
   * Locks a row until the end of the transaction. Take the lock before counting rows that a limit applies to. Returns whether the row
   * exists. SQLite has one writer, so it only reads the row.
   */
  lock(table: LockedTable, id: string): Promise<boolean>;
  /** Adds an event in the transaction of a write, as its last change. */
  addDomainEvent(event: DomainEvent): Promise<void>;
  /** A write has changed the paused domains: the engine, which has them in memory, reads them again after the commit. */
  pausesChanged(): void;
  /**
   * Reads the first event of each range that the filter selects, in the order of the ranges; null if there is none. Each database stores
   * events in its own form. SQLite reads a bounded number of events: it may return those of the first ranges alone, at least one.
   */
  firstEvents(
    filter: EventFilter & { accountId: string },
    ranges: readonly EventRange[],
  ): Promise<(OutboxEvent | null)[]>;
  /** Reports a stored row that cannot be decoded. PostgreSQL has checksums of its own, and reports none. */
  reportDamage(place: string, problem: string): void;
}

/** Returns the first row of a statement's result; null without one. */
export const first = async <Row>(
  session: Session,
  statement: Statement<Row>,
  values: readonly unknown[] = [],
): Promise<Row | null> => (await session.run(statement, values)).rows[0] ?? null;

/** The session, with `before` awaited ahead of whatever it does in the database. */
export const sessionWith = (session: Session, before: () => Promise<void>): Session => ({
  async run(statement, values) {
    await before();
    return session.run(statement, values);
  },
  async lock(table, id) {
    await before();
    return session.lock(table, id);
  },
  async addDomainEvent(event) {
    await before();
    await session.addDomainEvent(event);
  },
  pausesChanged: () => session.pausesChanged(),
  async firstEvents(filter, ranges) {
    await before();
    return session.firstEvents(filter, ranges);
  },
  reportDamage: (place, problem) => session.reportDamage(place, problem),
});

/**
 * A session: runs the statements of an operation on one connection of a database. An operation awaits nothing but its session, so that
 * on SQLite, whose sessions have settled promises, it runs inside the writer's transaction without a turn of the event loop.
 */

import type { Category } from "../../message/result/category.ts";
import type { Result, SmtpRecord } from "../../message/result/outcome.ts";
import type { DomainEvent } from "../port/domain-standing.ts";
import type { EventFilter, EventType, OutboxEvent } from "../port/events.ts";
import type { RecipientsRef } from "../port/mail.ts";
import type { SpoolEvent } from "../port/results.ts";
import type { Statement } from "./statement.ts";

/** What a statement did. */
export interface StatementResult<Row> {
  rows: Row[];
  /** The number of rows that an INSERT, UPDATE or DELETE changed, or that a SELECT returned. */
  count: number;
  /** Set if the statement was left out because of damage; see StatementOptions. */
  isDamaged?: true;
}

/** Tables whose rows operations lock. */
export type LockedTable = "accounts" | "users" | "api_keys" | "endpoints" | "domains" | "incoming" | "messages";

/** Recipients that a caller names by message and position. */
export interface NamedRecipients {
  accountId: string;
  recipients: readonly RecipientsRef[];
}

/** A part of the events of an order key. */
export interface EventRange {
  orderKey: number;
  /** Numbers; both are included. */
  from: number;
  to: number;
}

/** Names a recipient by the row of its message and its position. */
export interface RecipientKey {
  seq: number;
  position: number;
}

/** A recipient that an operation has taken, with its state. */
export interface TakenRecipient extends RecipientKey {
  accountId: string;
  domain: string;
  /** Attempts settled. */
  attempts: number;
  reason: string | null;
  category: Category | null;
  /** The last reply. */
  smtp: SmtpRecord | null;
  /** The result that it had, and when it got that; null if it was pending. */
  former: { result: "unknown" | "failed"; atMs: number } | null;
  /** Whether it is pending in its place still. */
  isKept: boolean;
}

/** Pending recipients of an account: those named, or those at a recipient domain that wait longer than until a moment. */
export type PendingSelection = { accountId: string } & (
  | { keys: readonly RecipientKey[] }
  | { domain: string; laterThanMs: number; limit: number }
);

/** A failed recipient, with what a retry looks at. */
export interface TakenFailed extends TakenRecipient {
  email: string;
  messageId: string;
  deadlineMs: number | null;
  failedAtMs: number;
  /** SQLite has 0 and 1. */
  hasContent: boolean | 0 | 1;
}

export interface TakenRecipients {
  recipients: TakenRecipient[];
  /** How many are pending and stay so, because their final dot may have left. */
  atDot: number;
  /** How many another transaction has locked for the moment. */
  locked: number;
  /** How many are of messages that cannot be read. */
  unreadable: number;
}

export type TakenSome = Pick<TakenRecipients, "recipients" | "unreadable">;

/** The state that an operation gives a recipient. */
export interface NewState {
  recipient: TakenRecipient;
  result: Result;
  reason: string | null;
  category: Category | null;
  smtp: SmtpRecord | null;
  /** When the next attempt is due; null unless the result is pending. */
  dueMs: number | null;
  /** The type of the event; that of the result if absent, null for an entry of only the history. */
  type?: EventType | null;
  /** The entry of the recipient's history; null for none. */
  history: SpoolEvent | null;
}

/** When states are given, and whose they are. */
export interface StatesOf {
  accountId: string;
  nowMs: number;
  /** When the message was accepted, if the states are results of its delivery; absent if a person has decided them. */
  acceptedAtMs?: number;
  /** Set if recipients that become due are attempted as soon as new mail: somebody waits for them. */
  areUrgent?: true;
}

/** An event that repeats the state of its recipient. */
export interface RepeatingEvent {
  /** Null for an entry that only belongs to the recipient's history. */
  type: EventType | null;
  atMs: number;
  history: SpoolEvent;
}

export interface Session {
  run<Row>(statement: Statement<Row>, values?: readonly unknown[]): Promise<StatementResult<Row>>;
  /**
   * Locks a row until the end of the transaction. Take the lock before counting rows that a limit applies to. Returns whether the row
   * exists. SQLite has one writer, so it only reads the row.
   */
  lock(table: LockedTable, id: string): Promise<boolean>;
  /**
   * Takes those of the account's named recipients that have the result, and keeps others from changing them until the end of the
   * transaction. `setStates` must follow.
   */
  takeRecipients(named: NamedRecipients, result: "pending" | "unknown"): Promise<TakenRecipients>;
  /**
   * As `takeRecipients`, of pending recipients that stay in their places, in their attempts too: `setStates` may only give them another
   * time. Those that another transaction has locked, which are about to be attempted, are left out as well.
   */
  keepPending(selection: PendingSelection): Promise<TakenSome>;
  /**
   * As `takeRecipients`, of those that have failed. Recipients of messages in quarantine are unreadable, except those of the message
   * `released`.
   */
  takeFailed(
    keys: readonly RecipientKey[],
    released: number | null,
  ): Promise<{ recipients: TakenFailed[]; unreadable: number }>;
  /** Gives taken recipients their states, each with its event, as the last change of a transaction. */
  setStates(states: readonly NewState[], of: StatesOf): Promise<void>;
  /** As `takeRecipients`, of one recipient, whatever else is damaged of its message. Null unless it is unknown. */
  takeUnknown(recipient: RecipientKey & { accountId: string }): Promise<TakenRecipient | null>;
  /**
   * As `takeRecipients`, of all recipients of a message in quarantine that are not final, those at their final dot too. None if the message
   * has left the quarantine.
   */
  takeQuarantined(seq: number): Promise<TakenSome>;
  /** Reads all of a message in quarantine. Returns what of it cannot be read; null for nothing, and if it is not in quarantine. */
  problemOfQuarantined(seq: number): Promise<string | null>;
  /** Lets claims return the message again after the commit. */
  releaseQuarantined(seq: number): Promise<void>;
  addRecipientEvent(recipient: RecipientKey & { accountId: string }, event: RepeatingEvent): Promise<void>;
  /** Adds an event in the transaction of a write, as its last change. */
  addDomainEvent(event: DomainEvent): Promise<void>;
  /** A write has changed the paused domains: the engine, which has them in memory, reads them again after the commit. */
  pausesChanged(): void;
  /**
   * Reads the first event of each range that the filter selects, in the order of the ranges; null if there is none. Each database stores
   * events in its own form. SQLite reads a bounded number of events: it may return only those of the first ranges, at least one.
   */
  firstEvents(
    filter: EventFilter & { accountId: string },
    ranges: readonly EventRange[],
  ): Promise<(OutboxEvent | null)[]>;
  /** Reports a stored row that cannot be decoded. PostgreSQL has its own checksums, and reports none. */
  reportDamage(place: string, problem: string): void;
}

/** Returns the first row of a statement's result; null without one. */
export const first = async <Row>(
  session: Session,
  statement: Statement<Row>,
  values: readonly unknown[] = [],
): Promise<Row | null> => (await session.run(statement, values)).rows[0] ?? null;

/** The session, with `before` awaited ahead of whatever it does in the database. */
export const sessionWith = (session: Session, before: () => Promise<void>): Session =>
  new Proxy(session, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function" || name === "pausesChanged" || name === "reportDamage") return method;
      return async (...args: unknown[]) => {
        await before();
        return method.apply(target, args);
      };
    },
  });

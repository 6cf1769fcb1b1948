/** A session on PostgreSQL, for the operations that both databases run. */
import type { DomainEvent } from "../../../port/domain-standing.ts";
import type { EventFilter, OutboxEvent } from "../../../port/events.ts";
import type {
  EventRange,
  LockedTable,
  NewState,
  RecipientKey,
  RepeatingEvent,
  Session,
  StatementResult,
  StatesOf,
} from "../../session.ts";
import type { Statement } from "../../statement.ts";
import {
  addRecipientEvent,
  keepPending,
  problemOfQuarantined,
  setStates,
  takeFailed,
  takeQuarantined,
  takeRecipients,
  takeUnknown,
} from "../decide/recipient-changes.ts";
import { writeEvents } from "../mail/event-writer.ts";
import { firstNumberAt } from "../mail/message-number.ts";
import { releaseQuarantined } from "../quarantine/quarantine.ts";
import { firstEvents } from "../webhooks/ordered-events.ts";
import { type Session as Connection, statement } from "./statement.ts";
import { storedText, storedValue } from "./stored-text.ts";

// Weaker than FOR UPDATE: rows that refer to the locked one are inserted meanwhile.
const lockOf = (table: LockedTable) => statement(`SELECT FROM ${table} WHERE id = $1 FOR NO KEY UPDATE`);
const LOCKS: Record<LockedTable, ReturnType<typeof statement>> = {
  accounts: lockOf("accounts"),
  users: lockOf("users"),
  api_keys: lockOf("api_keys"),
  endpoints: lockOf("endpoints"),
  domains: lockOf("domains"),
  incoming: lockOf("incoming"),
  messages: lockOf("messages"),
};

/** What an operation has caused beside its statements, to be done after the commit. */
export interface Effects {
  /** Accounts with new events. */
  eventAccounts: Set<string>;
  arePausesChanged: boolean;
  changes: { state: NewState; of: StatesOf }[];
}

export class PostgresSession implements Session {
  readonly #connection: Connection;
  readonly effects: Effects = { eventAccounts: new Set(), arePausesChanged: false, changes: [] };

  readonly takeRecipients: Session["takeRecipients"] = (...args) => takeRecipients(this.#connection, ...args);
  readonly keepPending: Session["keepPending"] = (...args) => keepPending(this.#connection, ...args);
  readonly takeFailed: Session["takeFailed"] = (...args) => takeFailed(this.#connection, ...args);
  readonly takeUnknown: Session["takeUnknown"] = (...args) => takeUnknown(this.#connection, ...args);
  readonly takeQuarantined: Session["takeQuarantined"] = (...args) => takeQuarantined(this.#connection, ...args);
  readonly problemOfQuarantined: Session["problemOfQuarantined"] = (seq) => problemOfQuarantined(this.#connection, seq);
  readonly releaseQuarantined: Session["releaseQuarantined"] = (seq) => releaseQuarantined(this.#connection, [seq]);

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async run<Row>({ postgres }: Statement<Row>, values: readonly unknown[] = []): Promise<StatementResult<Row>> {
    const stored = values.map(storedValue);
    const { rows, count } = await this.#connection.run(postgres, stored);
    return { rows: rows as Row[], count };
  }

  async lock(table: LockedTable, id: string): Promise<boolean> {
    return (await this.#connection.run(LOCKS[table], [storedText(id)])).count === 1;
  }

  async setStates(states: readonly NewState[], of: StatesOf): Promise<void> {
    await setStates(this.#connection, states, of);
    if (states.length > 0) this.effects.eventAccounts.add(of.accountId);
    for (const state of states) this.effects.changes.push({ state, of });
  }

  async addRecipientEvent(recipient: RecipientKey & { accountId: string }, event: RepeatingEvent): Promise<void> {
    await addRecipientEvent(this.#connection, recipient, event);
    this.effects.eventAccounts.add(recipient.accountId);
  }

  async addDomainEvent({ accountId, domain, type, atMs }: DomainEvent): Promise<void> {
    const seq = firstNumberAt(atMs);
    await writeEvents(this.#connection, [{ seq, accountId, atMs, type, recipient: null, history: null, domain }]);
    this.effects.eventAccounts.add(accountId);
  }

  pausesChanged(): void {
    this.effects.arePausesChanged = true;
  }

  firstEvents(
    filter: EventFilter & { accountId: string },
    ranges: readonly EventRange[],
  ): Promise<(OutboxEvent | null)[]> {
    return firstEvents(this.#connection, filter, ranges);
  }

  reportDamage(): void {}
}

/** A session on a connection of SQLite. Its promises are settled already, so an operation runs without a pause. */
import type { Database, Statement as Prepared } from "better-sqlite3";
import type { EventFilter, OutboxEvent } from "../../../port/events.ts";
import { EVENTS_READ_MAX } from "../../../records/webhook-limits.ts";
import type { Operation } from "../../operations.ts";
import type { EventRange, LockedTable, Session, StatementResult } from "../../session.ts";
import { type Statement, statement } from "../../statement.ts";
import { type DamageReports, RowDamaged } from "../files/damage.ts";
import { OrderedEvents } from "../webhooks/ordered-events.ts";

const lockOf = (table: LockedTable) => statement(`SELECT 1 FROM ${table} WHERE id = $1`);
const LOCKS: Record<LockedTable, Statement> = {
  accounts: lockOf("accounts"),
  users: lockOf("users"),
  api_keys: lockOf("api_keys"),
  endpoints: lockOf("endpoints"),
  domains: lockOf("domains"),
  incoming: lockOf("incoming"),
  messages: lockOf("messages"),
};

/** A statement with `?` for each use of a parameter, which binds faster than a name, and the place of each one's value. */
interface PositionalStatement {
  prepared: Prepared<[unknown[]]>;
  places: readonly number[];
}

/** What a session does about damage; see DamageLog. */
export interface SessionDamage extends DamageReports {
  /** Returns the result of `run`, or `fallback` where the place is damaged. */
  avoid<T>(place: string, run: () => T, fallback: T): T;
}

type ChangeName =
  | "addDomainEvent"
  | "addRecipientEvent"
  | "keepPending"
  | "pausesChanged"
  | "problemOfQuarantined"
  | "releaseQuarantined"
  | "setStates"
  | "takeFailed"
  | "takeQuarantined"
  | "takeRecipients"
  | "takeUnknown";

/** What writes do beside their statements: the methods of a session, which on SQLite do it at once. */
export type SessionChanges = {
  [N in ChangeName]: (...args: Parameters<Session[N]>) => Awaited<ReturnType<Session[N]>>;
};

export class SqliteSession implements Session {
  readonly #db: Database;
  readonly #damage: SessionDamage;
  readonly #changes: SessionChanges | null;
  readonly #events: OrderedEvents;
  readonly #prepared = new Map<Statement, PositionalStatement>();
  /** Whether the event loop has turned since the operation of `runAtOnce` began. */
  #hasTurned = false;

  readonly takeRecipients: Session["takeRecipients"] = async (...args) => this.#writes.takeRecipients(...args);
  readonly keepPending: Session["keepPending"] = async (...args) => this.#writes.keepPending(...args);
  readonly takeFailed: Session["takeFailed"] = async (...args) => this.#writes.takeFailed(...args);
  readonly takeUnknown: Session["takeUnknown"] = async (...args) => this.#writes.takeUnknown(...args);
  readonly takeQuarantined: Session["takeQuarantined"] = async (...args) => this.#writes.takeQuarantined(...args);
  readonly problemOfQuarantined: Session["problemOfQuarantined"] = async (...args) =>
    this.#writes.problemOfQuarantined(...args);
  readonly releaseQuarantined: Session["releaseQuarantined"] = async (...args) =>
    this.#writes.releaseQuarantined(...args);
  readonly setStates: Session["setStates"] = async (...args) => this.#writes.setStates(...args);
  readonly addRecipientEvent: Session["addRecipientEvent"] = async (...args) => this.#writes.addRecipientEvent(...args);
  readonly addDomainEvent: Session["addDomainEvent"] = async (...args) => this.#writes.addDomainEvent(...args);
  readonly pausesChanged = (): void => this.#writes.pausesChanged();

  constructor(db: Database, damage: SessionDamage, changes: SessionChanges | null = null) {
    this.#db = db;
    this.#damage = damage;
    this.#changes = changes;
    this.#events = new OrderedEvents(db, damage);
  }

  /** Runs an operation. Rejects if it lets the event loop turn: others would see its transaction half done. */
  async runAtOnce<Value>(operation: Operation<never[], Value>, args: readonly unknown[]): Promise<Value> {
    const turn = setImmediate(() => {
      this.#hasTurned = true;
    });
    try {
      const value = await (operation as Operation<unknown[], Value>)(this, ...args);
      this.#checkTurn();
      return value;
    } finally {
      clearImmediate(turn);
      this.#hasTurned = false;
    }
  }

  #checkTurn(): void {
    if (this.#hasTurned) throw new Error("an operation waited for something other than its session");
  }

  async run<Row>(query: Statement<Row>, values: readonly unknown[] = []): Promise<StatementResult<Row>> {
    this.#checkTurn();
    const { ifDamaged } = query;
    if (ifDamaged === null) return this.#run(query, values);
    return this.#damage.avoid(ifDamaged, () => this.#run(query, values), { rows: [], count: 0, isDamaged: true });
  }

  #run<Row>(query: Statement<Row>, values: readonly unknown[]): StatementResult<Row> {
    const { prepared, places } = this.#prepare(query);
    const bound = places.map((place) => {
      const value = values[place];
      return typeof value === "boolean" ? Number(value) : value;
    });
    if (!prepared.reader) return { rows: [], count: prepared.run(bound).changes };
    const rows = prepared.all(bound) as Record<string, unknown>[];
    if (query.booleans.length > 0)
      for (const row of rows) for (const name of query.booleans) row[name] = row[name] === 1;
    return { rows: rows as Row[], count: rows.length };
  }

  async lock(table: LockedTable, id: string): Promise<boolean> {
    return (await this.run(LOCKS[table], [id])).count === 1;
  }

  get #writes(): SessionChanges {
    this.#checkTurn();
    if (this.#changes === null) throw new Error("a session of reads changes nothing");
    return this.#changes;
  }

  async firstEvents(
    { accountId, ...filter }: EventFilter & { accountId: string },
    ranges: readonly EventRange[],
  ): Promise<(OutboxEvent | null)[]> {
    this.#checkTurn();
    const rowsMax = this.#events.rowsRead + EVENTS_READ_MAX;
    const found: (OutboxEvent | null)[] = [];
    for (const { orderKey, from, to } of ranges) {
      if (this.#events.rowsRead >= rowsMax) break;
      const read = () => this.#events.first({ accountId, orderKey, from, to }, filter);
      found.push(this.#damage.avoid(`the events with the order key ${orderKey}`, read, null));
    }
    return found;
  }

  reportDamage(place: string, problem: string): void {
    this.#damage.note(place, new RowDamaged(problem));
  }

  #prepare(query: Statement): PositionalStatement {
    const known = this.#prepared.get(query);
    if (known !== undefined) return known;
    const places: number[] = [];
    const text = query.text.replace(/\$(\d+)/g, (_, number) => {
      places.push(Number(number) - 1);
      return "?";
    });
    const described = { prepared: this.#db.prepare<[unknown[]]>(text), places };
    this.#prepared.set(query, described);
    return described;
  }
}

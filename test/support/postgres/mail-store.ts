/** A mail store on a database of its own, without a node's heartbeats: a test decides whether the lease holds, and what is lost. */
import type { TestContext } from "node:test";
import type { Client } from "pg";
import { RecentCount } from "../../../src/lib/recent-count.ts";
import { RecentWork } from "../../../src/spool/engine/postgres/cluster/recent-work.ts";
import { Database } from "../../../src/spool/engine/postgres/connection/database.ts";
import { GroupCommit, type WriteKind } from "../../../src/spool/engine/postgres/connection/group-commit.ts";
import { withIndexPlans } from "../../../src/spool/engine/postgres/connection/index-plans.ts";
import { Outage } from "../../../src/spool/engine/postgres/connection/outage.ts";
import type { Session } from "../../../src/spool/engine/postgres/connection/statement.ts";
import { readContent } from "../../../src/spool/engine/postgres/mail/content-reads.ts";
import { MailStore } from "../../../src/spool/engine/postgres/mail/mail.ts";
import { QuotaBlocks } from "../../../src/spool/engine/postgres/mail/quota-blocks.ts";
import { Partitions } from "../../../src/spool/engine/postgres/partitions/partitions.ts";
import { ActivityCounts } from "../../../src/spool/engine/postgres/reports/activity.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { type FakeClock, fakeClock } from "../fake-clock.ts";
import { freshDatabase, type TestDatabase } from "./fresh-database.ts";

/** What happens to a reply: `lost` is a connection that ends after the commit, `refused` one that ends before. */
type Fault = "lost" | "refused";

/** A kind of write, one statement outside of a group commit, or a transaction of several. */
type Call = WriteKind<never, unknown> | "run" | "transaction";

/** Faults of the database as a test wants them. */
class Faults {
  #next: { of: Call; skipped: number; fault: Fault | (() => unknown) } | null = null;

  /** Whether what was planned has not happened yet. */
  get isDue(): boolean {
    return this.#next !== null;
  }

  /** The next such call fails, after so many that do not. */
  next(fault: Fault, of: Call, skipped = 0): void {
    this.#next = { of, skipped, fault };
  }

  /** Calls `run` when the next such call is committed, before its reply arrives. */
  after(of: Call, run: () => unknown): void {
    this.#next = { of, skipped: 0, fault: run };
  }

  async around<T>(of: unknown, call: () => Promise<T>): Promise<T> {
    const fault = this.#take(of);
    if (fault === "refused") throw new SpoolUnavailable("refused by the test");
    const value = await call();
    if (fault === "lost") throw new SpoolUnavailable("lost by the test");
    if (typeof fault === "function") await fault();
    return value;
  }

  #take(of: unknown): Fault | (() => unknown) | null {
    const next = this.#next;
    if (next === null || next.of !== of) return null;
    next.skipped -= 1;
    if (next.skipped >= 0) return null;
    this.#next = null;
    return next.fault;
  }
}

class FaultyDatabase extends Database {
  readonly faults = new Faults();

  override run: Database["run"] = (query, values) => this.faults.around("run", () => super.run(query, values));

  override transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.faults.around("transaction", () => super.transaction(work));
  }
}

class FaultyCommits extends GroupCommit {
  faults = new Faults();

  override submit<Request, Reply>(kind: WriteKind<Request, Reply>, request: Request): Promise<Reply> {
    return this.faults.around(kind, () => super.submit(kind, request));
  }
}

interface TestNode {
  number: number;
  isCurrent: boolean;
  hasOthers: boolean;
}

export interface OpenMail {
  mail: MailStore;
  node: TestNode;
  faults: Faults;
  clock: FakeClock;
  client: Client;
  database: Database;
  commits: GroupCommit;
  url: string;
  /** The messages that the store has reported as settled. */
  settled: string[];
}

/** Opens a store as the node with this number, which is registered as live. It is closed with the test. */
export async function openMail(
  t: TestContext,
  { number = 1, on }: { number?: number; on?: TestDatabase } = {},
): Promise<OpenMail> {
  const { url, connect } = on ?? (await freshDatabase(t));
  const client = await connect();
  const slot = number;
  await client.query(
    `INSERT INTO nodes (number, slot, name, address, version, schema_version, lease_until)
       VALUES ($1, $2, 'node', 'address', '0', 1, clock_timestamp() + interval '1 hour')`,
    [number, slot],
  );
  const config = withIndexPlans({ connectionString: url });
  const database = new FaultyDatabase(config);
  const commits = new FaultyCommits({
    config,
    outage: new Outage(),
    connections: 1,
    prepare: async () => {},
    onCommit: () => {},
  });
  commits.faults = database.faults;
  const clock = fakeClock();
  const node: TestNode = { number, isCurrent: true, hasOthers: true };
  const settled: string[] = [];
  const mail = new MailStore({
    database,
    commits,
    clock,
    duePollMs: 0,
    partitions: new Partitions(database),
    quotas: new QuotaBlocks(database),
    activity: new ActivityCounts(database, clock),
    delivered: new RecentCount(clock),
    recent: new RecentWork(),
    node: {
      get number() {
        return node.number;
      },
      slot,
      leaseIsCurrent: () => node.isCurrent,
      leaseUntilMs: () => clock.now() + 6000,
      isDraining: false,
      get hasOthers() {
        return node.hasOthers;
      },
    },
    pausedDomains: async () => new Set<string>(),
    readContent: (message) => readContent(database, message),
    onCommitted: () => {},
    onShared: () => {},
    onEvents: () => {},
    onSettled: (messageId) => void settled.push(messageId),
  });
  t.after(async () => {
    await commits.close();
    await database.close();
  });
  return { mail, node, faults: database.faults, clock, client, database, commits, url, settled };
}

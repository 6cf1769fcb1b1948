/**
 * A spool of every earlier schema is taken over whole, and what waits in it is delivered. `schema-N.sql` was made by the
 * code that had schema N (make-fixture.ts says how): a migration without its fixture fails here.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Database } from "better-sqlite3";
import { type Service, startService } from "../../src/app/wiring/service.ts";
import { readConfig } from "../../src/config.ts";
import { createResolver } from "../../src/dns/node-resolver.ts";
import { recordsToPublish } from "../../src/domains/records.ts";
import { silentLog } from "../../src/lib/log.ts";
import { startSink } from "../../src/sink.ts";
import { openDatabase } from "../../src/spool/sqlite/database.ts";
import { migrate } from "../../src/spool/sqlite/schema.ts";
import { openSqliteSpool } from "../../src/spool/sqlite/sqlite-spool.ts";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import { runToEnd } from "../support/child-service.ts";
import { damagePage, pagesOf } from "../support/damaged-spool.ts";
import { tempDir } from "../support/temp-dir.ts";
import { FIXTURE_KEY, LATER_DOMAIN, MASTER_KEY_LINE } from "./fixture.ts";

type Row = Record<string, unknown>;

const versionOf = (db: Database): number => db.pragma("user_version", { simple: true }) as number;

const SCHEMA = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name";

/** What a new spool is like: its schema's number and its tables. */
function newest(): { version: number; schema: Row[] } {
  const dir = tempDir(described);
  const db = openDatabase(dir, "write");
  migrate(db);
  const found = { version: versionOf(db), schema: normal(db.prepare(SCHEMA).all() as Row[]) };
  db.close();
  return found;
}

/** ALTER TABLE leaves other blanks behind than CREATE TABLE. */
function normal(objects: Row[]): Row[] {
  return objects.map(({ name, sql }) => ({ name, sql: String(sql).replace(/\s+/g, " ") }));
}

const ends: (() => void)[] = [];
const described = { after: (end: () => void) => ends.push(end) } as unknown as TestContext;
const NEWEST = newest();
for (const end of ends) end();

function fixtureFile(version: number): string {
  return join(import.meta.dirname, `schema-${version}.sql`);
}

/** The fixture as a DATA_DIR and CERTS_DIR. */
function laidOut(t: TestContext, version: number): string {
  const dir = tempDir(t);
  const db = openDatabase(dir, "write");
  db.exec(readFileSync(fixtureFile(version), "utf8"));
  db.close();
  writeFileSync(join(dir, "master.key"), MASTER_KEY_LINE, { mode: 0o600 });
  return dir;
}

type Contents = Map<string, { columns: string[]; rows: Row[] }>;

function contentsOf(db: Database): Contents {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[];
  return new Map(tables.map((table) => [table, { columns: columnsOf(db, table), rows: rowsOf(db, table) }]));
}

const columnsOf = (db: Database, table: string): string[] =>
  (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);

function rowsOf(db: Database, table: string, columns = ["*"]): Row[] {
  return db.prepare(`SELECT ${columns.join(", ")} FROM ${table}`).all() as Row[];
}

/** The service on the fixture, with its domain's records published and a sink for everybody's exchanger. */
async function startOn(t: TestContext, dir: string) {
  const zone = await startZoneServer();
  const resolver = createResolver({ servers: [zone.address] });
  const sink = await startSink({ port: 0, dir: null, resolver });
  for (const domain of [LATER_DOMAIN, "customers.example"]) {
    zone.set(domain, "MX", [`10 mx.${domain}`]);
    zone.set(`mx.${domain}`, "A", ["127.0.0.1"]);
  }
  const context = { resolver, hostname: "mta.shop.example", sendingIps: ["127.0.0.1"] };
  const store = await openSqliteSpool({ dataDir: dir, role: "client", onFatal: assert.fail });
  for (const domain of await store.domains("acc_default")) {
    for (const record of recordsToPublish(domain, context)) zone.set(record.name, record.type, [record.value]);
  }
  await store.close();
  const place = { PORT: "0", HOST: "127.0.0.1", DATA_DIR: dir, CERTS_DIR: dir, DNS_SERVERS: zone.address };
  const kept = { RETENTION_BODY: "3650d", RETENTION_RESULTS: "3650d" };
  const way = { SMTP_PORT: String(sink.port), SMTP_ALLOW_PRIVATE: "true", SENDING_IPS: "127.0.0.1" };
  const config = readConfig({ ...place, ...kept, ...way, MTA_HOSTNAME: context.hostname });
  const service = await startService(config, silentLog, { onFatal: assert.fail });
  t.after(async () => {
    await service.stop();
    await sink.close();
    await zone.close();
  });
  return { service, sink };
}

interface Seen {
  subject: string;
  recipients: { email: string; result: string }[];
}

async function lookUp(service: Service, id: string, query = ""): Promise<Seen> {
  const headers = { Authorization: `Bearer ${FIXTURE_KEY}` };
  const answer = await fetch(`${service.url}/api/sending/messages/${id}${query}`, { headers });
  assert.equal(answer.status, 200);
  return (await answer.json()) as Seen;
}

/** What each recipient of the fixture was when its service ended, as the lookup calls it; `marked` reads as unknown. */
function expectedResults(recipients: Row[]): Map<string, string> {
  const settled = recipients.filter(({ state }) => state !== "pending");
  return new Map(
    settled.map(({ seq, email, state }) => [`${seq} ${email}`, state === "marked" ? "unknown" : `${state}`]),
  );
}

for (let version = 1; version <= NEWEST.version; version += 1) {
  describe(`a spool of schema ${version}`, { timeout: 60_000 }, () => {
    it("has a fixture", () => {
      const missing = `no schema-${version}.sql: run node --import tsx test/upgrade/make-fixture.ts and commit it`;
      assert.ok(existsSync(fixtureFile(version)), missing);
    });

    it("is migrated to the newest without loss or change", (t) => {
      const db = openDatabase(laidOut(t, version), "write");
      t.after(() => db.close());
      const before = contentsOf(db);
      assert.equal(versionOf(db), version);
      migrate(db);
      assert.equal(versionOf(db), NEWEST.version);
      assert.deepEqual(normal(db.prepare(SCHEMA).all() as Row[]), NEWEST.schema);
      assert.ok((before.get("recipients")?.rows.length ?? 0) >= 10);
      for (const [table, { columns, rows }] of before) assert.deepEqual(rowsOf(db, table, columns), rows, table);
    });

    it("is migrated to the newest with a damaged page of contents", (t) => {
      const dir = laidOut(t, version);
      const page = pagesOf(dir).find(({ name }) => name === "contents") ?? assert.fail();
      damagePage(dir, page);
      const db = openDatabase(dir, "write");
      t.after(() => db.close());
      migrate(db);
      assert.equal(versionOf(db), NEWEST.version);
      assert.deepEqual(normal(db.prepare(SCHEMA).all() as Row[]), NEWEST.schema);
    });

    it("is served: results are unchanged, and pending mail is delivered", async (t) => {
      const dir = laidOut(t, version);
      const db = openDatabase(dir, "read");
      const messages = rowsOf(db, "messages") as { seq: number; id: string; subject: string }[];
      const expected = expectedResults(rowsOf(db, "recipients"));
      db.close();
      const { service, sink } = await startOn(t, dir);
      for (const { id, seq, subject } of messages) {
        const seen = await lookUp(service, id);
        assert.equal(seen.subject, subject);
        for (const { email, result } of seen.recipients) {
          assert.equal(result, expected.get(`${seq} ${email}`) ?? result, `${seq} ${email}`);
        }
      }
      await deliveredLater(service, messages.find(({ subject }) => subject === "Waiting")?.id ?? "");
      const { rcpt_to, dkim } = sink.entries.find((entry) => entry.subject === "Waiting") ?? assert.fail("not sent");
      assert.deepEqual([rcpt_to, dkim.result], [[`waiting@${LATER_DOMAIN}`], "pass"]);
    });
  });
}

/** The other recipient of that message stays pending: its host goes on saying 451. */
async function deliveredLater(service: Service, id: string): Promise<void> {
  for (;;) {
    const { recipients } = await lookUp(service, id);
    if (recipients.find(({ email }) => email === `waiting@${LATER_DOMAIN}`)?.result === "delivered") return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("a spool of a newer Postrider", { timeout: 60_000 }, () => {
  it("is rejected with the remedy, and left unchanged", async (t) => {
    const dir = laidOut(t, NEWEST.version);
    const db = openDatabase(dir, "write");
    db.pragma(`user_version = ${NEWEST.version + 1}`);
    const before = contentsOf(db);
    db.close();
    const place = { PORT: "0", HOST: "127.0.0.1", DATA_DIR: dir, CERTS_DIR: dir, MTA_HOSTNAME: "mta.shop.example" };
    const { code, stderr } = await runToEnd(t, { ...place, SENDING_IPS: "127.0.0.1", DNS_SERVERS: "127.0.0.1:1" });
    assert.equal(code, 1, stderr);
    assert.equal(
      stderr,
      `postrider: the spool has schema ${NEWEST.version + 1}, this Postrider knows schemas up to ${NEWEST.version}: ` +
        "run the newer version again, or restore the backup from before the upgrade\n",
    );
    const after = openDatabase(dir, "read");
    t.after(() => after.close());
    assert.deepEqual(contentsOf(after), before);
  });
});

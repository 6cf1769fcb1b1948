/**
 * Creates a small spool with the code of this checkout and writes it as SQL text next to this file: `node --import
 * tsx test/upgrade/make-fixture.ts` writes schema-N.sql, where N is the checkout's schema. Run it once when a
 * migration is added, and commit the result; later code never recreates a fixture. The service creates the data where
 * it can; data that would need a browser or a crash is inserted as rows.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Database } from "better-sqlite3";
import { secretSealName, Vault, webhookSealName } from "../../src/security/vault.ts";
import Sqlite from "../../src/spool/sqlite/driver.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { FIXTURE_KEY, LATER_DOMAIN, MASTER_KEY_LINE } from "./fixture.ts";

const vault = new Vault(Buffer.from(MASTER_KEY_LINE, "base64"));
const sealedSecret = vault.seal(webhookSealName("end_fixture"), `whsec_${Buffer.alloc(24, 1).toString("base64")}`);

const sealedKey = vault.seal(secretSealName("feedback"), Buffer.alloc(32, 1).toString("base64"));

const CHECK = JSON.stringify({
  ...{ state: "verified", detail: "It is published.", expected: "a record", found: ["a record"] },
  ...{ checkedAtMs: 1790000000000, standing: true, failedSinceMs: null },
});

const LATER_ROWS: Record<string, string> = {
  sts_policies: `INSERT INTO sts_policies VALUES
    ('customers.example', 'id1', 'testing', '["mx.customers.example"]', 1790000000000, 1890000000000)`,
  staged: "INSERT INTO staged VALUES (1)",
  content_parts: "INSERT INTO content_parts VALUES (1025, x'00', 0), (1026, x'00', 0)",
  notes: `INSERT OR IGNORE INTO notes VALUES ('fixture', 'a note')`,
  sessions: `INSERT INTO sessions SELECT x'01', id, account_id, 1790000000000, 1790000000000, 'a browser', '192.0.2.1' FROM users`,
  recovery_codes: `INSERT INTO recovery_codes SELECT id, x'02' FROM users`,
  invitations: `INSERT INTO invitations VALUES ('inv_fixture', x'03', 'acc_default', 'eve@shop.example', 'viewer', 'ann@shop.example',
    1790000000000)`,
  password_resets: `INSERT INTO password_resets SELECT x'04', id, 1790000000000 FROM users LIMIT 1`,
  paused_domains: `INSERT INTO paused_domains VALUES ('paused.example', 1790000000000)`,
  rotations: `INSERT INTO rotations SELECT id, 'next', public_key, sealed_private_key, 1790000000000 FROM domains`,
  // Paused, so that nothing is sent.
  endpoints: `INSERT INTO endpoints (id, account_id, url, types, created_at_ms, sealed_secret, paused_at_ms, position, version)
    SELECT 'end_fixture', account_id, 'https://hooks.example/', '["recipient.failed"]', 1790000000000,
      x'${sealedSecret.toString("hex")}', 1790000001000, (SELECT max(number) FROM outbox), 2 FROM domains`,
  endpoint_retries: `INSERT INTO endpoint_retries
    SELECT 'end_fixture', seq, min(number), max(number), 1, 1790000060000 FROM outbox JOIN messages USING (seq)
      WHERE subject = 'Settled' GROUP BY seq`,
  endpoint_attempts: `INSERT INTO endpoint_attempts (endpoint_id, number, event_number, event_id, type, message_id, at_ms,
      duration_ms, attempt, result, status, next_attempt_at_ms, error, response)
    SELECT 'end_fixture', 1, number, o.id, type, m.id, 1790000000000, 12, 1, 'deferred', 500, 1790000060000, NULL,
      'an error' FROM outbox o JOIN messages m USING (seq) WHERE subject = 'Settled' AND sequence = 1`,
  return_paths: `INSERT INTO return_paths
    SELECT account_id, name, '{"return_path_mx":${CHECK},"return_path_spf":${CHECK}}', 1, 1790000000000 FROM domains`,
  secrets: `INSERT OR REPLACE INTO secrets VALUES ('feedback', x'${sealedKey.toString("hex")}')`,
  dmarc_reports: `INSERT INTO dmarc_reports VALUES ('r1', 'acc_default', 'shop.example', 1789948800000, 'mail.example', 'id',
    1790000000000, 1790086399000, 1790090000000, 'none', 2, 1, 0)`,
  dmarc_report_sources: `INSERT INTO dmarc_report_sources VALUES
    ('r1', 0, '203.0.113.7', 'no', 1, 'none', 0, 0, 'shop.example'),
    ('r1', 1, '192.0.2.1', 'address', 1, 'none', 1, 1, 'shop.example')`,
  tls_reports: `INSERT INTO tls_reports VALUES ('t1', 'acc_default', 'shop.example', 1789948800000, 'mail.example', 'id',
    1790000000000, 1790086399000, 1790090000000, 10, 1)`,
  tls_report_failures: "INSERT INTO tls_report_failures VALUES ('t1', 0, 'sts', 'validation-failure', '', 1)",
  tls_sessions: "INSERT INTO tls_sessions VALUES (20717, 'customers.example', 'sts', '', '', '', '', 1)",
  incoming: `INSERT INTO incoming (id, recipient, envelope_sender, ip, received_at_ms, due_at_ms, content)
    VALUES ('inc_fixture', 'b-none@bounces.shop.example', '', '192.0.2.1', 1790000000000, 9790000000000, x'00')`,
  feedback: `INSERT INTO feedback SELECT seq, 0, 'complaint', 1790000000000, '{"kind":"abuse"}' FROM messages
    WHERE subject = 'Settled'`,
  suppressed_addresses: `INSERT INTO suppressed_addresses
    VALUES ('acc_default', 'gone@customers.example', 'unsubscribed', 1790000000000, 'msg_fixture')`,
  outbox_pruned: "INSERT OR IGNORE INTO outbox_pruned VALUES ('acc_second', 7)",
};

const dir = mkdtempSync(join(tmpdir(), "postrider-fixture-"));
try {
  await live(dir);
  const db = new Sqlite(join(dir, "postrider.db"));
  addRows(db);
  const version = db.pragma("user_version", { simple: true }) as number;
  writeFileSync(join(import.meta.dirname, `schema-${version}.sql`), dump(db, version));
  db.close();
} finally {
  rmSync(dir, { recursive: true });
}

/** One run of a service on the spool. */
async function live(dir: string): Promise<void> {
  writeFileSync(join(dir, "master.key"), MASTER_KEY_LINE, { mode: 0o600 });
  const ends: (() => unknown)[] = [];
  // The part of a test context that a world needs.
  const t = { after: (end: () => unknown) => ends.push(end) } as unknown as TestContext;
  const admin = { ADMIN_EMAIL: "ann@shop.example", ADMIN_PASSWORD: "fixture password" };
  // With refusals of one day, only this value suppresses.
  const suppressing = { SUPPRESS_AFTER: "1" };
  await fill(await startWorld(t, { DATA_DIR: dir, CERTS_DIR: dir, RETRY_SCHEDULE: "1h", ...suppressing, ...admin }));
  for (const end of ends.reverse()) await end();
}

async function fill(world: World): Promise<void> {
  // Nothing listens there.
  world.zone.set(LATER_DOMAIN, "MX", [`10 mx.${LATER_DOMAIN}`]);
  world.zone.set(`mx.${LATER_DOMAIN}`, "A", ["127.0.0.2"]);
  const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;
  await send(world, { to: [at("delivered"), at("5xx-550")], subject: "Settled" }, { "Idempotency-Key": "order-1" });
  for (let round = 0; round < 4; round += 1) await send(world, { to: at("nobody") });
  await send(world, { to: at("drop-after-dot"), subject: "In doubt" });
  await send(world, { to: at("drop-after-dot"), subject: "Marked" });
  await send(world, { to: [at("4xx-451"), `waiting@${LATER_DOMAIN}`], subject: "Waiting" });
  const extras = { cc: at("copy"), tags: ["invoice"], metadata: { order: "1042" }, headers: { "X-Order": "1042" } };
  const answer = await world.post(sendBody({ ...extras, subject: "Extras" }));
  if (answer.status === 202) await attempted(world, ((await answer.json()) as { id: string }).id);
}

async function send(world: World, parts: Record<string, unknown>, headers: Record<string, string> = {}): Promise<void> {
  const answer = await world.post(sendBody(parts), headers);
  if (answer.status !== 202) throw new Error(await answer.text());
  await attempted(world, ((await answer.json()) as { id: string }).id);
}

/** Waits until each recipient has a result or an attempt. */
async function attempted(world: World, id: string): Promise<void> {
  for (;;) {
    const { recipients } = (await (await world.lookUp(id)).json()) as {
      recipients: { result: string; attempts: number }[];
    };
    if (recipients.every(({ result, attempts }) => result !== "pending" || attempts > 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Data that no request creates: a fixed key, a revoked key, a second account, a mark left by a crash, a browser's
 * session.
 */
function addRows(db: Database): void {
  const hash = createHash("sha256").update(FIXTURE_KEY).digest();
  db.prepare("UPDATE api_keys SET hash = ?, last_four = ?").run(hash, FIXTURE_KEY.slice(-4));
  db.exec(`
    INSERT INTO accounts (id, name, created_at_ms) VALUES ('acc_second', 'second', 1790000000000);
    INSERT INTO api_keys (id, account_id, name, hash, last_four, created_at_ms, revoked_at_ms)
      VALUES ('key_revoked', 'acc_second', 'old', x'00', 'abcd', 1790000000000, 1790000001000);
    UPDATE recipients SET state = 'marked', mark = '{"at_ms":1790000002000,"mx":"mx.customers.example","ip":"127.0.0.1"}'
      WHERE seq = (SELECT seq FROM messages WHERE subject = 'Marked');
    UPDATE recipients SET next_attempt_at_ms = 1790000000000 WHERE state = 'pending';
  `);
  for (const [table, sql] of Object.entries(LATER_ROWS)) if (has(db, table)) db.exec(sql);
}

function has(db: Database, table: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined;
}

/** The whole database as SQL: tables and indexes in creation order, and every row. */
function dump(db: Database, version: number): string {
  const objects = db
    .prepare(
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all() as { type: string; name: string; sql: string }[];
  const statements = objects.map(({ sql }) => `${sql};`);
  const rows = objects.filter(({ type }) => type === "table").flatMap(({ name }) => inserts(db, name));
  return [`-- A spool of schema ${version}, made by the code that had it.`, ...statements, ...rows]
    .concat(`PRAGMA user_version = ${version};\n`)
    .join("\n");
}

function inserts(db: Database, table: string): string[] {
  const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const quoted = columns.map((column) => `quote(${column})`).join(" || ',' || ");
  const values = db.prepare(`SELECT ${quoted} FROM ${table}`).pluck().all() as string[];
  return values.map((row) => `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${row});`);
}

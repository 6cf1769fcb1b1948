import assert from "node:assert/strict";
import { test } from "node:test";
import { checkQuarantine, checkStore, quarantineFinding, storeFinding } from "../../src/doctor/spool.ts";
import { quickCheck } from "../../src/spool/engine/sqlite/files/quick-check.ts";
import { damagePage, edit, fillSpool, openSpool, pagesOf } from "../support/damaged-spool.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { doctorInput } from "./doctor-input.ts";

const message = (seq: number, messageId: string | null) => ({
  seq,
  messageId,
  accountId: "acc_default",
  foundAtMs: 0,
  part: "content" as const,
  error: "the content is missing",
});

test("quarantined messages are a problem that names the newest", () => {
  assert.equal(quarantineFinding({ count: 0, messages: [], places: [] }).state, "ok");
  const one = quarantineFinding({ count: 1, messages: [message(1, "msg_a")], places: ["the message msg_a: x"] });
  assert.equal(one.state, "problem");
  assert.match(one.detail, /^1 message is damaged and is not delivered: msg_a\. /);
  const many = [1, 2, 3, 4].map((seq) => message(seq, null));
  assert.match(quarantineFinding({ count: 9, messages: many, places: [] }).detail, /row 1, row 2, row 3 and 6 more/);
});

test("other damaged parts alone are a warning that names them", () => {
  const finding = quarantineFinding({ count: 0, messages: [], places: ["the key-value entries: malformed"] });
  assert.deepEqual([finding.state, /the key-value entries: malformed/.test(finding.detail)], ["warning", true]);
});

test("without a spool the findings are unclear", async () => {
  assert.equal((await checkStore(doctorInput({}))).state, "unclear");
  assert.equal((await checkQuarantine(doctorInput({}))).state, "unclear");
});

test("a damaged page is a problem of the file, found while the service runs; a rebuilt index fixes it", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSpool(dataDir);
  await fillSpool(spool, { count: 20, domains: 2 });
  const examined = () => checkStore(doctorInput({}, {}, { checkStore: () => quickCheck(dataDir) }));
  assert.equal((await examined()).state, "ok");
  await spool.close();
  damagePage(dataDir, pagesOf(dataDir).find(({ name }) => name === "work_waiting") ?? assert.fail());
  const { state, detail } = await examined();
  assert.deepEqual([state, /^The file is damaged: /.test(detail)], ["problem", true]);
  await (await openSpool(dataDir)).close();
  assert.equal((await examined()).state, "ok");
});

test("a file that is too large is not checked", () => {
  const { detail } = storeFinding({ type: "file", sizeBytes: 10 ** 10, faults: null }, 0);
  assert.match(detail, /^The file is too large .*9537 MiB/);
});

const DATABASE = {
  ...({ type: "database", sizeBytes: 1, serverVersion: "16.4", hasChecksums: true } as const),
  standbys: 0,
  isSynchronous: false,
  behindBytes: null,
  loss: null,
};

test("of a database, a standby that replicates asynchronously is a warning that says what it can lose", () => {
  const one = storeFinding({ ...DATABASE, standbys: 1, behindBytes: 2000 }, 0);
  assert.equal(one.state, "warning");
  assert.match(
    one.detail,
    /Its standby replicates asynchronously \(2 KiB behind now\): a failover can lose the last messages/,
  );
  assert.match(one.detail, /Set synchronous_standby_names/);
  assert.match(storeFinding({ ...DATABASE, standbys: 2 }, 0).detail, /Its 2 standbys replicate asynchronously: /);
  assert.equal(storeFinding({ ...DATABASE, standbys: 1, isSynchronous: true }, 0).state, "ok");
});

test("of a database, a failover that lost transactions is a warning for a week, and says what to do", () => {
  const loss = {
    atMs: 1_800_000_000_000,
    fromMs: 1_799_999_990_000,
    toMs: 1_799_999_995_000,
    messages: 3,
    recipients: 10,
  };
  const DAY_MS = 86_400_000;
  const { state, detail } = storeFinding({ ...DATABASE, loss }, loss.atMs + 6 * DAY_MS);
  assert.equal(state, "warning");
  assert.match(
    detail,
    /It failed over at 2027-01-15T08:00:00\S*Z and has lost transactions of 2027-01-15T07:59:50\S*Z to 2027-01-15T07:59:55\S*Z: 3 messages .* gone, and 10 recipients became unknown\. .* ask their senders/,
  );
  const unknown = storeFinding({ ...DATABASE, loss: { ...loss, fromMs: null } }, loss.atMs);
  assert.match(unknown.detail, /has lost transactions: 3 messages/);
  assert.equal(storeFinding({ ...DATABASE, loss }, loss.atMs + 8 * DAY_MS).state, "ok");
});

test("of a database, the size is reported, and whether its checksums would reveal damage", async () => {
  const location = { setting: "DATABASE_URL", value: "postgres://u@db.example:5432/u" } as const;
  assert.equal((await checkStore(doctorInput({}, {}, { location }))).check, "database");
  const database = { ...DATABASE, sizeBytes: 10 ** 7 };
  const { check, state, detail } = storeFinding(database, 0);
  assert.deepEqual([check, state], ["database", "ok"]);
  assert.match(detail, /^The database has 10 MiB\. .* PostgreSQL 16\.4; its checksums/);
  assert.match(storeFinding({ ...database, hasChecksums: false }, 0).detail, /no data checksums/);
});

test("the command line lists quarantined messages, and releases readable ones", async (t) => {
  const dir = tempDir(t);
  const env = { DATA_DIR: dir, CERTS_DIR: dir, DNS_SERVERS: "127.0.0.1:1" };
  const spool = await openSpool(dir);
  const [id = ""] = await fillSpool(spool, { count: 1 });
  edit(dir, (db) => db.exec("UPDATE messages SET sender = ''"));
  await spool.claim({ nowMs: Date.now(), limit: 1, perDomain: 1, allowance: {} });
  await spool.close();
  const listed = await runCli(["queue", "quarantined"], env);
  assert.match(listed.stdout, new RegExp(`${id} +acc_default .* message +the sender is not an email address`));
  const [entry] = JSON.parse((await runCli(["queue", "quarantined", "--json"], env)).stdout);
  assert.deepEqual([entry.id, entry.part], [id, "message"]);
  const refused = await runCli(["queue", "retry", id], env);
  assert.deepEqual([refused.code, /stays in quarantine/.test(refused.stderr)], [1, true]);
  assert.match(
    (await runCli(["messages", "show", id], env)).stdout,
    /Quarantined: .*the sender is not an email address/,
  );
  edit(dir, (db) => db.exec("UPDATE messages SET sender = 'news@shop.example'"));
  assert.equal((await runCli(["queue", "retry", id], env)).code, 0);
  assert.equal((await runCli(["queue", "quarantined"], env)).stdout, "No message is quarantined.\n");
});
